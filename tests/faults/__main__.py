"""`make faults`: many rounds of every fault, printed, and written to docs/reliability.md."""

import argparse
import asyncio
import sys
from pathlib import Path

from tqdm import tqdm

from tests.faults import campaign, replica, report
from tests.faults.judge import Tally
from tests.faults.stage import POOL_SIZE, WORKERS, stage
from tests.faults.work import SIZE
from tests.support.pages import RELIABILITY, rewrite


async def _run(rounds: int, seed: int) -> tuple[dict[str, Tally], str]:
    """The tallies, and the version of PostgreSQL."""
    with tqdm(total=sum(count for _, count in campaign.deal(rounds)), unit="round") as bar:
        async with stage(seed) as set_up:
            tallies = await campaign.run(set_up, rounds, bar.update)
            async with set_up.connection() as connection:
                return tallies, await connection.fetchval("show server_version")


async def _follow(strikes: int, seed: int) -> int:
    """How many entries were followed; raises AssertionError where a copy is not equal."""
    with tqdm(total=strikes, unit="strike") as bar:
        async with stage(seed) as set_up:
            replicas = await replica.stays_equal(set_up, strikes, bar.update)
            return sum(len(one.seen) for one in replicas)


def main() -> int:
    """Run; the exit status is 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000, help="over all faults together")
    parser.add_argument("--strikes", type=int, default=100, help="while copies are kept equal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="the document to write")
    arguments = parser.parse_args()
    tallies, postgres = asyncio.run(_run(arguments.rounds, arguments.seed))
    entries = asyncio.run(_follow(arguments.strikes, arguments.seed))
    print(f"copies were equal after {arguments.strikes} strikes and {entries} entries")
    print(report.results(tallies), report.told(tallies), sep="\n\n")
    bad = [(name, outcome) for name, tally in tallies.items() for outcome in tally.bad]
    for name, outcome in bad:
        print(name, outcome, sep=": ")
    if arguments.report is not None:
        facts = {"size": SIZE, "workers": WORKERS, "pool": POOL_SIZE}
        text = report.document(tallies, arguments.seed, postgres, facts)
        rewrite(arguments.report, RELIABILITY, "make faults", text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
