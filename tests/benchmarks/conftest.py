"""The database of the benchmarks. Without the peers' packages the tests with plots are left out.

A Citus cluster is measured by `make bench-cluster`, and by nothing here.
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
    """The demo data, and what the scenarios need beside them."""
    return asyncio.run(fill(demo_dsn, asyncio.run(issue_key(demo_dsn, ORGANIZATION))))
