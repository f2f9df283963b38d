"""Tests of `selvedge copy`: all rows, between versions of PostgreSQL, or nothing."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.policy import documents
from tests.policy.sources import ROOT
from tests.support import release_dumps
from tests.support.databases import fresh_database
from tests.support.processes import selvedge

pytestmark = pytest.mark.contract("Command line")
_CLUSTER = 'echo "postgresql://$PGUSER:$PGPASSWORD@$PGHOST:$PGPORT"; read _'


@pytest.fixture
def empty(server_dsn: str, dsn: str) -> str:
    """A database without any table."""
    return fresh_database(server_dsn, f"{dsn.split('?')[0].rsplit('/', 1)[1]}_empty", "template1")


@pytest.fixture
def oldest_dsn() -> Iterator[str]:
    """A new database on the PostgreSQL of Debian."""
    if shutil.which("pg_virtualenv") is None:
        pytest.skip("no pg_virtualenv")
    command = ["pg_virtualenv", "-o", "fsync=off", "bash", "-c", _CLUSTER]
    with subprocess.Popen(
        command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        server = next(line for line in process.stdout if line.startswith("postgresql://")).strip()
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(
                "create database selvedge encoding 'UTF8' locale 'C.UTF-8' template template0"
            )
        yield f"{server}/selvedge"
        process.communicate("\n")


def _all(dsn: str) -> release_dumps.Rows:
    return release_dumps.data(dsn, release_dumps.columns(dsn))


def _next_ids(dsn: str) -> dict[str, int]:
    query = "select sequencename, last_value from pg_sequences order by 1"
    with psycopg.connect(dsn) as connection:
        return dict(connection.execute(query).fetchall())


def test_an_installation_is_copied_with_all_rows(demo_dsn: str, empty: str, data_dir: Path) -> None:
    copied = selvedge(data_dir, "copy", "--from", demo_dsn, "--to", empty)
    assert (copied.returncode, copied.stderr) == (0, "")
    assert _all(empty) == _all(demo_dsn)
    assert _next_ids(empty) == _next_ids(demo_dsn)
    count = sum(map(len, _all(empty).values()))
    assert copied.stdout.endswith(f"{count:,} rows are the same in both databases.\n")
    again = selvedge(data_dir, "copy", "--from", demo_dsn, "--to", empty)
    assert (again.returncode, "the target has organizations" in again.stderr) == (1, True)


def test_a_copy_that_differs_leaves_the_target_as_it_was(
    demo_dsn: str, dsn: str, data_dir: Path
) -> None:
    """A trigger stands for rows that another version stores otherwise."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "create function other() returns trigger language plpgsql as"
            " $$ begin new.name = new.name || '?'; return new; end $$"
        )
        connection.execute(
            "create trigger other before insert on season for each row execute function other()"
        )
    failed = selvedge(data_dir, "copy", "--from", demo_dsn, "--to", dsn)
    assert (failed.returncode, "the rows of season differ" in failed.stderr) == (1, True)
    assert not _all(dsn)["color"]
    assert _all(dsn)["language"]
    wrong = selvedge(data_dir, "copy", "--to", "mysql://user:open-sesame@x/y")
    assert (wrong.returncode, "open-sesame" in wrong.stderr) == (2, False)


def _commands() -> list[str]:
    """Return the commands of the guide for operators, in their order."""
    text = documents.sections(ROOT / "docs" / "operating.md")["From the demo to production"]
    return re.findall(r"^    (selvedge .+)$", text, re.MULTILINE)


def test_the_demo_goes_to_an_older_postgresql(oldest_dsn: str, empty: str, tmp_path: Path) -> None:
    """The guide's commands, but the last one, and back."""
    data_dir = tmp_path / "data"
    for words in (["migrate"], ["demo", "load"]):
        assert selvedge(data_dir, *words).returncode == 0
    *commands, last = _commands()
    assert (len(commands), last) == (8, "selvedge serve")
    settings = dict[str, str]()
    for command in commands:
        words = shlex.split(command)[1:]
        words = [oldest_dsn if "://" in word else word for word in words]
        words = [str(tmp_path / word) if word.endswith(".dump") else word for word in words]
        done = selvedge(data_dir, *words, **settings)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        if words[0] == "copy":
            settings = {"DATABASE_URL": oldest_dsn}
            assert "rows are the same in both databases" in done.stdout
    with psycopg.connect(oldest_dsn) as connection:
        assert connection.info.server_version < 180_000
        assert connection.execute("select array_agg(id) from organization").fetchone() == ([1],)
    back = selvedge(data_dir, "copy", "--from", oldest_dsn, "--to", empty)
    assert (back.returncode, back.stderr) == (0, "")
    assert _all(empty) == _all(oldest_dsn)
