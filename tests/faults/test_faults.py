"""Faults: a batch in flight is done wholly or not at all, and the response is true.

``TEST_KILLS`` sets the number of kills in transactions over collections.
The short version of `make faults`; how soon the service is back is measured there alone.
"""

import logging
import os
from collections.abc import AsyncIterator

import pytest

from tests.faults.campaign import run
from tests.faults.kinds import KILLS
from tests.faults.stage import OwnServer, stage
from tests.faults.work import Workload
from tests.support import generate
from tests.support.sampling import examples

pytestmark = pytest.mark.contract("Transactions", "Outages", "Idempotency")

ROUNDS = examples(4, 12)
SEED = 4


@pytest.fixture(scope="module")
async def shared_stage() -> AsyncIterator[OwnServer]:
    """The stage of both tests; each fault leaves a service that answers."""
    async with stage(SEED) as made:
        yield made


@pytest.fixture
async def set_up(shared_stage: OwnServer) -> OwnServer:
    """The stage, with the chances of a new one."""
    shared_stage.random.seed(SEED)
    references = await generate.references(shared_stage.api)
    shared_stage.workload = Workload(references, shared_stage.random)
    return shared_stage


async def test_no_fault_tears_a_batch_or_makes_the_service_lie(set_up: OwnServer) -> None:
    tallies = await run(set_up, ROUNDS, lambda _: None)
    outcomes = [bad for tally in tallies.values() for bad in tally.bad]
    assert [bad for bad in outcomes if bad.wrong or bad.fate == "torn"] == []
    assert sum(tally.rounds for tally in tallies.values()) >= ROUNDS


@pytest.mark.contract("Transactions over collections")
async def test_no_kill_tears_a_transaction_over_all_collections(set_up: OwnServer) -> None:
    """Of workers, of their PostgreSQL sessions, and of PostgreSQL."""
    kills = int(os.environ.get("TEST_KILLS", examples(3, 6)))
    references = await generate.references(set_up.api)
    set_up.workload = Workload(references, set_up.random, only_transactions=True)
    tallies = await run(set_up, kills, lambda _: None, KILLS)
    fates = {name: dict(tally.fates) for name, tally in tallies.items()}
    logging.getLogger(__name__).info("%s", fates)
    outcomes = [bad for tally in tallies.values() for bad in tally.bad]
    assert [bad for bad in outcomes if bad.wrong or bad.fate == "torn"] == []
    assert all(tally.rounds for tally in tallies.values())
