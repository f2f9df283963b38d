"""Tests of answers that receivers should not send: each is an outcome, and none delays others."""

import asyncio
import socket
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import Any, Final

import pytest

from service.limits import MAX_RECEIVER_ANSWER_BYTES, MAX_RECEIVER_HEAD_BYTES
from service.webhooks import receiver as receivers
from service.webhooks.addresses import AddressPolicy
from service.webhooks.outgoing import Outgoing
from service.webhooks.receiver import Attempt
from tests.support.time_limits import within

pytestmark = pytest.mark.contract("Deliveries", "Receivers")

OK: Final = b"HTTP/1.1 200 OK\r\n"
EMPTY: Final = b"Content-Length: 0\r\n\r\n"
CHUNKED: Final = OK + b"Transfer-Encoding: chunked\r\n\r\n"
BUSY: Final = b"HTTP/1.1 503 Busy\r\n" + EMPTY[:-2]
NOT_HTTP: Final = "The receiver's answer is not HTTP."
CLOSED: Final = "The receiver closed the connection without an answer."
TOO_LONG: Final = "The receiver's answer is too long."


@asynccontextmanager
async def answering(start: bytes, again: bytes = b"") -> AsyncIterator[str]:
    """Run a receiver that sends some bytes, and others after them without end; give its URL."""

    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(start)
            while again:
                writer.write(again)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def post(url: str) -> Attempt:
    outgoing = Outgoing(AddressPolicy((ip_network("127.0.0.0/8"),)))
    async with outgoing.receiver(1, url) as receiver:
        return await receiver.post(b"{}", {"webhook-id": "msg_1"})


@pytest.mark.parametrize(
    ("again", "start", "error"),
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 999, b"", TOO_LONG),
        (b"HTTP/1.1 103 Early Hints\r\n" + b"Link: /\r\n" * 99 + b"\r\n", b"", TOO_LONG),
        (b"Cookie: none\r\n" * 999, OK, NOT_HTTP),
        (b"x" * 2**16, OK + b"Cookie: ", NOT_HTTP),
        (b"x" * 2**16, b"HTTP/1.1 200 ", NOT_HTTP),
        (b"x" * 2**16, b"", NOT_HTTP),
        (b"Trailer: x\r\n" * 999, CHUNKED + b"0\r\n", NOT_HTTP),
        (b"x" * 2**16, OK + b"\r\n", None),
        (b"1\r\nx\r\n" * 9999, CHUNKED, None),
        (b"x" * 2**16, CHUNKED + b"1;", None),
        (b"\0" * 2**16, OK + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08", None),
    ],
)
async def test_an_answer_without_end_ends_soon(
    again: bytes, start: bytes, error: str | None
) -> None:
    """A head takes no more than its limit; after a head that is valid the message is delivered."""
    async with answering(start, again) as url, within(2):
        attempt = await post(url)
    assert (attempt.result, attempt.error) == ("unreachable" if error else "delivered", error)


@pytest.mark.parametrize("informational", [0, 20])
async def test_heads_within_the_limit_are_good(informational: int) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: " + b"x" * 2000 + b"\r\n\r\n"
    headers = b"".join(b"X-%d: %b\r\n" % (number, b"x" * 700) for number in range(20))
    answer = early * informational + OK + headers
    assert len(answer) < MAX_RECEIVER_HEAD_BYTES
    body = b"x" * 4 * MAX_RECEIVER_ANSWER_BYTES
    async with answering(answer + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)) as url:
        assert (await post(url)).result == "delivered"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"", ("unreachable", None, CLOSED)),
        (b"SSH-2.0-OpenSSH_9.2\r\n", ("unreachable", None, NOT_HTTP)),
        (b"\0\0\4\0\0\0\0\0\0", ("unreachable", None, NOT_HTTP)),
        (b"<html></html>", ("unreachable", None, NOT_HTTP)),
        (b"HTTP/1.1 1000 x\r\n" + EMPTY, ("unreachable", None, NOT_HTTP)),
        (OK + b"X: \0\r\n" + EMPTY, ("unreachable", None, NOT_HTTP)),
        (OK + b"Content-Length: 1\r\n" + EMPTY, ("unreachable", None, NOT_HTTP)),
        (OK + b"Content-Length: 9%s\r\n\r\n" % (b"9" * 99), ("unreachable", None, NOT_HTTP)),
        (CHUNKED + b"zz\r\n", ("unreachable", None, NOT_HTTP)),
        (b"HTTP/1.1 200 \xff\xfe\r\nX: \xff\r\n" + EMPTY, ("delivered", 200, None)),
        (OK + b"Set-Cookie: \x7f=\xff; ;;=\r\n" + EMPTY, ("delivered", 200, None)),
        (OK + b"Content-Length: 9\r\n\r\nx", ("delivered", 200, None)),
        (
            b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n" + EMPTY,
            ("rejected", 302, "The receiver answered 302. Redirects are not followed."),
        ),
        (
            b"HTTP/1.1 101 Up\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
            ("rejected", 101, "The receiver answered 101."),
        ),
        (b"HTTP/1.1 999 x\r\n" + EMPTY, ("rejected", 999, "The receiver answered 999.")),
    ],
)
async def test_any_answer_is_an_outcome(answer: bytes, expected: Any) -> None:
    async with answering(answer) as url:
        attempt = await post(url)
    assert (attempt.result, attempt.status, attempt.error) == expected


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"7", 7),
        (b"Mon, 01 Jan 2024 00:00:00 GMT", 0),
        (b"Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
        (b"Mon, 01 Jan 2024 00:00:00 +99999999999999999999", None),
        (b"-1", None),
        (b"1.5", None),
        (b"soon", None),
        (b"9" * 5000, 999_999_999),
    ],
)
async def test_a_retry_after_is_valid_or_left_out(value: bytes, seconds: float | None) -> None:
    async with answering(BUSY + b"Retry-After: " + value + b"\r\n\r\n") as url:
        attempt = await post(url)
    assert (attempt.result, attempt.status, attempt.retry_after) == ("rejected", 503, seconds)


async def test_a_reset_connection_is_told_as_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        posting = asyncio.create_task(post(f"http://127.0.0.1:{server.getsockname()[1]}/"))
        connection, _ = await asyncio.get_running_loop().sock_accept(server)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        assert (await posting).error == CLOSED


@pytest.mark.parametrize("start", [b"", OK + b"X: "])
async def test_an_answer_takes_no_longer_than_a_try(
    start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether nothing comes, or the head comes byte by byte."""
    monkeypatch.setattr(receivers, "RECEIVER_SECONDS", 0.3)

    async def drip(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(start)
        for _ in range(100):
            writer.write(b"x" if start else b"")
            await asyncio.sleep(0.05)

    async with await asyncio.start_server(drip, "127.0.0.1", 0) as server:
        attempt = await post(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
        assert attempt.result == "timed_out"


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
        monkeypatch.setenv(name.lower(), "http://127.0.0.1:1")
    async with answering(OK + EMPTY) as url:
        assert (await post(url)).result == "delivered"
