"""Benchmark of a cluster: the same database on its coordinator alone, and distributed.

The distributed one is measured by a service on the coordinator, and by one on the organization's
node.
"""

import asyncio
import statistics
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import asyncpg
import uvloop

from benchmarks import load, report
from benchmarks.contestants import contestant
from benchmarks.data import AT_REST, ORGANIZATION, Data, fill
from benchmarks.load import Request
from benchmarks.scenarios import Scenario, distinct, scenarios
from service.database.distribution import nodes_of_organizations
from service.database.migrations import migrate
from service.extras import demo
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.reports import table, write_section

_WARM_UP_SECONDS: Final = 0.5
_HEADER: Final = (
    *("request", "callers", "coordinator alone"),
    *("distributed", "ratio", "by the organization's node", "ratio"),
)
_BODY: Final = b'{"name": "Heather", "colorNote": "Lab dip requested."}'
_CREATE: Final = Scenario(
    "create", "POST of a color", 16, lambda *_: [Request("POST", "/api/colors", _BODY)]
)
_SCENARIOS: Final = [
    *(scenario for scenario in scenarios() if not (scenario.is_own and scenario.is_distinct)),
    _CREATE,
]
_DISTINCT: Final = {scenario.name for scenario in _SCENARIOS if scenario.is_distinct}
_SECTION: Final = """\
Milliseconds of a request (medians), the same data on the coordinator alone and distributed,
everything on the same two cores; by one caller, and by as many as `make bench` has. Distributed
data are served by an instance on the coordinator, and by one on the organization's node. No read is
sent twice, so that no response comes from the cache:

{table}

{environment}
"""


def run(rounds: int, seconds: float) -> None:
    """Measure with the cluster of TEST_CITUS_URL, and write docs/scaling.md after each request."""
    rows = []
    with ExitStack() as stack:
        alone, distributed = stack.enter_context(_databases())
        nodes = asyncio.run(_nodes(distributed.dsn))
        ports = {
            dsn: stack.enter_context(contestant("selvedge", dsn, Path())).port
            for dsn in {alone.dsn, distributed.dsn, *nodes.values()}
        }
        runner = stack.enter_context(asyncio.Runner(loop_factory=uvloop.new_event_loop))
        for scenario in _scenarios():
            home = nodes[AT_REST if scenario.at_rest else ORGANIZATION]
            servers = [(alone, alone.dsn), (distributed, distributed.dsn), (distributed, home)]
            taken: list[list[float]] = [[], [], []]
            for _ in range(rounds):
                for (data, dsn), times in zip(servers, taken, strict=True):
                    times.append(runner.run(_turn(data, ports[dsn], scenario, seconds)) * 1e3)
            rows.append([scenario.title, str(scenario.connections), *_cells(taken)])
            print(*rows[-1], sep="  ", flush=True)
            _write(rows, alone.postgres)


async def _nodes(dsn: str) -> dict[int, str]:
    """Return organization id -> DSN of the database on the organization's node."""
    connection = await asyncpg.connect(dsn)
    try:
        nodes = await nodes_of_organizations(connection)
    finally:
        await connection.close()
    parts = urlsplit(dsn)
    account, at, _ = parts.netloc.rpartition("@")
    return {id_: parts._replace(netloc=f"{account}{at}{node}").geturl() for id_, node in nodes}


def _cells(taken: Sequence[Sequence[float]]) -> Iterator[str]:
    """Yield the median of each server, and after the first those of its ratios to that."""
    for number, times in enumerate(taken):
        yield f"{statistics.median(times):.2f}"
        if number:
            ratios = [time / base for base, time in zip(taken[0], times, strict=True)]
            yield f"{statistics.median(ratios):.2f}"


def _write(rows: Sequence[Sequence[str]], postgres: str) -> None:
    text = _SECTION.format(table=table([_HEADER, *rows]), environment=report.environment(postgres))
    write_section(report.DOCS / "scaling.md", "make bench-cluster", text)


def _scenarios() -> Iterator[Scenario]:
    """Yield every repeatable scenario, with one caller and with the callers of `bench`.

    Reads are those without a cached response.
    """
    for scenario in _SCENARIOS:
        is_cached_read = f"{scenario.name}-distinct" in _DISTINCT
        if not (scenario.setup or scenario.is_changing or is_cached_read):
            for connections in sorted({1, scenario.connections}):
                yield replace(scenario, connections=connections)


@contextmanager
def _databases() -> Iterator[tuple[Data, Data]]:
    """Fill two databases with the same data: on the coordinator alone, and distributed."""
    with template_server() as server:
        alone = fresh_database(server, "alone", "template0")
        migrate(alone)
        asyncio.run(demo.load(alone, progress=False))
        distributed = fresh_database(server, "distributed", DEMO_TEMPLATE)
        yield _filled(alone), _filled(distributed)


def _filled(dsn: str) -> Data:
    return asyncio.run(fill(dsn, asyncio.run(issue_key(dsn, ORGANIZATION))))


async def _turn(data: Data, port: int, scenario: Scenario, seconds: float) -> float:
    """Return the median response time, in seconds."""
    key = data.resting_key if scenario.at_rest else data.key
    requests = [
        [request.encoded(key) for request in _requests(data, scenario, number)]
        for number in range(scenario.connections)
    ]
    await load.run(port, requests, _WARM_UP_SECONDS)
    seen = await load.run(port, requests, seconds)
    assert not seen.failures, (scenario.name, seen.first_failure)
    return statistics.median(seen.latencies)


def _requests(data: Data, scenario: Scenario, number: int) -> list[Request]:
    requests = scenario.requests(data, number)
    if scenario.is_distinct:
        return [copy for request in requests for copy in distinct(request)]
    return requests
