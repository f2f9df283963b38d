"""Clients of a service with the demo data, direct and through the fault proxy.

Tests add records of their own and leave the others, for all of a worker share the service.
"""

from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
from yarl import URL

from selvedge_client import Client, RetryPolicy
from tests.client.fault_proxy import FaultProxy, start_fault_proxy
from tests.support.api import issue_key
from tests.support.databases import demo_database
from tests.support.serving import serving

QUICK = RetryPolicy(first_wait=0.01)


class ServiceAddress(NamedTuple):
    """Address of a running service, keys of organization 1, and the database."""

    url: URL
    writer: str
    reader: str
    dsn: str


@pytest.fixture(scope="session")
async def service_address(server_dsn: str, worker_id: str) -> AsyncIterator[ServiceAddress]:
    """The service."""
    dsn = demo_database(server_dsn, f"client_{worker_id}")
    writer, reader = [await issue_key(dsn, 1, scope) for scope in ("write", "read")]
    async with serving(dsn) as server:
        yield ServiceAddress(server.make_url("/"), writer, reader, dsn)


@pytest.fixture
async def selvedge(service_address: ServiceAddress) -> AsyncIterator[Client]:
    """A client of organization 1."""
    async with Client(str(service_address.url), service_address.writer) as client:
        yield client


@pytest.fixture
async def proxied(service_address: ServiceAddress) -> AsyncIterator[tuple[FaultProxy, Client]]:
    """Fault proxy, and a client behind it."""
    async with (
        start_fault_proxy(service_address.url) as (proxy, url),
        Client(url, service_address.writer, retry_policy=QUICK) as client,
    ):
        yield proxy, client
