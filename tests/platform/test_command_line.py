"""Tests of the commands for organizations, keys and SQL."""

import errno
import fcntl
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import psycopg
import pytest

from service import __main__ as service_main
from service.organizations import administration, caller
from service.settings import nearly_settings
from tests.support.offenders import in_each
from tests.support.processes import selvedge
from tests.support.time_limits import limit

pytestmark = pytest.mark.contract("Command line")


def _create(data_dir: Path, dsn: str, *options: str) -> str:
    created = selvedge(data_dir, "organization", "create", "Norrby", *options, DATABASE_URL=dsn)
    assert created.returncode == 0, created.stderr
    return created.stdout.strip()


def _organization(dsn: str, organization_id: str) -> tuple[object, ...] | None:
    with psycopg.connect(dsn) as connection:
        return connection.execute(
            "select name, multiple_language, pro from organization where id = %s",
            (organization_id,),
        ).fetchone()


def test_an_organization_is_created_and_changed(dsn: str, data_dir: Path) -> None:
    created = _create(data_dir, dsn, "--pro", "on")
    assert _organization(dsn, created) == ("Norrby", False, True)

    options = ("--multiple-language", "on", "--pro", "off")
    changed = selvedge(data_dir, "organization", "set", created, *options, DATABASE_URL=dsn)
    assert changed.returncode == 0
    assert _organization(dsn, created) == ("Norrby", True, False)

    selvedge(data_dir, "organization", "set", created, "--name", "Norrby AB", DATABASE_URL=dsn)
    assert _organization(dsn, created) == ("Norrby AB", True, False)
    listed = selvedge(data_dir, "organization", "list", DATABASE_URL=dsn).stdout
    assert listed.splitlines()[1].split("  ")[0] == created


async def test_a_key_is_issued_alone_on_standard_output(dsn: str, data_dir: Path) -> None:
    organization = _create(data_dir, dsn)
    options = ("--organization", organization, "--scope", "write", "--name", "ERP")
    issued = selvedge(data_dir, "key", "issue", *options, DATABASE_URL=dsn)
    key = issued.stdout.removesuffix("\n")
    parts = caller.parse(key)
    assert parts is not None
    assert str(parts[0]) == organization

    connection = await asyncpg.connect(dsn)
    assert await administration.is_live_key(connection, key)
    stored = await connection.fetchrow("select * from api_key")
    assert stored["scope"] == "write"
    assert stored["secret_sha256"] == caller.digest(parts[2])

    revoke = ("key", "revoke", str(parts[1]), "--organization")
    assert selvedge(data_dir, *revoke, "77", DATABASE_URL=dsn).returncode == 1
    assert await administration.is_live_key(connection, key)
    assert selvedge(data_dir, *revoke, organization, DATABASE_URL=dsn).returncode == 0
    assert not await administration.is_live_key(connection, key)
    for expires in ("2999-12-31", "2999-12-31T10:00:00+02:00"):
        issue = ("key", "issue", "--organization", organization, "--expires", expires)
        key = selvedge(data_dir, *issue, DATABASE_URL=dsn).stdout.strip()
        assert await administration.is_live_key(connection, key)
    assert await connection.fetchval("select count(expires_at) from api_key") == 2
    await connection.close()

    listed = selvedge(data_dir, "key", "list", DATABASE_URL=dsn).stdout
    assert "  write  " in listed
    assert "*:" not in listed
    assert "ERP" in listed
    assert "LAST USED" in listed
    assert parts[2] not in listed


def test_no_two_organizations_have_one_name(dsn: str, data_dir: Path) -> None:
    first = _create(data_dir, dsn)
    again = selvedge(data_dir, "organization", "create", "NORRBY", DATABASE_URL=dsn)
    assert (again.returncode, again.stdout) == (1, "")
    assert f"organization {first} has this name" in again.stderr
    other = selvedge(data_dir, "organization", "create", "Söderby", DATABASE_URL=dsn).stdout.strip()
    for number, code in ((other, 1), (first, 0)):
        renaming = ("organization", "set", number, "--name", "norrby")
        assert selvedge(data_dir, *renaming, DATABASE_URL=dsn).returncode == code


