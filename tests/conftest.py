"""Shared fixtures: databases and services of a test's own, empty or with the demo data."""

import gc
import signal
import sys
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import pytest

from benchmarks import contestants
from service.settings import cores
from tests.connectors import tools as connector_tools
from tests.generated import tools
from tests.support import cluster
from tests.support.sampling import Sample, seed_settings, settle, unsampled
from tests.support.sampling import pytest_collection as pytest_collection  # a hook
from tests.support.temporary_folders import share_clusters

# What few tests need is imported by its fixtures: the service takes a second, a browser's driver a
# third of one, which a run of unit tests would wait for.
if TYPE_CHECKING:
    import asyncpg
    from aiohttp.test_utils import TestClient
    from selenium import webdriver

    from tests.support.api import Api
    from tests.support.browser import Reader

_LONG: Final = ("benchmarks", "connectors", "faults", "fuzz", "platform")
"""Folders of tests that take long one by one, or wait for processes, clocks and locks."""
_SERVER = pytest.StashKey[str]()
collect_ignore = ["support/sample_resource"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--contract``, which chooses the tests of a section of the contract."""
    parser.addoption(
        "--contract",
        action="append",
        metavar="HEADING",
        help="run the tests of this section of the contract or docs/operating.md; repeat it",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Settle samples before modules are read, and before workers are started.

    Collect garbage seldom, as the service does: it took a third of the time of reading modules.
    Let SIGINT and SIGHUP end the processes of tests, which every descendant inherits as ignored
    from a shell that started the run in the background, or from nohup.
    """
    gc.set_threshold(100_000, 50)
    settle(config)
    share_clusters(config.add_cleanup)
    for number, handler in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGHUP, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_report_header() -> list[str]:
    """Print the seed at the start, and what is missing here."""
    missing = {
        "clients and axe: left out, for Node.js or what `make generators` installs is missing": (
            tools.are_installed()
        ),
        "connectors: left out, for what `make connectors` installs is missing": (
            connector_tools.are_installed()
        ),
        "benchmarks: no peers or plots, for Node.js or what `make peers` installs is missing": (
            contestants.peers_are_installed()
        ),
    }
    return [f"samples: {seed_settings()}", *(line for line, here in missing.items() if not here)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests to run: those of ``--contract``, or samples unless tests were chosen.

    On a cluster, tests of plain PostgreSQL are left out. Tests that measure run by ``-m measures``.

    Long tests come first: at the end a single one would leave the other workers without work.
    """
    items.sort(key=lambda item: item.path.parent.name not in _LONG)
    left = {*unsampled(items)}
    if cluster.url():
        left.update(item for item in items if item.get_closest_marker("plain_postgresql"))
    if "measures" not in config.option.markexpr:
        left.update(item for item in items if item.get_closest_marker("measures"))
    if headings := {*(config.option.contract or ())}:
        left.update(item for item in items if not headings & _headings(item))
    if left:
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep what was collected, a million objects, out of every later collection of garbage."""
    gc.collect()
    gc.freeze()
    if "hypothesis" not in sys.modules:
        # Its plugin imports all of it at the end, for 0.8 s of processor time.
        session.config.pluginmanager.unregister(name="hypothesispytest")


def _headings(item: pytest.Item) -> set[str]:
    """Return the sections of the contract that a test checks."""
    return {heading for mark in item.iter_markers("contract") for heading in mark.args}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Print the seed beside each failure."""
    report = yield
    if report.failed:
        report.sections.append(("Samples", seed_settings()))
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are cores, because tests also wait."""
    return cores() + 1


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand every pytest-xdist worker the one server, which the controlling process owns."""
    node.workerinput["server_dsn"] = _server_dsn(node.config)


def _server_dsn(config: pytest.Config) -> str:
    """Return the DSN of the session's server, started on first use."""
    from tests.support.databases import template_server

    if hasattr(config, "workerinput"):
        return str(config.workerinput["server_dsn"])
    if _SERVER not in config.stash:
        stack = ExitStack()
        config.add_cleanup(stack.close)
        config.stash[_SERVER] = stack.enter_context(template_server())
    return config.stash[_SERVER]


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> Sample:
    """Takes parts of matrices that are too large for every run."""
    return Sample(request.node.nodeid)


@pytest.fixture(scope="session")
def server_dsn(pytestconfig: pytest.Config) -> str:
    """The session's server, for what needs databases of other names."""
    return _server_dsn(pytestconfig)


@pytest.fixture
def dsn(server_dsn: str, worker_id: str) -> str:
    """A migrated, empty database that no other test sees."""
    from tests.support.databases import fresh_database

    return fresh_database(server_dsn, f"test_{worker_id}")


@pytest.fixture
def demo_dsn(server_dsn: str, worker_id: str) -> str:
    """A database with the demo data that no other test sees."""
    from tests.support.databases import demo_database

    return demo_database(server_dsn, f"demo_{worker_id}")


@pytest.fixture
async def client(demo_dsn: str) -> AsyncIterator["TestClient[Any, Any]"]:
    """The service on the demo data."""
    from aiohttp.test_utils import TestClient

    from tests.support.serving import serving

    async with serving(demo_dsn, LOG_LEVEL="info") as server, TestClient(server) as client:
        yield client


@pytest.fixture(scope="session")
def shared_dsn(server_dsn: str, worker_id: str) -> str:
    """A database with the demo data that the tests of a worker share.

    A test may add records of its own to it, and changes no others.
    """
    from tests.support.databases import demo_database

    return demo_database(server_dsn, f"shared_{worker_id}")


@pytest.fixture(scope="session")
async def shared_client(shared_dsn: str) -> AsyncIterator["TestClient[Any, Any]"]:
    """The service on it, one for all tests of a worker."""
    from aiohttp.test_utils import TestClient

    from tests.support.serving import serving

    async with serving(shared_dsn) as server, TestClient(server) as client:
        yield client


@pytest.fixture(scope="session")
async def shared_connection(shared_dsn: str) -> AsyncIterator["asyncpg.Connection"]:
    """A connection to it."""
    import asyncpg

    connection = await asyncpg.connect(shared_dsn)
    yield connection
    await connection.close()


@pytest.fixture(scope="session")
async def shared_keys(shared_connection: "asyncpg.Connection") -> dict[str, str]:
    """Keys of organizations 1 and 2 there."""
    from tests.support.api import issue_keys

    return await issue_keys(shared_connection, 1, 2)


@pytest.fixture
async def new_keys(shared_connection: "asyncpg.Connection") -> dict[str, str]:
    """Keys of two empty organizations there that no other test sees."""
    from service.organizations import administration
    from tests.support.api import issue_keys

    first, second = [
        await administration.create_organization(
            shared_connection, "New", multiple_language=has_features, pro=has_features
        )
        for has_features in (True, False)
    ]
    return await issue_keys(shared_connection, first, second)


@pytest.fixture
async def demo_keys(demo_dsn: str) -> dict[str, str]:
    """Keys of organizations 1 and 2 of the demo data."""
    import asyncpg

    from tests.support.api import issue_keys

    connection = await asyncpg.connect(demo_dsn)
    keys = await issue_keys(connection, 1, 2)
    await connection.close()
    return keys


@pytest.fixture
def apis(request: pytest.FixtureRequest) -> dict[str, "Api"]:
    """Callers of two organizations, which are new on a service that tests share.

    Tests that are marked with ``demo_data``, or that name a reader, the service or its database,
    get their own, with the demo data. Those that only add to it are marked ``shared_demo_data``.
    """
    from tests.support.api import Api

    has_own = request.node.get_closest_marker("demo_data")
    if has_own or not {"client", "demo_dsn", "reader"}.isdisjoint(request.fixturenames):
        names = ("client", "demo_keys")
    elif request.node.get_closest_marker("shared_demo_data"):
        names = ("shared_client", "shared_keys")
    else:
        names = ("shared_client", "new_keys")
    client, keys = map(request.getfixturevalue, names)
    return {name: Api(client, key) for name, key in keys.items()}


@pytest.fixture
def api(apis: dict[str, "Api"]) -> "Api":
    """A caller of an organization that has every feature."""
    return apis["writer"]


@pytest.fixture
def reader_api(apis: dict[str, "Api"]) -> "Api":
    """A caller of the same organization whose key may only read."""
    return apis["reader"]


@pytest.fixture
def other_api(apis: dict[str, "Api"]) -> "Api":
    """A caller of another organization, which has no optional feature."""
    return apis["other"]


@pytest.fixture
def without_response_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch response caches of this process off, for tests that change data by SQL."""
    monkeypatch.setattr(
        "service.handlers.response_cache.ResponseCache.respond",
        lambda _, request, handler: handler(request),
    )


@pytest.fixture(scope="session")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator["webdriver.Chrome"]:
    """The one browser of a worker: it takes seconds to start and to end."""
    from tests.support.chromium import chromium

    with chromium(tmp_path_factory.mktemp("browser") / "profile") as driver:
        yield driver


@pytest.fixture
def browser(shared_browser: "webdriver.Chrome") -> Iterator["webdriver.Chrome"]:
    """A browser with a new tab."""
    from tests.support.chromium import fresh_tab

    with fresh_tab(shared_browser) as driver:
        yield driver


@pytest.fixture
async def reader(browser: "webdriver.Chrome", apis: dict[str, "Api"]) -> "Reader":
    """A person in front of `/data`, who has the keys of organization 1."""
    from tests.support.browser import Reader

    url = str(apis["writer"].client.make_url("/"))
    return Reader(browser, url, apis["writer"].key, apis["reader"].key)


@pytest.fixture(scope="session")
def shared_logged_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator["webdriver.Chrome"]:
    """A worker's browser that logs requests."""
    from tests.support.chromium import chromium

    with chromium(tmp_path_factory.mktemp("browser") / "profile", requests=True) as driver:
        yield driver


@pytest.fixture
def logged_browser(shared_logged_browser: "webdriver.Chrome") -> Iterator["webdriver.Chrome"]:
    """A browser with a new tab, which logs requests."""
    from tests.support.chromium import fresh_tab

    with fresh_tab(shared_logged_browser) as driver:
        yield driver
