"""Fixtures of cluster tests, which are collected if TEST_CITUS_URL names a cluster.

Deaths of nodes need TEST_CITUS_KILL and TEST_CITUS_START too, nodes that hang TEST_CITUS_PAUSE
and TEST_CITUS_RESUME.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest

from service.database import migrations
from tests.cluster.environment import KILL, PAUSE, RESUME, START
from tests.support import cluster
from tests.support.databases import fresh_database

collect_ignore_glob = [] if cluster.url() else ["test_*.py"]
if not (KILL and START):
    collect_ignore_glob.append("test_node_killed.py")
if not (PAUSE and RESUME):
    collect_ignore_glob.append("test_node_hung.py")


@pytest.fixture
def bare_dsn(server_dsn: str, worker_id: str) -> str:
    """A database that every node knows of and that has no tables."""
    dsn = fresh_database(server_dsn, f"bare_{worker_id}", "template0")
    cluster.register(urlsplit(dsn).path.removeprefix("/"))
    return dsn


@pytest.fixture
def local_dsn(bare_dsn: str) -> str:
    """The same with tables that are not distributed."""
    migrations.migrate(bare_dsn)
    return bare_dsn


@pytest.fixture
def local(local_dsn: str) -> Iterator[psycopg.Connection]:
    """A connection to it."""
    with psycopg.connect(local_dsn, autocommit=True) as connection:
        yield connection
