"""Fault campaign of ``make faults``: many rounds of every fault, written to docs/reliability.md."""

import asyncio
import sys

from tests.faults import campaign, replica, report
from tests.faults.judge import Tally
from tests.faults.stage import stage
from tests.support.campaign import Campaign
from tests.support.reports import server_version


async def _inject(command: Campaign, rounds: int, seed: int) -> tuple[dict[str, Tally], str]:
    """Return the tallies, and the version of PostgreSQL."""
    total = sum(count for _, count in campaign.deal(rounds))
    with command.progress(total, "round") as on_progress:
        async with stage(seed) as set_up:
            tallies = await campaign.run(set_up, rounds, on_progress)
            return tallies, server_version(set_up.dsn)


async def _follow(command: Campaign, strikes: int, seed: int) -> int:
    """Return the number of entries that replicas followed; raise AssertionError if one differs."""
    with command.progress(strikes, "strike") as on_progress:
        async with stage(seed) as set_up:
            replicas = await replica.stays_equal(set_up, strikes, on_progress)
            return sum(len(copy.seen) for copy in replicas)


def main() -> int:
    """Run the campaign; return 1 if a promise was broken."""
    command = Campaign("make faults", __doc__)
    command.parser.add_argument("--rounds", type=int, default=1000, help="of all faults together")
    command.parser.add_argument("--strikes", type=int, default=100, help="at followed replicas")
    command.parser.add_argument("--seed", type=int, default=1)
    arguments = command.parse()
    tallies, postgres = asyncio.run(_inject(command, arguments.rounds, arguments.seed))
    entries = asyncio.run(_follow(command, arguments.strikes, arguments.seed))
    print(f"Replicas were equal after {arguments.strikes} strikes and {entries} entries.")
    print(report.results(tallies), report.responses(tallies), sep="\n\n")
    section = report.section(tallies, arguments.seed, postgres)
    bad = [f"{name}: {outcome}" for name, tally in tallies.items() for outcome in tally.bad]
    return command.conclude(section, bad)


if __name__ == "__main__":
    sys.exit(main())
