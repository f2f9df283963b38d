"""Fault test of deliveries: receivers, workers and the database fail, and nothing is lost.

The number of changes and of webhooks is small in `make test`; TEST_WEBHOOK_CHANGES and
TEST_WEBHOOKS set others. Each organization has as many webhooks as it may have.
``--log-cli-level=INFO --log-disable=aiohttp.access`` shows what was delivered.
"""

import asyncio
import contextlib
import logging
import os
import time
from collections import Counter
from contextlib import AsyncExitStack
from math import ceil
from random import Random
from typing import Any, Final

import aiohttp
import pytest

from service.limits import MAX_WEBHOOKS
from service.organizations.administration import create_organization
from tests.faults.receivers import KINDS, TroubledReceiver, troubled
from tests.faults.stage import OwnServer, stage
from tests.support.api import Answer, Api, issue_key
from tests.support.receivers import HOOKS, LOOPBACK
from tests.support.time_limits import within

CHANGES: Final = int(os.environ.get("TEST_WEBHOOK_CHANGES") or "160")
WEBHOOKS: Final = int(os.environ.get("TEST_WEBHOOKS") or "6")
_LOG: Final = logging.getLogger(__name__)
_MERGE: Final = "application/merge-patch+json"
_SEED: Final = 5
_STRIKES: Final = 4
_MOST_ITEMS: Final = 100 if CHANGES > 10_000 else 3
"""Largest number of changes of a transaction."""
_SECONDS: Final = 60 + CHANGES // 50
"""Time limit of the last deliveries, once the trouble is over."""


@pytest.mark.thorough
@pytest.mark.contract("Deliveries")
async def test_nothing_is_lost_whatever_fails() -> None:
    async with stage(_SEED, WEBHOOK_PRIVATE_ADDRESSES=LOOPBACK) as on, AsyncExitStack() as stack:
        callers = [Api(on.api.client, await _key(on, n)) for n in range(_organizations())]
        receivers = []
        for number in range(WEBHOOKS):
            kind = KINDS[number % len(KINDS)]
            receiver = await stack.enter_async_context(troubled(kind, Random(number)))
            await insist(callers[number % len(callers)], "POST", HOOKS, {"url": receiver.url})
            receivers.append(receiver)
        await _write(on, callers)
        for receiver in receivers:
            receiver.is_over.set()
        _log("when the trouble ends", receivers)
        await asyncio.gather(*map(_settled, callers))
        _log("in the end", receivers)
        changes = 0
        for number, caller in enumerate(callers):
            feed = await _whole_feed(caller)
            changes += len(feed)
            for receiver in receivers[number :: len(callers)]:
                receiver.check(feed)
        assert changes >= CHANGES
        _LOG.info("%s changes arrived at all %s webhooks, in order", changes, len(receivers))


def _log(when: str, receivers: list[TroubledReceiver]) -> None:
    """Log the messages by the status that they were answered with, and the repeated ones."""
    arrivals = [arrival for receiver in receivers for arrival in receiver.arrivals]
    statuses = Counter(arrival.status for arrival in arrivals)
    acknowledged = [
        (receiver.url, arrival.id) for receiver in receivers for arrival in receiver.acknowledged
    ]
    repeats = len(acknowledged) - len(set(acknowledged))
    _LOG.info("%s: %s messages, %s acknowledged again", when, dict(statuses), repeats)


def _organizations() -> int:
    """Return the number of organizations that the webhooks need, at least the two of the demo."""
    return max(2, ceil(WEBHOOKS / MAX_WEBHOOKS))


async def _key(on: OwnServer, number: int) -> str:
    """Return a key of an organization, which is created unless the demo data have it."""
    async with on.connection() as connection:
        organization_id = number + 1
        if number > 1:
            organization_id = await create_organization(
                connection, f"Organization {number}", multiple_language=False, pro=False
            )
    return await issue_key(on.dsn, organization_id)


async def _write(on: OwnServer, callers: list[Api]) -> None:
    """Make the changes, and strike now and then."""
    strikes = [on.kill_workers, on.kill_backend, on.kill_postgres, on.end_sessions]
    random, made, started = Random(_SEED), 0, time.monotonic()
    while made < CHANGES:
        groups = [{"name": f"Knit {made}"}] * random.randint(1, _MOST_ITEMS)
        await insist(random.choice(callers), "POST", "/api/groups", groups)
        made += len(groups)
        if strikes and made > CHANGES * (_STRIKES - len(strikes) + 1) // (_STRIKES + 1):
            await strikes.pop()()
    _LOG.info("%s changes written in %.0f s", made, time.monotonic() - started)


async def insist(api: Api, method: str, path: str, body: Any = None, **options: Any) -> Answer:
    """Return the successful response to a request, which is repeated until it has one."""
    while True:
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            answer = await api.call(method, path, body, **options)
            if answer.status < 300:
                return answer
            assert answer.status in (429, 503), answer.raw
        await asyncio.sleep(0.05)


async def _whole_feed(api: Api) -> list[Any]:
    """Return all entries of the feed, in order."""
    feed, after = list[Any](), 0
    while page := (await insist(api, "GET", f"/api/changes?limit=1000&after={after}")).data:
        feed += page
        after = feed[-1]["n"]
    return feed


async def _settled(api: Api) -> None:
    """Wait until no webhook lacks a change; have those that do try at once."""
    async with within(_SECONDS):
        while late := [
            webhook["id"]
            for webhook in (await insist(api, "GET", HOOKS)).data
            if webhook["lag"]["transactions"]
        ]:
            # The next try may be far away: backoff has grown in the meantime.
            for webhook_id in late:
                await insist(api, "PATCH", f"{HOOKS}/{webhook_id}", {}, content_type=_MERGE)
            await asyncio.sleep(0.2)
