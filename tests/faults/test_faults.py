"""Faults: a batch in flight is done wholly or not at all, and the response is true.

The short version of `make faults`; how soon the service is back is measured there alone.
"""

import pytest

from tests.faults.campaign import run
from tests.faults.stage import stage

pytestmark = pytest.mark.contract("Transactions", "Outages", "Idempotency")

ROUNDS = 12
SEED = 4


async def test_no_fault_tears_a_batch_or_makes_the_service_lie() -> None:
    async with stage(SEED) as set_up:
        tallies = await run(set_up, ROUNDS, lambda _: None)
    outcomes = [bad for tally in tallies.values() for bad in tally.bad]
    assert [bad for bad in outcomes if bad.wrong or bad.fate == "torn"] == []
    assert sum(tally.rounds for tally in tallies.values()) >= ROUNDS
