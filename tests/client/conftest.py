"""Clients of a service with the demo data, straight and through what stands between.

Tests add records of their own and leave the others, for all of a worker share the service.
"""

from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
from yarl import URL

from service.client import Client, RetryPolicy
from tests.client.between import Between, standing_between
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database
from tests.support.serving import serving

QUICK = RetryPolicy(first_wait=0.01)


class Place(NamedTuple):
    """A running service, and keys of organization 1."""

    url: URL
    writer: str
    reader: str


@pytest.fixture(scope="session")
async def place(server_dsn: str, worker_id: str) -> AsyncIterator[Place]:
    """The service."""
    dsn = fresh_database(server_dsn, f"client_{worker_id}", DEMO_TEMPLATE)
    keys = [await issue_key(dsn, 1, scope) for scope in ("write", "read")]
    async with serving(dsn) as server:
        yield Place(server.make_url("/"), *keys)


@pytest.fixture
async def selvedge(place: Place) -> AsyncIterator[Client]:
    """A client of organization 1."""
    async with Client(str(place.url), place.writer) as client:
        yield client


@pytest.fixture
async def between(place: Place) -> AsyncIterator[tuple[Between, Client]]:
    """What stands between, and a client behind it."""
    async with (
        standing_between(place.url) as (between, url),
        Client(url, place.writer, retry_policy=QUICK) as client,
    ):
        yield between, client
