"""Faults: a batch in flight is done wholly or not at all, and the response is true.

``TEST_KILLS`` sets the number of kills in transactions over collections.
The short version of `make faults`; how soon the service is back is measured there alone.
"""

import os
from collections.abc import AsyncIterator, Sequence

import pytest

from tests.faults.campaign import run
from tests.faults.judge import Tally
from tests.faults.kinds import FAULTS, KILLS, Fault
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
    assert sum([tally.rounds for tally in await _struck(set_up, ROUNDS)]) >= ROUNDS


async def _struck(on: OwnServer, rounds: int, faults: Sequence[Fault] = FAULTS) -> list[Tally]:
    """Return the tallies of faults; raise AssertionError if a promise was broken."""
    tallies = [*(await run(on, rounds, lambda _: None, faults)).values()]
    outcomes = [bad for tally in tallies for bad in tally.bad]
    assert [bad for bad in outcomes if bad.wrong or bad.fate == "torn"] == []
    return tallies


@pytest.mark.contract("Transactions over collections")
async def test_no_kill_tears_a_transaction_over_all_collections(set_up: OwnServer) -> None:
    """Of workers, of their PostgreSQL sessions, and of PostgreSQL."""
    kills = int(os.environ.get("TEST_KILLS", examples(3, 6)))
    references = await generate.references(set_up.api)
    set_up.workload = Workload(references, set_up.random, only_transactions=True)
    assert all(tally.rounds for tally in await _struck(set_up, kills, KILLS))
