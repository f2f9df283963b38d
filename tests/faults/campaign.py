"""Rounds of every fault, dealt out and added up."""

from collections.abc import Callable, Iterator, Sequence

from tests.faults.judge import Tally
from tests.faults.kinds import FAULTS, Fault
from tests.faults.stage import Stage


def deal(rounds: int, faults: Sequence[Fault] = FAULTS) -> Iterator[tuple[Fault, int]]:
    """Each fault with how many of the rounds are its, at least one."""
    shares = sum(fault.share for fault in faults)
    for fault in faults:
        yield fault, max(1, round(rounds * fault.share / shares))


async def run(
    stage: Stage,
    rounds: int,
    progress: Callable[[int], object],
    faults: Sequence[Fault] = FAULTS,
) -> dict[str, Tally]:
    """The tally of each fault; `progress` is called with how many more rounds were done."""
    tallies = {}
    for fault, wanted in deal(rounds, faults):
        tally = tallies[fault.name] = Tally()
        while tally.rounds < wanted:
            outcomes = await fault.strike(stage)
            for outcome in outcomes:
                tally.add(outcome)
            progress(len(outcomes))
    return tallies
