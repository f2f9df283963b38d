"""A batch in flight is done wholly or not at all, and its caller is told which.

The short version of `make faults`.
"""

from tests.faults.campaign import run
from tests.faults.stage import stage

ROUNDS = 40
SEED = 4


async def test_no_fault_tears_a_batch_or_makes_the_service_lie() -> None:
    async with stage(SEED) as set_up:
        tallies = await run(set_up, ROUNDS, lambda _: None)
    assert [bad for tally in tallies.values() for bad in tally.bad] == []
    assert sum(tally.rounds for tally in tallies.values()) >= ROUNDS
