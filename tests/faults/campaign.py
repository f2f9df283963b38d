"""Rounds of every fault: dealt out by share, and added up."""

from collections.abc import Iterator, Sequence

from tests.faults.judge import Tally
from tests.faults.kinds import FAULTS, Fault
from tests.faults.stage import Stage
from tests.support.campaign import Progress, Rounds


def deal(total: int, faults: Sequence[Fault] = FAULTS) -> Iterator[tuple[Fault, int]]:
    """Yield each fault with its number of the rounds, at least one."""
    shares = sum(fault.share for fault in faults)
    for fault in faults:
        yield fault, max(1, round(total * fault.share / shares))


async def run(
    stage: Stage, total: int, on_progress: Progress, faults: Sequence[Fault] = FAULTS
) -> dict[str, Tally]:
    """Return fault -> tally of its rounds."""
    tallies = {}
    for fault, count in deal(total, faults):
        tally, rounds = Tally(), Rounds(count, on_progress)
        tallies[fault.name] = tally
        while rounds.left:
            outcomes = await fault.strike(stage)
            for outcome in outcomes:
                tally.add(outcome)
            rounds.count(len(outcomes))
    return tallies
