"""Tests of byte budgets: each organization has its own, with time limits (contract, Budgets)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from service.http import request_body
from service.http.budgets import BYTE_BUDGET, ByteBudget
from service.limits import MAX_BYTES_IN_FLIGHT
from tests.support.api import Api
from tests.support.openapi_validation import is_failure
from tests.support.time_limits import scaled, until, within

pytestmark = pytest.mark.contract("Budgets")

COLORS = "/api/colors"
MIB = 2**20


@dataclass
class Upload:
    """Request whose body is sent in pieces."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, raw: bytes) -> None:
        """Send a part of the body."""
        self.writer.write(raw)
        await self.writer.drain()

    async def answer(self) -> tuple[int, str, Any]:
        """Return status, head and body of the response."""
        async with within(20):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
            length = head.lower().partition("content-length: ")[2].partition("\r\n")[0]
            body = orjson.loads(await self.reader.readexactly(int(length)))
        return int(head.split()[1]), head, body


@asynccontextmanager
async def upload(api: Api, header: str) -> AsyncIterator[Upload]:
    """Send the head of a request, and nothing of its body."""
    server = api.client.server
    reader, writer = await asyncio.open_connection(server.host, server.port)
    lines = (
        f"POST {COLORS} HTTP/1.1",
        f"Host: {server.host}",
        f"Authorization: Bearer {api.key}",
        "Content-Type: application/json",
        header,
    )
    writer.write("\r\n".join([*lines, "", ""]).encode())
    try:
        yield Upload(reader, writer)
    finally:
        writer.close()


def chunk(raw: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(raw), raw)


CHUNKED = "Transfer-Encoding: chunked"


async def test_a_body_in_pieces_is_one_body(shared_api: Api) -> None:
    raw = orjson.dumps({"name": "In pieces", "colorNote": "x" * 4000})
    for header, pieces in (
        (f"Content-Length: {len(raw)}", [raw[:10], raw[10:]]),
        (CHUNKED, [chunk(raw[:10]), chunk(raw[10:]), b"0\r\n\r\n"]),
    ):
        async with upload(shared_api, header) as request:
            for piece in pieces:
                await request.send(piece)
                await asyncio.sleep(0.01)
            status, _, answer = await request.answer()
            assert (status, answer["data"]["name"]) == (201, "In pieces")


@pytest.mark.contract("Limits")
async def test_a_body_too_long_is_refused_before_it_is_read(shared_api: Api) -> None:
    async with upload(shared_api, f"Content-Length: {8 * MIB + 1}") as request:
        status, _, answer = await request.answer()
        assert (status, answer["code"]) == (413, "payload_too_large")


async def test_a_body_of_unknown_length_is_counted(shared_api: Api) -> None:
    async with upload(shared_api, CHUNKED) as request:
        for _ in range(8):
            await request.send(chunk(b" " * MIB))
        await request.send(chunk(b" "))
        status, _, answer = await request.answer()
        assert (status, answer["code"]) == (413, "payload_too_large")


async def test_a_body_that_goes_on_with_no_chunk(
    shared_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parser reads no further, so nothing arrives any more."""
    monkeypatch.setattr(request_body, "BODY_IDLE_SECONDS", 0.2)
    async with upload(shared_api, CHUNKED) as request:
        await request.send(chunk(b'{"name"'))
        await asyncio.sleep(0.1)
        await request.send(b"no length\r\n")
        async with within(10):
            status = await request.reader.readline()
        assert int(status.split()[1]) in (400, 408)


@pytest.mark.parametrize("limit", ["BODY_IDLE_SECONDS", "BODY_SECONDS"])
async def test_a_body_that_does_not_arrive_in_time(
    limit: str, shared_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_body, limit, 0.2)
    async with upload(shared_api, "Content-Length: 1000000") as request:
        if limit == "BODY_SECONDS":
            for _ in range(10):
                await request.send(b" ")
                await asyncio.sleep(0.05)
        status, head, answer = await request.answer()
        assert (status, answer["code"]) == (408, "request_timeout")
        assert "connection: close" in head.lower()


async def test_a_body_that_arrives_slowly_is_waited_for(
    shared_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_body, "BODY_IDLE_SECONDS", 10 * (pause := scaled(0.05)))
    raw = b" " * 12 + b'{"name":"Slow"}'
    async with upload(shared_api, f"Content-Length: {len(raw)}") as request:
        for index in range(12):
            await request.send(raw[index : index + 1])
            await asyncio.sleep(pause)
        await request.send(raw[12:])
        assert (await request.answer())[0] == 201


def accounts_of(api: Api) -> ByteBudget:
    assert api.client.app is not None
    accounts: ByteBudget = api.client.app[BYTE_BUDGET]
    return accounts


def is_too_many(answer: Any) -> None:
    is_failure(answer, 429, "too_many_requests")
    assert answer.headers["Retry-After"] == "1"


async def test_bodies_under_way_are_counted_for_their_organization(
    shared_api: Api, shared_other: Api
) -> None:
    group = {"name": "A group"}
    async with AsyncExitStack() as stack:
        for _ in range(MAX_BYTES_IN_FLIGHT // (8 * MIB) - 1):
            await stack.enter_async_context(upload(shared_api, f"Content-Length: {8 * MIB}"))
        chunked = await stack.enter_async_context(upload(shared_api, CHUNKED))
        for _ in range(8):
            await chunked.send(chunk(b" " * (MIB - 1)))
        accounts = accounts_of(shared_api)
        await until(lambda: accounts._reserved[1] > MAX_BYTES_IN_FLIGHT - MIB)
        assert (await shared_api.get(COLORS)).status == 200
        big = b" " * MIB + orjson.dumps(group)
        is_too_many(await shared_api.post("/api/groups", big))
        assert (await shared_api.post("/api/groups", group)).status == 201
        assert (await shared_other.post("/api/groups", big)).status == 201
    await until(lambda: not accounts._reserved)
    assert (await shared_api.post("/api/groups", big)).status == 201


async def test_callers_that_do_not_read_get_no_more_responses(
    shared_api: Api, shared_other: Api
) -> None:
    accounts = accounts_of(shared_api)
    accounts.add(1, MAX_BYTES_IN_FLIGHT)
    is_too_many(await shared_api.get(COLORS))
    is_too_many(await shared_api.delete("/api/groups/1"))
    is_too_many(await shared_api.get("/api/unknown"))
    assert (await shared_other.get(COLORS)).status == 200
    accounts.release(1, 1)
    assert (await shared_api.get(f"{COLORS}/1")).status == 200
    is_too_many(await shared_api.get(COLORS, {"pageSize": "100"}))
    accounts.release(1, MAX_BYTES_IN_FLIGHT - 1)
    assert (await shared_api.get(COLORS, {"pageSize": "100"})).status == 200
    assert not accounts._reserved
