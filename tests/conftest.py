"""The database fixtures: `dsn` is a database of the test's own, migrated and empty."""

import os
from contextlib import ExitStack
from typing import Any

import pytest

from tests.support.databases import fresh_database, template_server

_SERVER = pytest.StashKey[str]()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand every pytest-xdist worker the one server, which the controlling process owns."""
    node.workerinput["server_dsn"] = _server_dsn(node.config)


def _server_dsn(config: pytest.Config) -> str:
    """Return the DSN of the session's server, started on first use."""
    if hasattr(config, "workerinput"):
        return str(config.workerinput["server_dsn"])
    if _SERVER not in config.stash:
        stack = ExitStack()
        config.add_cleanup(stack.close)
        config.stash[_SERVER] = stack.enter_context(template_server())
    return config.stash[_SERVER]


@pytest.fixture(scope="session")
def server_dsn(pytestconfig: pytest.Config) -> str:
    """The session's server, for what needs databases of other names."""
    return _server_dsn(pytestconfig)


@pytest.fixture
def dsn(server_dsn: str) -> str:
    """A migrated, empty database that no other test sees."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    return fresh_database(server_dsn, f"test_{worker}")