def test_errors_of_files_say_what_to_do(dsn: str, data_dir: Path, tmp_path: Path) -> None:
    """No text of an errno is printed, and no name that only the program knows."""
    path = str(tmp_path / "nowhere" / "file")
    for command in ("dump", "restore"):
        failed = selvedge(data_dir, command, path, DATABASE_URL=dsn)
        [line] = failed.stderr.splitlines()
        assert "nowhere" in line
        assert not re.search("Errno|unfinished", line)
    dumped = selvedge(data_dir, "dump", path, DATABASE_URL=dsn)
    assert f"there is no folder {tmp_path / 'nowhere'}: create it first" in dumped.stderr


def test_a_file_of_the_wrong_kind_is_named_with_the_remedy() -> None:
    for number, remedy in ((errno.ENOENT, "create"), (errno.EACCES, "permissions")):
        text = service_main._message(OSError(number, os.strerror(number), "a/b.unfinished"))
        assert text.startswith("a/b: ")
        assert remedy in text
    assert service_main._message(OSError("as it is")) == "as it is"


def test_a_variable_that_is_nearly_a_setting_is_named(dsn: str, data_dir: Path) -> None:
    near = {"WORKRES": "WORKERS", "POOLSIZE": "POOL_SIZE", "LOGLEVEL": "LOG_LEVEL"}
    others = {"HOSTNAME": "x", "PATH": "x", "SELVEDGE_URL": "x", "WORKERS": "1", "workres": "1"}
    assert dict(nearly_settings(dict.fromkeys(near, "1") | others)) == near
    checked = selvedge(data_dir, "check", DATABASE_URL=dsn, WORKRES="4")
    assert (checked.returncode, checked.stderr) == (1, "selvedge: wrong: settings\n")
    assert "WORKRES is no setting: WORKERS?" in checked.stdout


def test_demo_data_are_loaded_once(demo_dsn: str, data_dir: Path) -> None:
    refused = selvedge(data_dir, "demo", "load", DATABASE_URL=demo_dsn)
    assert (refused.returncode, refused.stdout) == (1, "")
    [line] = refused.stderr.splitlines()
    assert "not empty" in line


def test_data_in_use_are_not_thrown_away(tmp_path: Path) -> None:
    makefile = Path(__file__).parents[2] / "Makefile"
    command = ["make", "-f", str(makefile), "clean-data", f"PYTHON={sys.executable}"]
    data = tmp_path / ".data"
    data.mkdir()
    with (data / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=limit(60)
        )
        assert refused.returncode != 0
        assert "stop it first" in refused.stderr
        assert (data / "lock").exists()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=limit(60))
    assert done.returncode == 0
    assert not data.exists()


def test_an_installation_that_fails_names_the_index(tmp_path: Path) -> None:
    program = Path(__file__).parents[2] / ".ci" / "install.py"
    options = ["--no-deps", "--target", str(tmp_path), "a-package-that-nobody-has"]
    index = {"PIP_INDEX_URL": "http://user:open-sesame@127.0.0.1:1/simple", "PIP_RETRIES": "0"}
    alone = {"PIP_CONFIG_FILE": os.devnull, "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": ""}
    failed = subprocess.run(
        [sys.executable, str(program), *options],
        env=os.environ | index | alone,
        capture_output=True,
        text=True,
        timeout=limit(60),
        check=False,
    )
    assert failed.returncode != 0
    assert "a-package-that-nobody-has" in failed.stdout + failed.stderr
    assert failed.stderr.splitlines()[-1].endswith("http://127.0.0.1:1/simple")
    assert "open-sesame" not in failed.stdout + failed.stderr


