"""Dump file: dumps a database into one file and restores it, by pg_dump, pg_restore and psql."""

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
from service.database.statements import load
from service.events import without_secrets
from service.extras.commands import CommandError

_SQL: Final = load("operators/dump_file")


def dump(dsn: str, file: Path, programs: Path | None) -> None:
    """Write the database to a new file that only its owner can read.

    The file appears only when it is complete. ``programs`` is the folder of PostgreSQL's programs,
    None for those on the PATH. Raise CommandError if the file exists, pg_dump fails or is not
    on the PATH, and OSError if the file cannot be created.
    """
    if file.exists():
        raise CommandError(f"{file} exists already: name another file")
    if not file.parent.is_dir():
        raise CommandError(f"there is no folder {file.parent}: create it first")
    unfinished = file.with_name(f"{file.name}.unfinished")
    files.private(unfinished).close()
    try:
        with _start(programs, dsn, "pg_dump", "--format=custom", f"--file={unfinished}") as process:
            _require_success(process)
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)


def restore(dsn: str, file: Path, programs: Path | None, *, is_copy: bool = False) -> None:
    """Restore a file into an empty database in one transaction, and expire its change cursors.

    A copy, which serves beside the original, gets an installation id of its own and its webhooks
    are paused. After the commit analyze the tables. The schema stays that of the dump: the caller
    migrates it. Raise CommandError if the database has a table in the schema ``public``, the file
    is missing or the restore fails, which changes nothing; psycopg.Error if the database cannot be
    reached, before the restore or for the analysis.
    """
    if not file.is_file():
        raise CommandError(f"there is no file {file}")
    with psycopg.connect(dsn) as connection:
        if connection.execute(_SQL["is_empty"].encoded).fetchone() != (True,):
            raise CommandError("the database is not empty: restore into a new one, then use that")
    reader = _start(
        programs, None, "pg_restore", "--file=-", "--no-owner", "--no-privileges", str(file)
    )
    options = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1")
    writer = _start(programs, dsn, "psql", *options, "--output=/dev/null", "--file=-")
    with reader, writer:
        try:
            _pipe(reader, writer, _after_restore(is_copy=is_copy))
        finally:
            # Killed before its end of input, psql commits nothing.
            writer.kill()
            reader.kill()
    with psycopg.connect(dsn, autocommit=True) as connection:
        # A dump has no statistics, and plans made without them read too many rows.
        connection.execute("analyze")


def counts(dsn: str) -> tuple[int, int]:
    """Return the numbers of organizations and of tables."""
    with psycopg.connect(dsn) as connection:
        organizations, tables = connection.execute(_SQL["counts"].encoded).fetchall()[0]
    return organizations, tables


def _pipe(
    reader: "subprocess.Popen[bytes]", writer: "subprocess.Popen[bytes]", last_statements: str
) -> None:
    """Pipe the reader's output into the writer; add the last statements if the reader succeeds.

    Raise CommandError if either fails.
    """
    assert reader.stdout is not None
    assert writer.stdin is not None
    try:
        shutil.copyfileobj(reader.stdout, writer.stdin)
        _require_success(reader)
        writer.stdin.write(last_statements.encode())
        writer.stdin.close()
    except BrokenPipeError:
        pass  # the writer has failed, and its standard error says why
    _require_success(writer)


def end_cursors(dsn: str, *, is_copy: bool = False) -> None:
    """Begin a new epoch of the change feed: cursors issued before get 410 (contract, Changes).

    Problem: changes made after the dump, or after the point of recovery, are missing here, and
    their sequence numbers are assigned again to other changes. Lists with ``changedSince`` do not
    go back beyond now. A copy gets an installation id of its own, and its webhooks are paused. All
    is one transaction. Raise psycopg.Error if it fails.
    """
    with psycopg.connect(dsn) as connection:
        connection.execute(_after_restore(is_copy=is_copy).encode())


def _after_restore(*, is_copy: bool) -> str:
    """Return the statements that expire cursors, and give a copy an id of its own."""
    statements = [_SQL["end_cursors"].fill(epoch=str(secrets.randbits(53)))]
    if is_copy:
        statements.append(_SQL["new_installation"].fill(id=str(uuid.uuid4())))
    return ";\n".join([*statements, ""])


def _start(
    folder: Path | None, dsn: str | None, name: str, *options: str
) -> "subprocess.Popen[bytes]":
    """Start a program of PostgreSQL; raise CommandError if it is to be on the PATH and is not.

    Its environment has the password of the DSN, as other users can read arguments.
    """
    path = shutil.which(name) if folder is None else str(folder / name)
    if path is None:
        raise CommandError(f"there is no {name} here: install PostgreSQL's client programs")
    database_options, environment = _connection_options(dsn)
    return subprocess.Popen(
        [path, *options, *database_options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )


def _connection_options(dsn: str | None) -> tuple[list[str], Mapping[str, str]]:
    """Split a DSN into command-line options without the password, and environment variables."""
    if dsn is None:
        return [], {}
    parts = {name: str(value) for name, value in conninfo_to_dict(dsn).items()}
    password = parts.pop("password", None)
    return [f"--dbname={make_conninfo('', **parts)}"], {"PGPASSWORD": password} if password else {}


def _require_success(process: "subprocess.Popen[bytes]") -> None:
    """Wait until a process ends; raise CommandError with one line of its messages if it failed."""
    stderr: IO[bytes] | None = process.stderr
    assert stderr is not None
    lines = stderr.read().decode(errors="replace").splitlines()
    if process.wait():
        message = next((line for line in lines if "error" in line.lower()), " ".join(lines[-1:]))
        if "unsupported version" in message or "unrecognized configuration parameter" in message:
            message += (
                " (the dump is of a newer PostgreSQL: `selvedge copy` moves an installation"
                " between versions)"
            )
        raise CommandError(without_secrets(message or f"code {process.returncode}"))
