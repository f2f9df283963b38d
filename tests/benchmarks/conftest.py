"""Database of the tests of benchmarks; tests with plots need the peers' packages.

These tests do not run on a Citus cluster, which `make bench-cluster` measures.
"""

import asyncio

import pytest

from benchmarks.contestants import peers_are_installed
from benchmarks.data import ORGANIZATION, Data, fill
from tests.support import cluster
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database

collect_ignore_glob = (
    ["test_*.py"] if cluster.url() else [] if peers_are_installed() else ["test_reports.py"]
)


@pytest.fixture(scope="module")
def measured(server_dsn: str, worker_id: str) -> Data:
    """Return the demo data with the records of the scenarios."""
    dsn = fresh_database(server_dsn, f"measured_{worker_id}", DEMO_TEMPLATE)
    return asyncio.run(fill(dsn, asyncio.run(issue_key(dsn, ORGANIZATION))))
