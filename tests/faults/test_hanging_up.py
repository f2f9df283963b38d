"""A caller that hangs up in the middle of its body."""

import asyncio
import logging

import pytest
from aiohttp import web

from service.app import create_app
from service.http.connections import Runner
from service.http.parser_limits import PARSER_LIMITS
from service.limits import MAX_CONNECTIONS
from service.settings import Settings
from tests.support.api import JSON, issue_key

pytestmark = pytest.mark.contract("Log")


async def test_half_a_body_is_no_error_of_the_service(
    demo_dsn: str, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(Settings.from_environment({}), demo_dsn)
    runner = Runner(app, connections=MAX_CONNECTIONS, **PARSER_LIMITS)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0]
    lines = (
        "POST /api/groups HTTP/1.1",
        f"Host: {host}",
        f"Authorization: Bearer {await issue_key(demo_dsn, 1)}",
        f"Content-Type: {JSON}",
        "Content-Length: 100",
    )
    with caplog.at_level(logging.WARNING):
        _, writer = await asyncio.open_connection(host, port)
        writer.write("\r\n".join([*lines, "", '{"name": "Half']).encode())
        await asyncio.sleep(0.2)
        writer.transport.abort()
        await asyncio.sleep(0.2)
        await runner.cleanup()
    assert caplog.records == []
