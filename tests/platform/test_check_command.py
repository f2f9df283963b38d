"""Tests of `selvedge check`: it names what ends or runs out soon, as the alerts do."""

from pathlib import Path

import psycopg
import pytest

from tests.contract.test_health_and_headers import ENDING_RANGES
from tests.support.processes import selvedge

pytestmark = pytest.mark.contract("Command line")
LATE = """
    insert into change_feed (organization_id, epoch, last_n) values (1, 1, 1);
    insert into change (organization_id, clock, n, at, entries, records)
        values (1, 1, 1, now() - interval '46 days', 1, '{}');
    insert into webhook (organization_id, id, url, collections, documents, state, secret, epoch, n)
        values (1, 7, 'https://hooks.example.com', '{}', false, 'active', '', 1, 0);
"""


@pytest.mark.parametrize(
    ("part", "statements", "text"),
    [
        ("ranges", ENDING_RANGES, "of organization 1 (999 numbers)"),
        ("webhooks", LATE, "behind by 45 days: 7 of organization 1"),
    ],
)
def test_what_runs_out_is_named(
    dsn: str, data_dir: Path, part: str, statements: str, text: str
) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("insert into organization (id, name) values (1, 'Norrby')")
        connection.execute(statements.encode())
    checked = selvedge(data_dir, "check", DATABASE_URL=dsn)
    assert (checked.returncode, checked.stderr) == (1, f"selvedge: wrong: {part}\n")
    [line] = [line for line in checked.stdout.splitlines() if line.startswith("WRONG")]
    assert text in line
