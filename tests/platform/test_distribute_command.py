"""Tests of `selvedge distribute` and `organization nodes` without a cluster."""

from pathlib import Path

import pytest

from service.database import migrations
from tests.support.databases import fresh_database
from tests.support.processes import selvedge

pytestmark = pytest.mark.contract("Command line")


@pytest.fixture
def plain_dsn(server_dsn: str) -> str:
    """A migrated database of PostgreSQL alone."""
    dsn = fresh_database(server_dsn, "plain", "template0")
    assert migrations.migrate(dsn)
    return dsn


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("distribute --yes", "there is no Citus here"),
        ("organization nodes", "the tables are not distributed"),
    ],
)
def test_plain_postgresql_is_refused_in_one_line(
    plain_dsn: str, data_dir: Path, command: str, reason: str
) -> None:
    refused = selvedge(data_dir, *command.split(), DATABASE_URL=plain_dsn)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert reason in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_the_embedded_server_is_not_even_started(data_dir: Path) -> None:
    refused = selvedge(data_dir, "distribute", "--yes")
    assert refused.returncode == 1
    assert "DATABASE_URL" in refused.stderr
    assert not data_dir.exists()
