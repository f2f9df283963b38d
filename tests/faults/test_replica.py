"""Replica that stays equal whatever is killed; the short version of what `make faults` does.

``TEST_KILLS`` and ``TEST_WRITES`` set the number of kills and the least number of random writes;
``--log-cli-level=INFO --log-disable=aiohttp.access`` shows what they were.
"""

import os

import pytest

from tests.faults.replica import stays_equal
from tests.faults.stage import stage

pytestmark = pytest.mark.contract("Changes")

STRIKES = int(os.environ.get("TEST_KILLS", "2"))
WRITES = int(os.environ.get("TEST_WRITES", "0"))
SEED = 7


@pytest.mark.thorough
async def test_a_copy_stays_equal_whatever_is_killed() -> None:
    async with stage(SEED) as set_up:
        await stays_equal(set_up, STRIKES, lambda _: None, WRITES)
