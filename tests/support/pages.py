"""Pages of docs/ that commands write what they measured into, each its own section."""

import os
import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

RELIABILITY = "Reliability"


def rewrite(page: Path, title: str, command: str, text: str) -> None:
    """Put the text where the command's last one was, or at the end; other sections stay."""
    whole = page.read_text() if page.exists() else f"# {title}\n"
    start, end = f"<!-- written by `{command}` -->\n", f"<!-- end of `{command}` -->\n"
    section = f"{start}\n{text.strip()}\n\n{end}"
    pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if pattern.search(whole):
        whole = pattern.sub(lambda _: section, whole)
    else:
        whole += f"\n{section}"
    page.parent.mkdir(exist_ok=True)
    page.write_text(whole)


def table(rows: Sequence[Sequence[str]]) -> str:
    """The rows as a Markdown table: names to the left, numbers to the right."""
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


def machine(postgres: str, *packages: str) -> str:
    """What something was measured on; ``postgres`` is the server's version."""
    named = ", ".join(f"{name} {version(name)}" for name in ("aiohttp", "asyncpg", *packages))
    return (
        f"{platform.system()} {platform.machine()} with {os.cpu_count()} cores: "
        f"Python {platform.python_version()}, PostgreSQL {postgres}, {named}"
    )
