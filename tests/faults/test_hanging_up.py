"""Caller that hangs up in the middle of its body."""

import asyncio
import logging

import pytest

from benchmarks.load import Request
from tests.support.api import issue_key
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Log")


async def test_half_a_body_is_no_error_of_the_service(
    demo_dsn: str, caplog: pytest.LogCaptureFixture
) -> None:
    request = Request("POST", "/api/groups", b'{"name": "Half a body"}')
    message = request.encoded(await issue_key(demo_dsn, 1))
    with caplog.at_level(logging.WARNING):
        async with serving(demo_dsn) as server:
            _, writer = await asyncio.open_connection(server.host, server.port)
            writer.write(message[:-8])
            await asyncio.sleep(0.2)
            writer.transport.abort()
            await asyncio.sleep(0.2)
    assert caplog.records == []
