"""Audit command: `selvedge audit verify`, which checks the hash chains of the audit log."""

from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import asyncpg
import orjson

from service.extras.commands import CommandError, Parsers
from service.extras.commands.administration import identifier
from service.extras.commands.command_database import run
from service.extras.commands.prompts import print_table
from service.organizations import administration, audit
from service.settings import Settings

_Heads: TypeAlias = dict[int, dict[int, str]]
"""Beginnings of logged hashes, by organization id, then by number of the entry."""


def add(parsers: Parsers) -> None:
    """Add the command with its action."""
    parser = parsers.add_parser("audit")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    verifying = actions.add_parser("verify", help="find altered, missing and inserted entries")
    verifying.add_argument("--organization", type=identifier, metavar="ID", help="default: all")
    verifying.add_argument(
        "--log",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="log of the service, whose lines audit_head are compared; may be repeated",
    )
    verifying.set_defaults(run=verify)


def verify(settings: Settings, arguments: Namespace) -> None:
    """Print the newest entry of each organization. Raise CommandError, which names all problems."""
    heads, problems = run(settings, _verify, arguments.organization, _logged(arguments.log))
    print_table(("ORGANIZATION", "ENTRIES", "LAST", "HASH"), heads)
    if problems:
        raise CommandError(f"the audit log was changed: {'; '.join(problems)}")


def _logged(files: Iterable[Path]) -> _Heads:
    """Return the heads in log files; lines of other kinds, and cut ones, are skipped."""
    heads = defaultdict[int, dict[int, str]](dict)
    for file in files:
        for line in file.read_bytes().splitlines():
            # Callers may send the word in a header that the access log shows.
            with suppress(orjson.JSONDecodeError):
                facts = orjson.loads(line) if b'"audit_head"' in line else {}
                if facts.get("event") == "audit_head":
                    heads[facts["organization"]][facts["n"]] = facts["hash"]
    return heads


async def _verify(
    connection: asyncpg.Connection, organization: int | None, logged: _Heads
) -> tuple[list[tuple[int, int, int, str]], list[str]]:
    """Return a row for each chain, and the problems of all of them."""
    rows, problems = list[tuple[int, int, int, str]](), list[str]()
    for each in await administration.rows(connection, "list_organizations"):
        if organization not in (None, each["id"]):
            continue
        ends = await audit.ends(connection, each["id"])
        if ends is not None:
            last = ends["last_n"]
            rows.append((each["id"], last - ends["cleared_n"], last, ends["last_hash"]))
        async for problem in audit.problems(connection, each["id"], logged.get(each["id"], {})):
            problems.append(f"organization {each['id']}: {problem}")
    return rows, problems
