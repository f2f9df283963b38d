"""Database of the tests of benchmarks; tests with plots need the peers' packages.

These tests do not run on a Citus cluster, which `make bench-cluster` measures.
"""

import asyncio

import pytest

from benchmarks.contestants import peers_are_installed
from benchmarks.data import ORGANIZATION, Data, fill
from tests.support import cluster
from tests.support.api import issue_key

collect_ignore_glob = (
    ["test_*.py"] if cluster.url() else [] if peers_are_installed() else ["test_reports.py"]
)


@pytest.fixture
def measured(demo_dsn: str) -> Data:
    """Return the demo data with the records of the scenarios."""
    return asyncio.run(fill(demo_dsn, asyncio.run(issue_key(demo_dsn, ORGANIZATION))))