@in_each(
    "arguments",
    [
        ("key", "issue", "--organization", "77"),
        ("key", "revoke", "77"),
        ("organization", "set", "77", "--pro", "on"),
    ],
)
def test_an_unknown_id_is_one_line_and_an_exit_code(
    dsn: str, data_dir: Path, arguments: tuple[str, ...]
) -> None:
    failed = selvedge(data_dir, *arguments, DATABASE_URL=dsn)
    assert failed.returncode == 1
    assert failed.stdout == ""
    assert len(failed.stderr.splitlines()) == 1
    assert "77" in failed.stderr


def test_an_organization_update_without_changes_is_refused(data_dir: Path) -> None:
    failed = selvedge(data_dir, "organization", "set", "1")
    assert failed.returncode == 1
    assert "use --name" in failed.stderr
    assert not data_dir.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("key", "issue"),
        ("key", "issue", "--organization", "0"),
        ("key", "issue", "--organization", "1", "--scope", "admin"),
        ("key", "issue", "--organization", "1", "--expires", "tomorrow"),
        ("key", "issue", "--organization", "1", "--expires", "2020-01-01"),
        ("key", "issue", "--organization", "1", "--name", "a\nb"),
        ("organization", "create", " "),
        ("organization", "set", "1", "--pro", "yes"),
    ],
)
def test_wrong_usage_is_reported_before_any_database_is_touched(
    data_dir: Path, arguments: tuple[str, ...]
) -> None:
    assert selvedge(data_dir, *arguments).returncode == 2
    assert not data_dir.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve",),
        ("key", "list"),
        ("organization", "create", "Norrby"),
        ("demo", "load"),
        ("migrate", "--rollback", "1", "--yes"),
    ],
)
def test_a_command_in_the_wrong_folder_makes_nothing(
    data_dir: Path, arguments: tuple[str, ...]
) -> None:
    failed = selvedge(data_dir, *arguments)
    assert (failed.returncode, failed.stdout) == (1, "")
    [line] = failed.stderr.splitlines()
    assert str(data_dir) in line
    assert "selvedge migrate" in line
    assert not data_dir.exists()


def test_commands_share_the_embedded_server(data_dir: Path) -> None:
    behind = selvedge(data_dir, "organization", "list")
    assert behind.returncode == 1
    assert "selvedge migrate" in behind.stderr
    assert selvedge(data_dir, "migrate").returncode == 0
    assert selvedge(data_dir, "organization", "create", "Norrby").stdout == "1\n"
    assert "Norrby" in selvedge(data_dir, "organization", "list").stdout
    refused = selvedge(data_dir, "demo", "load")
    assert refused.returncode == 1
    assert "not empty" in refused.stderr


def test_an_installation_is_checked(dsn: str, data_dir: Path) -> None:
    organization = _create(data_dir, dsn)
    names = ["settings", "database", "schema", "disk", "clock", "keys", "ranges", "responses"]
    names += ["webhooks", "connections", "transactions"]
    checked = selvedge(data_dir, "check", DATABASE_URL=dsn)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert [line.split()[:2] for line in checked.stdout.splitlines()] == [
        ["ok", name] for name in names
    ]

    in_a_week = f"{datetime.now(UTC) + timedelta(days=7):%Y-%m-%d}"
    issue = ("key", "issue", "--organization", organization, "--expires", in_a_week)
    assert selvedge(data_dir, *issue, DATABASE_URL=dsn).returncode == 0
    ending = selvedge(data_dir, "check", DATABASE_URL=dsn)
    assert (ending.returncode, ending.stderr) == (1, "selvedge: wrong: keys\n")
    assert f"of organization {organization}" in ending.stdout

    with psycopg.connect(dsn) as connection:
        connection.execute("delete from _yoyo_migration where migration_id like '0035%'")
    behind = selvedge(data_dir, "check", DATABASE_URL=dsn)
    assert behind.stderr == "selvedge: wrong: schema\n"
    lost = selvedge(data_dir, "check", DATABASE_URL="postgresql://127.0.0.1:1/nowhere")
    assert (lost.returncode, "cannot be reached" in lost.stderr) == (1, True)
    many = selvedge(data_dir, "check", DATABASE_URL=dsn, WORKERS="1000")
    assert (many.returncode, "WORKERS=1000" in many.stderr) == (1, True)
