"""A database as one file, and back, by PostgreSQL's own programs."""

import os
import secrets
import shutil
import subprocess
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service import files
from service.events import without_secrets

_NEW_INSTALLATION: Final = """
do $$ begin
    if to_regclass('public.installation') is not null then
        update public.installation set id = '{id}';
    end if;
end $$;
"""
"""In a dump of a release without the table, migrating makes the id."""
_IS_EMPTY: Final = """
    select not exists (
        select 1 from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    )
"""


class DumpError(Exception):
    """It cannot be dumped or restored; the message is one line fit for the operator."""


def dump(dsn: str, file: Path, programs: Path | None) -> None:
    """Write the database to a file that is there whole or not, and readable by its owner alone.

    The programs are those in a folder, or else on the path. Raises DumpError.
    """
    if file.exists():
        raise DumpError(f"{file} is there already")
    unfinished = file.with_name(f"{file.name}.unfinished")
    files.private(unfinished).close()
    try:
        with _program(
            programs, dsn, "pg_dump", "--format=custom", f"--file={unfinished}"
        ) as dumping:
            _require_success(dumping)
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)


def restore(dsn: str, file: Path, programs: Path | None, *, is_copy: bool = False) -> None:
    """Fill an empty database from a file, whole or not at all, and end the cursors of changes.

    A copy, which serves beside the original, gets an installation id of its own. Raises DumpError,
    also where the database is not empty: nothing is ever lost by it.
    """
    if not file.is_file():
        raise DumpError(f"there is no file {file}")
    with psycopg.connect(dsn) as connection:
        if connection.execute(_IS_EMPTY).fetchone() != (True,):
            raise DumpError("the database is not empty; restore into a new one, and then use that")
    reading = _program(
        programs, None, "pg_restore", "--file=-", "--no-owner", "--no-privileges", str(file)
    )
    options = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1")
    writing = _program(programs, dsn, "psql", *options, "--output=/dev/null", "--file=-")
    with reading, writing:
        try:
            _pass_on(reading, writing, _after_restore(is_copy=is_copy))
        finally:
            # What is not complete is not committed.
            writing.kill()
            reading.kill()
    with psycopg.connect(dsn, autocommit=True) as connection:
        # A dump has no statistics, and plans made without any read too much.
        connection.execute("analyze")


def _pass_on(
    reading: "subprocess.Popen[bytes]", writing: "subprocess.Popen[bytes]", last: str
) -> None:
    assert reading.stdout is not None
    assert writing.stdin is not None
    try:
        shutil.copyfileobj(reading.stdout, writing.stdin)
        _require_success(reading)
        writing.stdin.write(last.encode())
        writing.stdin.close()
    except BrokenPipeError:
        pass  # it says why
    _require_success(writing)


def end_cursors(dsn: str, *, is_copy: bool = False) -> None:
    """Begin another epoch of every organization's changes: cursors given before are 410.

    What was changed since the dump, or since the moment that was recovered, may be missing here,
    and its numbers come again for other changes. A copy gets an installation id of its own.
    """
    with psycopg.connect(dsn) as connection:
        connection.execute(_after_restore(is_copy=is_copy).encode())


def _after_restore(*, is_copy: bool) -> str:
    """Return the statements that end the cursors and, for a copy, set another installation id."""
    text = f"update public.change_feed set epoch = {secrets.randbits(62)};\n"
    return text + _NEW_INSTALLATION.format(id=uuid.uuid4()) if is_copy else text


def _program(
    folder: Path | None, dsn: str | None, name: str, *options: str
) -> "subprocess.Popen[bytes]":
    """A program at work; a password goes to it through its environment, which others cannot see."""
    path = shutil.which(name) if folder is None else str(folder / name)
    if path is None:
        raise DumpError(f"there is no {name} here: install PostgreSQL's client programs")
    told, password = _without_password(dsn)
    return subprocess.Popen(
        [path, *options, *told],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **password},
    )


def _without_password(dsn: str | None) -> tuple[list[str], Mapping[str, str]]:
    if dsn is None:
        return [], {}
    parts = {name: str(value) for name, value in conninfo_to_dict(dsn).items()}
    password = parts.pop("password", None)
    return [f"--dbname={make_conninfo('', **parts)}"], {"PGPASSWORD": password} if password else {}


def _require_success(process: "subprocess.Popen[bytes]") -> None:
    """Wait for its end; raises DumpError with what it said."""
    errors: IO[bytes] | None = process.stderr
    assert errors is not None
    said = errors.read().decode(errors="replace").splitlines()
    if process.wait():
        why = next((line for line in said if "error" in line.lower()), "")
        raise DumpError(without_secrets(why or " ".join(said[-1:]) or f"code {process.returncode}"))
