"""A worker's connections: room for one more, whoever holds the others."""

import asyncio
import resource
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import web

from service.http import connections, heads
from service.http.connections import Runner, room

ROOM = 4
GET = b"GET /%b HTTP/1.1\r\nHost: here\r\n\r\n"
UNFINISHED = b"POST /quick HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n"


@web.middleware
async def last_is_told(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """As the application's own does."""
    response = await handler(request)
    assert isinstance(request.protocol, connections.Connection)
    if request.protocol.is_ending:
        response.force_close()
    return response


class Door:
    """A server with room for four, and connections to it."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.given_up = asyncio.Event()
        app = web.Application(middlewares=[last_is_told], client_max_size=2**24)
        app.router.add_route("*", "/{name}", self._answer)
        self.runner = Runner(app, connections=ROOM, handler_cancellation=True, lingering_time=2)
        self.writers: list[StreamWriter] = []

    async def _answer(self, request: web.Request) -> web.Response:
        if request.match_info["name"] == "read":
            await request.read()
        if request.match_info["name"] == "slow":
            try:
                await self.open.wait()
            except asyncio.CancelledError:
                self.given_up.set()
                raise
        return web.Response(body=bytes(2**25 if request.match_info["name"] == "large" else 1))

    async def start(self) -> None:
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()

    async def come(self, sent: bytes = b"", *, buffer: int = 2**16) -> StreamReader:
        """A new connection, after the server has seen it and what it sends."""
        with socket.socket() as ours:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            ours.setblocking(False)
            await asyncio.get_running_loop().sock_connect(ours, self.runner.addresses[0])
            reader, writer = await asyncio.open_connection(sock=ours.dup(), limit=buffer)
        self.writers.append(writer)
        writer.write(sent)
        await asyncio.sleep(0.02)
        return reader

    async def say(self, number: int, sent: bytes) -> None:
        """Send on an earlier connection."""
        self.writers[number].write(sent)
        await asyncio.sleep(0.02)


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    made = Door()
    await made.start()
    yield made
    made.open.set()
    for writer in made.writers:
        writer.transport.abort()
    await made.runner.cleanup()


async def is_closed(reader: StreamReader) -> bool:
    """Whether the server has closed the connection, on which nothing is left to read."""
    try:
        async with asyncio.timeout(0.05):
            return await reader.read(1) == b""
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True


async def status(reader: StreamReader) -> bytes:
    """The status of an answer whose body is one byte."""
    async with asyncio.timeout(5):
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(1)
    return head[9:12]


async def test_who_comes_always_gets_in(door: Door) -> None:
    idle = [await door.come() for _ in range(3 * ROOM)]
    assert await status(await door.come(GET % b"quick")) == b"200"
    gone = [await is_closed(reader) for reader in idle]
    assert gone == [True] * (2 * ROOM + 1) + [False] * (ROOM - 1)


async def test_who_was_heard_of_last_stays(door: Door) -> None:
    readers = [await door.come() for _ in range(ROOM)]
    await door.say(0, GET % b"quick")
    assert await status(readers[0]) == b"200"
    for _ in range(ROOM - 1):
        readers.append(await door.come())
    assert [await is_closed(reader) for reader in readers] == [
        *(False, True, True, True),
        *[False] * (ROOM - 1),
    ]


async def test_a_request_under_way_stays(door: Door) -> None:
    slow = [await door.come(GET % b"slow") for _ in range(ROOM - 1)]
    for _ in range(2 * ROOM):
        assert await status(await door.come(GET % b"quick")) == b"200"
    slow.append(await door.come(GET % b"slow"))
    assert await is_closed(await door.come())
    door.open.set()
    assert [await status(reader) for reader in slow] == [b"200"] * ROOM


async def test_a_body_of_no_use_takes_no_room(door: Door) -> None:
    """aiohttp reads the rest of it for some seconds after the answer."""
    early = [await door.come(UNFINISHED) for _ in range(ROOM)]
    assert [await status(reader) for reader in early] == [b"200"] * ROOM
    assert await status(await door.come(GET % b"quick")) == b"200"
    assert [await is_closed(reader) for reader in early] == [True, *[False] * (ROOM - 1)]


async def test_answers_that_nobody_takes_make_way_last(door: Door) -> None:
    for _ in range(ROOM - 1):
        await door.come(GET % b"large", buffer=2**12)
    assert await status(await door.come(GET % b"quick")) == b"200"
    idle = await door.come()
    assert len(door.runner.server.connections) == ROOM  # type: ignore[union-attr]
    assert not await is_closed(idle)
    slow = await door.come(GET % b"slow")
    assert await is_closed(idle)
    assert await status(await door.come(GET % b"quick")) == b"200"
    door.open.set()
    assert await status(slow) == b"200"


async def test_a_request_whose_caller_is_gone_is_given_up(door: Door) -> None:
    """As aiohttp does when it is told so."""
    await door.come(GET % b"slow")
    door.writers[0].transport.abort()
    async with asyncio.timeout(5):
        await door.given_up.wait()


async def test_a_head_has_to_come_in_time(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "HEAD_SECONDS", 0.2)
    silent, begun = await door.come(), await door.come(GET[:20])
    kept = await door.come(GET % b"quick")
    assert await status(kept) == b"200"
    await asyncio.sleep(0.4)
    assert [await is_closed(each) for each in (silent, begun, kept)] == [True, True, False]
    await door.say(2, GET[:20])
    await asyncio.sleep(0.4)
    assert await is_closed(kept)


async def test_a_head_has_to_end(door: Door) -> None:
    field = b"X-%d: " + b"x" * 7000 + b"\r\n"
    long = await door.come(GET[:-2])
    for number in range(heads.LONGEST_HEAD // 7000 + 1):
        assert not await is_closed(long)
        await door.say(0, field % number)
    async with asyncio.timeout(5):
        assert (await long.read())[9:12] == b"431"


LONG_HEAD = GET[:-2] + b"".join(b"X-%d: %b\r\n" % (n, b"x" * 7000) for n in range(10)) + b"\r\n"


@pytest.mark.parametrize("pieces", [1, 5])
async def test_a_long_head_is_refused_however_it_comes(door: Door, pieces: int) -> None:
    sent, size = LONG_HEAD % b"quick", len(LONG_HEAD) // pieces
    reader = await door.come(sent[:size])
    for start in range(size, len(sent), size):
        await door.say(0, sent[start : start + size])
    async with asyncio.timeout(5):
        assert (await reader.read())[9:12] == b"431"


@pytest.mark.parametrize("head", [LONG_HEAD, LONG_HEAD[:-2]], ids=["whole", "unfinished"])
async def test_a_long_head_behind_a_request_is_refused(door: Door, head: bytes) -> None:
    reader = await door.come(GET % b"slow")
    await door.say(0, head % b"quick")
    await door.say(0, b"X-More: %b\r\n" % (b"x" * 7000) * 40)
    door.open.set()
    assert await status(reader) == b"200"
    async with asyncio.timeout(5):
        assert (await reader.read())[9:12] == b"431"


async def filled(writer: StreamWriter, sent: bytes) -> int:
    """Return how much the server and the kernels took before they took no more."""
    size = writer.transport.get_write_buffer_size
    for count in range(400):
        writer.write(sent)
        before = size()
        for _ in range(10):
            await asyncio.sleep(0.01)
            if size() < before:
                break
        else:
            return count * len(sent)
    raise AssertionError("The server reads without end.")


@pytest.mark.parametrize("come", [GET % b"quick", (LONG_HEAD % b"quick")[:45_000] + b"\r\n\r\n"])
async def test_little_is_read_while_a_request_is_under_way(door: Door, come: bytes) -> None:
    """aiohttp parses 32 requests ahead: with long heads these are 20 times their bytes."""
    await door.come(GET % b"slow")
    [connection] = door.runner.server.connections  # type: ignore[union-attr]
    assert isinstance(connection, connections.Connection)
    await filled(door.writers[0], come * (2**18 // len(come)))
    assert len(connection._messages) <= heads.MAX_QUEUED + 1
    assert len(connection._unparsed) < 2**18


@pytest.mark.parametrize("number", [2, 3, 4, 100, 5000])
async def test_requests_sent_at_once_are_all_answered(door: Door, number: int) -> None:
    reader = await door.come((GET % b"quick") * number)
    for _ in range(number):
        assert await status(reader) == b"200"
    await door.say(0, GET % b"quick")
    assert await status(reader) == b"200"


async def test_bodies_behind_a_request_are_read_in_their_turn(door: Door) -> None:
    post = b"POST /read HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n"
    bodies = [bytes(size) for size in (1, 300_000, 0, 70_000, 2_000_000)]
    reader = await door.come(GET % b"slow")
    sent = b"".join(post % len(body) + body + GET % b"quick" for body in bodies)
    door.writers[0].write(sent)
    await asyncio.sleep(0.05)
    door.open.set()
    for _ in range(1 + 2 * len(bodies)):
        assert await status(reader) == b"200"


@pytest.mark.parametrize("asked", [b"h2c", b"websocket"])
async def test_no_request_behind_an_upgrade_stalls(door: Door, asked: bytes) -> None:
    """The parser drops what stands behind, or keeps it for the other protocol."""
    upgrade = b"Connection: Upgrade\r\nUpgrade: %b\r\n\r\n" % asked
    reader = await door.come((GET[:-2] + upgrade) % b"quick" + GET % b"quick")
    async with asyncio.timeout(5):
        answer = await reader.read()
    assert answer.count(b"HTTP/1.1 200 OK\r\n") == 1
    assert b"\r\nConnection: close\r\n" in answer


def test_files_that_a_worker_needs_are_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = []
    for soft in (1024, 300, 50, 10**6, resource.RLIM_INFINITY):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        rooms.append(room(10))
    assert rooms == [914, 190, 1, connections.MOST, connections.MOST]


async def test_who_is_connected_hears_that_the_worker_stops(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its next answer says that it is the last one, and then the connection ends, not before."""
    monkeypatch.setattr(connections, "DRAIN_SECONDS", 5)
    kept, slow = await door.come(GET % b"quick"), await door.come(GET % b"slow")
    assert await status(kept) == b"200"
    stopping = asyncio.create_task(door.runner.cleanup())
    await asyncio.sleep(0.05)
    new = await door.come(GET % b"quick")
    await door.say(0, GET % b"quick")
    door.open.set()
    for reader in (kept, slow, new):
        async with asyncio.timeout(5):
            head = await reader.readuntil(b"\r\n\r\n")
            assert b"\r\nConnection: close\r\n" in head
            assert len(await reader.read()) == 1
    async with asyncio.timeout(2):
        await stopping


async def test_who_rests_does_not_keep_the_worker_from_stopping(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "DRAIN_SECONDS", 0.1)
    resting = await door.come(GET % b"quick")
    assert await status(resting) == b"200"
    async with asyncio.timeout(2):
        await door.runner.cleanup()
    assert await is_closed(resting)


async def test_a_connection_that_ends_in_nonsense_makes_way(door: Door) -> None:
    nonsense = [await door.come(b"NONSENSE\r\n\r\n") for _ in range(ROOM)]
    assert await status(await door.come(GET % b"quick")) == b"200"
    async with asyncio.timeout(5):
        for reader in nonsense[1:]:
            assert (await reader.readuntil(b"\r\n\r\n"))[9:12] == b"400"


async def test_answering_that_fails_is_told_in_the_envelope(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> web.Response:
        raise RuntimeError("inside")

    monkeypatch.setattr(door.runner.server, "request_handler", fail)
    reader = await door.come(GET % b"quick")
    async with asyncio.timeout(5):
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b'"code":"server_error"' in answer
    assert b"inside" not in answer
    assert b"\r\nServer:" not in answer
