"""Every attack in small: another organization is served throughout, and nothing fails inside.

The short version of `make attack`, which measures too.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from aiohttp import web

from service.app import create_app
from service.http.connections import Runner
from service.http.parser_limits import PARSER_LIMITS
from service.settings import Settings
from tests.attacks.attacker import Attacker
from tests.attacks.campaign import prepared, strike
from tests.attacks.prepare import ATTACKER, OTHER
from tests.attacks.scenarios import Scenario, scenarios
from tests.attacks.witness import watch
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database

pytestmark = pytest.mark.contract("Shares", "Budgets")

SECONDS = 0.3
SCALE = 0.01
#: Fewer than the attacks with connections open.
CONNECTIONS = 150


@dataclass(frozen=True)
class Attacked:
    """A service for both organizations."""

    dsn: str
    port: int
    attacker: str
    """A key of the organization that attacks."""
    other: str
    """A key of the other one."""


@pytest.fixture(scope="session")
async def attacked(server_dsn: str, worker_id: str) -> AsyncIterator[Attacked]:
    """One service for all attacks of a worker."""
    dsn = fresh_database(server_dsn, f"attacked_{worker_id}", DEMO_TEMPLATE)
    settings = Settings.from_environment({"LOG_LEVEL": "warning"})
    app = create_app(settings, dsn)
    runner = Runner(app, connections=CONNECTIONS, handler_cancellation=True, **PARSER_LIMITS)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    keys = [await issue_key(dsn, organization) for organization in (ATTACKER, OTHER)]
    yield Attacked(dsn, runner.addresses[0][1], *keys)
    await runner.cleanup()


@pytest.mark.parametrize("scenario", [*scenarios()], ids=lambda scenario: scenario.name)
async def test_another_organization_is_served(scenario: Scenario, attacked: Attacked) -> None:
    known = await prepared(scenario, attacked.dsn, SCALE)
    attacker = Attacker(attacked.port, attacked.attacker, SCALE, known)
    stop = asyncio.Event()
    watching = asyncio.create_task(watch(attacked.port, attacked.other, stop))
    await strike(scenario, attacker, SECONDS)
    stop.set()
    seen = await watching
    assert (seen.unserved, seen.unready) == (0, 0)
    assert seen.reads["200"] > 1
    assert not [status for status in attacker.answers if status.startswith("5")]
