"""Report sections: each command that measures writes its own section of a document in docs/."""

import os
import platform
import re
import subprocess
import sysconfig
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

import psutil
import psycopg

_ROOT: Final = Path(__file__).parents[2]


def write_section(document: Path, command: str, text: str) -> None:
    """Replace the command's section of a document, or append it; other sections stay."""
    whole = document.read_text() if document.exists() else f"# {document.stem.capitalize()}\n"
    start, end = _marks(command)
    if start not in whole:
        whole += f"\n{start}{end}"
    document.parent.mkdir(exist_ok=True)
    document.write_text(with_section(whole, command, f"\n{text.strip()}\n\n"))


def with_section(whole: str, command: str, text: str, prefix: str = "") -> str:
    """Return a file's text with new text between the marks of the command.

    ``prefix`` begins a comment in the file's language. Raise ValueError if the marks are missing.
    """
    start, end = _marks(command, prefix)
    before, start_mark, rest = whole.partition(start)
    _, end_mark, after = rest.partition(end)
    if not start_mark or not end_mark:
        raise ValueError(f"The marks {start!r} and {end!r} are missing.")
    return f"{before}{start}{text}{end}{after}"


def _marks(command: str, prefix: str = "") -> tuple[str, str]:
    """Return the lines before and after the section that the command writes."""
    start, end = f"<!-- written by `{command}` -->\n", f"<!-- end of `{command}` -->\n"
    return f"{prefix}{start}", f"{prefix}{end}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a Markdown table: the first column to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    rule = [f"{'-' * (width - 1)}{':' if number else '-'}" for number, width in enumerate(widths)]
    lines = [
        " | ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in (rows[0], rule, *rows[1:])
    ]
    return "\n".join(f"| {line} |" for line in lines)


def commit() -> str:
    """Return the commit that is measured; the documents, which measurements write, do not count."""
    head = _git("rev-parse", "--short", "HEAD")
    if not head:
        return "unknown"
    changes = _git("status", "--porcelain", "--", ".", *_DOCUMENTS)
    return f"`{head}`" + (" and uncommitted changes" if changes else "")


_DOCUMENTS: Final = [f":(exclude,glob)docs/*.{ending}" for ending in ("md", "png")]


def _git(*arguments: str) -> str:
    """Return what git prints, or nothing where there is no git or no repository."""
    try:
        return subprocess.run(
            ["git", *arguments], cwd=_ROOT, check=True, capture_output=True, text=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


COMMIT: Final = commit()
"""Taken on import: what is edited during a run of minutes was not measured."""


def server_version(dsn: str) -> str:
    """Return the version of a PostgreSQL server, as it tells it."""
    with psycopg.connect(dsn) as connection:
        [version_text] = connection.execute("show server_version").fetchall()[0]
    return str(version_text)


def measured_on(postgres: str, *packages: str) -> str:
    """Return commit, host and versions, a line each; `postgres` is the server's version."""
    memory = psutil.virtual_memory().total / 2**30
    versions = [f"{name} {version(name)}" for name in ("aiohttp", "asyncpg", *packages)]
    system = f"{platform.system()} {platform.machine()}"
    return (
        f"Measured on commit {COMMIT}.\n"
        f"Machine: {_processor()}, {os.cpu_count()} cores, {memory:.0f} GB, {system}.\n"
        f"Versions: Python {platform.python_version()} ({_build()}), PostgreSQL {postgres}, "
        f"{', '.join(versions)}."
    )


def _build() -> str:
    arguments, flags = map(sysconfig.get_config_var, ("CONFIG_ARGS", "PY_CFLAGS"))
    is_optimized = "--enable-optimizations" in (arguments or "") or "-fprofile-use" in (flags or "")
    return "built with optimizations" if is_optimized else "built without optimizations"


def _processor() -> str:
    try:
        names = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        names = []
    return names[0] if names else "unknown processor"
