"""Tests of name look-ups: a name server that never answers delays its own organization alone."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from service.webhooks.name_lookups import NameLookups
from tests.support.time_limits import limit, until, within

pytestmark = pytest.mark.contract("Deliveries")


async def test_a_silent_name_server_leaves_threads_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer, hosts = threading.Event(), []

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        hosts.append(host)
        if host == "silent.example.com":
            answer.wait(limit(20))
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("203.0.113.7", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    lookups = NameLookups()
    silent = [
        asyncio.create_task(lookups.resolve(1, "silent.example.com", 443)) for _ in range(100)
    ]
    try:
        await until(lambda: len(hosts) >= 7)
        for organization_id in range(2, 30):
            async with within(2):
                addresses = await lookups.resolve(organization_id, "erp.example.com", 443)
            assert addresses == ["203.0.113.7"]
        assert hosts.count("silent.example.com") <= 8
    finally:
        for task in silent:
            task.cancel()
        answer.set()
        await asyncio.gather(*silent, return_exceptions=True)
        lookups.close()
