"""Faults: a batch in flight is done wholly or not at all, and the response is true.

``TEST_KILLS`` sets the number of kills in transactions over collections.
The short version of `make faults`; how soon the service is back is measured there alone.
"""

import logging
import os

import pytest

from tests.faults.campaign import run
from tests.faults.kinds import KILLS
from tests.faults.stage import stage
from tests.faults.work import Workload
from tests.support import generate

pytestmark = pytest.mark.contract("Transactions", "Outages", "Idempotency")

ROUNDS = 12
SEED = 4


async def test_no_fault_tears_a_batch_or_makes_the_service_lie() -> None:
    async with stage(SEED) as set_up:
        tallies = await run(set_up, ROUNDS, lambda _: None)
    outcomes = [bad for tally in tallies.values() for bad in tally.bad]
    assert [bad for bad in outcomes if bad.wrong or bad.fate == "torn"] == []
    assert sum(tally.rounds for tally in tallies.values()) >= ROUNDS


@pytest.mark.contract("Transactions over collections")
async def test_no_kill_tears_a_transaction_over_all_collections() -> None:
    """Of workers, of their PostgreSQL sessions, and of PostgreSQL."""
    kills = int(os.environ.get("TEST_KILLS", "6"))
    async with stage(SEED) as set_up:
        references = await generate.references(set_up.api)
        set_up.workload = Workload(references, set_up.random, only_transactions=True)
        tallies = await run(set_up, kills, lambda _: None, KILLS)
    fates = {name: dict(tally.fates) for name, tally in tallies.items()}
    logging.getLogger(__name__).info("%s", fates)
    outcomes = [bad for tally in tallies.values() for bad in tally.bad]
    assert [bad for bad in outcomes if bad.wrong or bad.fate == "torn"] == []
    assert all(tally.rounds for tally in tallies.values())
