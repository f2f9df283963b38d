"""Operator input: confirmation prompts, scopes, and the service named by the environment."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from service.console import say, visible
from service.extras.client.transport import service_url
from service.extras.commands import CommandError
from service.resources.scope_names import scope_problem

SCOPES: Final = "read, write or a scope such as styles:write, once for each (default: read)"


def scope(text: str) -> str:
    """Return the text of a scope. Raise ArgumentTypeError if it is none."""
    if problem := scope_problem(text):
        raise ArgumentTypeError(problem)
    return text


def add_yes(parser: ArgumentParser) -> None:
    """Add the option ``--yes``, which confirms in advance."""
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")


def confirm(arguments: Namespace, question: str) -> None:
    """Ask for confirmation, unless ``--yes`` is given; the parser has it by ``add_yes``.

    Raise CommandError for any answer but ``y`` or ``yes`` in any letter case, and if standard input
    is no terminal.
    """
    if arguments.yes:
        return
    if not sys.stdin.isatty():
        raise CommandError(
            "nothing was done: there is no terminal to ask for confirmation; add --yes to confirm"
        )
    say(f"{question} [y/N] ", end="")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError("nothing was done")


def service_from_environment() -> tuple[str, str]:
    """Return SELVEDGE_URL and SELVEDGE_API_KEY.

    Raise CommandError if one is missing or empty, or the URL is not one of http or https.
    """
    url, key = (os.environ.get(name) for name in ("SELVEDGE_URL", "SELVEDGE_API_KEY"))
    if not url or not key:
        raise CommandError("set SELVEDGE_URL and SELVEDGE_API_KEY: address and key of the service")
    try:
        service_url(url)
    except ValueError as error:
        raise CommandError(f"SELVEDGE_URL: {error}") from None
    return url, key


def print_table(titles: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    """Print rows below their titles, in columns, with control characters escaped."""
    lines = [titles, *(tuple(visible(str(cell)) for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    say(*("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines))


def time_text(value: datetime | None) -> str:
    """Return a time in UTC to the second, such as ``2027-01-31T12:00:00Z``; a dash for None."""
    return "-" if value is None else f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
