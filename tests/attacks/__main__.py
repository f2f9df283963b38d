"""Attack campaign of ``make attack``: every attack in turn, written to docs/reliability.md."""

import asyncio
import sys
from collections.abc import Sequence

from service.http.connections import raise_file_limit
from tests.attacks import fairness, report
from tests.attacks.campaign import Outcome, attack, chosen
from tests.attacks.fairness import Share
from tests.attacks.scenarios import scenarios
from tests.support.campaign import Campaign
from tests.support.databases import template_server
from tests.support.reports import server_version

_SHARES = "shares"


def _attack_all(server_dsn: str, names: Sequence[str], seconds: float) -> dict[str, Outcome]:
    outcomes = {}
    for scenario in chosen(names):
        print(f"{scenario.name}: {scenario.title} ...", flush=True)
        outcome = asyncio.run(attack(scenario, server_dsn, seconds))
        outcomes[scenario.title] = outcome
        print(report.results({scenario.title: outcome}))
        print(dict(outcome.answers), "broken:", report.broken(outcome), end="\n\n", flush=True)
    return outcomes


def main() -> int:
    """Run the campaign; return 1 if a promise was broken. A part of it writes no section."""
    command = Campaign("make attack", __doc__)
    command.parser.add_argument("--seconds", type=float, default=10, help="of each attack")
    choices = [*(scenario.name for scenario in scenarios()), _SHARES]
    command.parser.add_argument("--only", nargs="*", default=[], choices=choices)
    arguments = command.parse()
    raise_file_limit()
    names, seconds, shares = arguments.only, arguments.seconds, dict[str, Share]()
    with template_server() as server_dsn:
        outcomes = {} if names == [_SHARES] else _attack_all(server_dsn, names, seconds)
        if not names or _SHARES in names:
            shares = asyncio.run(fairness.measure(server_dsn, seconds))
            print(report.shares(shares))
        postgres = server_version(server_dsn)
    section = None if names else report.section(outcomes, shares, seconds, postgres)
    return command.conclude(section, report.failures(outcomes, shares))


if __name__ == "__main__":
    sys.exit(main())
