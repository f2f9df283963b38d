"""Replica that stays equal whatever is killed; the short version of what `make faults` does."""

import pytest

from tests.faults.replica import stays_equal
from tests.faults.stage import stage

pytestmark = pytest.mark.contract("Changes")

STRIKES = 2
SEED = 7


async def test_a_copy_stays_equal_whatever_is_killed() -> None:
    async with stage(SEED) as set_up:
        replicas = await stays_equal(set_up, STRIKES, lambda _: None)
    assert all(replica.seen for replica in replicas)
