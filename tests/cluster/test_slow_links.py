"""Tests of slow and cut links to a node: organizations on other nodes are served as before."""

from typing import Final

import pytest

from tests.cluster.callers import CALLERS, all_readable_again, assert_served, campaign, refusals
from tests.cluster.environment import home_of, stage
from tests.cluster.link import linked
from tests.support.api import Api, issue_key

pytestmark = pytest.mark.measures

SEED: Final = 6
SECONDS: Final = 10


@pytest.mark.parametrize(("delay", "counts_as_hung"), [(0.02, False), (0.2, True)])
async def test_the_others_are_served_while_a_link_is_slow(
    demo_dsn: str, delay: float, counts_as_hung: bool
) -> None:
    """Each way takes the delay."""
    async with linked(demo_dsn, await home_of(demo_dsn)) as link, stage(demo_dsn, SEED) as set_up:
        other = Api(set_up.api.client, await issue_key(demo_dsn, 2))
        calm = await campaign(set_up.api, other, SECONDS)
        assert refusals(calm.own) == []
        link.delay = delay
        slow = await campaign(set_up.api, other, SECONDS)
        link.delay = 0
        calm.report("calm")
        slow.report("slow")
        back = await all_readable_again(set_up, [*calm.own, *slow.own])
    print(f"{len(refusals(slow.own))} refusals, readable again after {back:.3f} s")
    assert_served(calm, slow)
    assert (refusals(slow.own) != []) == counts_as_hung


async def test_the_others_are_served_while_a_link_is_cut(demo_dsn: str) -> None:
    async with linked(demo_dsn, await home_of(demo_dsn)) as link, stage(demo_dsn, SEED) as set_up:
        other = Api(set_up.api.client, await issue_key(demo_dsn, 2))
        calm = await campaign(set_up.api, other, SECONDS)
        assert refusals(calm.own) == []
        async with link.cut():
            cut = await campaign(set_up.api, other, SECONDS)
        calm.report("calm")
        cut.report("cut")
        back = await all_readable_again(set_up, [*calm.own, *cut.own])
    print(f"{len(refusals(cut.own))} refusals, readable again after {back:.3f} s")
    assert_served(calm, cut)
    assert len(refusals(cut.own)) > 2 * CALLERS
