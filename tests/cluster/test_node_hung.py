"""Tests of a hung node: organizations on other nodes are served as if nothing were."""

from typing import Final

import pytest

from tests.cluster.callers import CALLERS, all_readable_again, assert_served, campaign, refusals
from tests.cluster.environment import stage
from tests.support.api import Api, issue_key

SEED: Final = 5
CALM_SECONDS: Final = 10
HUNG_SECONDS: Final = 25


@pytest.mark.measures
async def test_the_others_are_served_while_a_node_hangs(demo_dsn: str) -> None:
    async with stage(demo_dsn, SEED) as set_up:
        other = Api(set_up.api.client, await issue_key(demo_dsn, 2))
        calm = await campaign(set_up.api, other, CALM_SECONDS)
        assert refusals(calm.own) == []
        async with set_up.hung_node():
            hung = await campaign(set_up.api, other, HUNG_SECONDS)
        calm.report("calm")
        hung.report("hung")
        back = await all_readable_again(set_up, [*calm.own, *hung.own])
        print(f"readable again after {back:.3f} s")
        assert_served(calm, hung)
        assert len(refusals(hung.own)) > 2 * CALLERS
