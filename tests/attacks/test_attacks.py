"""Attacks in small: another organization is served throughout, and nothing fails inside.

The short version of `make attack`, which measures too.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from service.http.parser_errors import PARSER_LIMITS
from tests.attacks.attacker import Attacker
from tests.attacks.bystander import watch
from tests.attacks.campaign import prepared, strike
from tests.attacks.prepare import ATTACKER, OTHER
from tests.attacks.scenarios import Scenario, scenarios
from tests.support.api import issue_key
from tests.support.databases import demo_database
from tests.support.receivers import LOOPBACK
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Shares", "Budgets")

SECONDS = 0.3
SCALE = 0.01
#: Fewer than the attacks open.
CONNECTIONS = 150


@dataclass(frozen=True)
class Attacked:
    """Service for both organizations."""

    dsn: str
    port: int
    attacker: str
    """Key of the organization that attacks."""
    other: str
    """Key of the other organization."""


@pytest.fixture(scope="session")
async def attacked(server_dsn: str, worker_id: str) -> AsyncIterator[Attacked]:
    """Serve one service for all attacks of a worker of pytest-xdist."""
    dsn = demo_database(server_dsn, f"attacked_{worker_id}")
    keys = [await issue_key(dsn, organization) for organization in (ATTACKER, OTHER)]
    reading = PARSER_LIMITS | {"connections": CONNECTIONS}
    async with serving(dsn, reading, WEBHOOK_PRIVATE_ADDRESSES=LOOPBACK) as server:
        yield Attacked(dsn, server.port or 0, *keys)


@pytest.mark.parametrize("scenario", [*scenarios()], ids=lambda scenario: scenario.name)
async def test_another_organization_is_served(scenario: Scenario, attacked: Attacked) -> None:
    made = await prepared(scenario, attacked.dsn, SCALE)
    attacker = Attacker(attacked.port, attacked.attacker, SCALE, made)
    stop = asyncio.Event()
    watching = asyncio.create_task(watch(attacked.port, attacked.other, stop))
    await strike(scenario, attacker, SECONDS)
    stop.set()
    record = await watching
    assert (record.unserved, record.unready) == (0, 0)
    assert record.reads["200"] > 1
    assert not [status for status in attacker.answers if status.startswith("5")]
