"""`make attack`: every attack for some seconds, printed, and written to docs/reliability.md."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import asyncpg

from service.http.connections import raise_file_limit
from tests.attacks import fairness, report
from tests.attacks.campaign import Outcome, attack, chosen
from tests.attacks.fairness import Share
from tests.attacks.scenarios import scenarios
from tests.support.databases import template_server
from tests.support.pages import RELIABILITY, rewrite

_SHARES = "shares"


async def _version(dsn: str) -> str:
    connection = await asyncpg.connect(dsn)
    try:
        return str(await connection.fetchval("show server_version"))
    finally:
        await connection.close()


def _attack_all(server_dsn: str, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
    outcomes = {}
    for scenario in chosen(names):
        print(f"{scenario.name}: {scenario.title} ...", flush=True)
        outcome = asyncio.run(attack(scenario, server_dsn, seconds))
        outcomes[scenario.title] = outcome
        print(report.results({scenario.title: outcome}))
        print(dict(outcome.answers), "broken:", report.broken(outcome), end="\n\n", flush=True)
    return outcomes


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="of each attack")
    parser.add_argument(
        "--only",
        nargs="*",
        default=[],
        choices=[*(each.name for each in scenarios()), _SHARES],
        help="what is not chosen is not written to the report either",
    )
    parser.add_argument("--report", type=Path, help="the document to write, when all were run")
    return parser


def main() -> int:
    """Run; the exit status is 1 when a promise was broken."""
    arguments = _parser().parse_args()
    raise_file_limit()
    names, found = arguments.only, dict[str, Share]()
    with template_server() as server_dsn:
        outcomes = {} if names == [_SHARES] else _attack_all(server_dsn, names, arguments.seconds)
        if not names or _SHARES in names:
            found = asyncio.run(fairness.measure(server_dsn, arguments.seconds))
            print(report.shares(found))
        postgres = asyncio.run(_version(server_dsn))
    print(report.verdict(outcomes))
    if arguments.report is not None and not names:
        text = report.document(outcomes, found, arguments.seconds, postgres)
        rewrite(arguments.report, RELIABILITY, "make attack", text)
    return 1 if report.unfair(found) or any(map(report.broken, outcomes.values())) else 0


if __name__ == "__main__":
    sys.exit(main())
