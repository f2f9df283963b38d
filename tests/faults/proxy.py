"""TCP proxy in front of PostgreSQL that strikes at a chosen moment of a write.

It understands of the wire protocol (PostgreSQL documentation, Message Formats) where a request
of the client begins and ends, where its answer is complete, and which requests open and commit a
transaction. Everything else passes through untouched.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias
from urllib.parse import parse_qs, urlsplit

_ENCRYPTION_REQUESTS = (80877103, 80877104)
"""The codes of SSLRequest and GSSENCRequest, which are declined."""
_GONE = (ConnectionError, asyncio.IncompleteReadError)

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Action: TypeAlias = Callable[["Link"], Awaitable[None]]


class Moment(Enum):
    """Moment on a request's way to the server and back."""

    BEFORE = "before the request is forwarded"
    DURING = "after the request was forwarded, before its answer is awaited"
    ANSWERED = "after the server answered, before the answer is passed on"
    DELIVERED = "after the answer was passed on"


@dataclass
class Trap:
    """Action to take once, at a moment of the n-th request of the next transaction.

    Request 0 begins the transaction; a transaction with fewer requests springs the trap at its
    commit, and so does `step` None.
    """

    step: int | None
    moment: Moment
    action: Action
    task: "asyncio.Task[None] | None" = field(default=None, init=False)

    @property
    def where(self) -> str:
        """Return the moment in words."""
        return f"{'commit' if self.step is None else f'request {self.step}'}, {self.moment.value}"

    def hit_by(self, step: int, commit: bool) -> bool:
        """Return whether this request springs the trap."""
        return self.task is None and (commit or step == self.step)

    async def spring(self, link: "Link") -> None:
        """Act, to the end even if the connection that sprang it ends meanwhile."""

        async def act() -> None:
            await self.action(link)

        self.task = asyncio.create_task(act())
        await asyncio.shield(self.task)


class Proxy:
    """Proxy on a port of 127.0.0.1 that connects each client to the server of a DSN."""

    def __init__(self, dsn: str) -> None:
        self.requests: list[list[str]] = []
        """Statements of each request that executed any."""
        self._parts = urlsplit(dsn)
        self._trap: Trap | None = None
        self._links: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> str:
        """Begin to listen; return the DSN of the same database through here."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1")
        port = self._server.sockets[0].getsockname()[1]
        account = self._parts.netloc.rpartition("@")[0]
        through = {"netloc": f"{account}@127.0.0.1:{port}", "query": "sslmode=disable"}
        return self._parts._replace(**through).geturl()

    async def close(self) -> None:
        """Stop listening and end every connection."""
        assert self._server is not None
        self._server.close()
        for task in self._links:
            task.cancel()
        await asyncio.gather(*self._links, return_exceptions=True)

    def arm(self, trap: Trap | None) -> None:
        """Lay the trap for the next transaction, in place of any other."""
        self._trap = trap

    def take_trap(self) -> Trap | None:
        """Return the trap for a transaction that begins; no other one gets it."""
        trap, self._trap = self._trap, None
        return trap

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        try:
            await Link(self, (reader, writer), await self._connect()).run()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._links.discard(task)

    async def _connect(self) -> Streams:
        query = parse_qs(self._parts.query)
        if "host" in query:
            [folder], [port] = query["host"], query["port"]
            return await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.{port}")
        return await asyncio.open_connection(self._parts.hostname, self._parts.port)


class Link:
    """Connection of one client through the proxy."""

    def __init__(self, proxy: Proxy, client: Streams, server: Streams) -> None:
        self._proxy = proxy
        self._from_client, self._to_client = client
        self._from_server, self._to_server = server
        self._step: int | None = None
        self._trap: Trap | None = None
        self._answering: Trap | None = None
        self._may_answer = asyncio.Event()
        self._may_answer.set()
        self._prepared: dict[bytes, bytes] = {}

    async def run(self) -> None:
        """Carry messages both ways until one side ends."""
        ways = [asyncio.create_task(self._forward()), asyncio.create_task(self._backward())]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self._to_server.close()
            self._to_client.close()

    def cut(self) -> None:
        """End the connection on both sides, at once."""
        self._to_client.transport.abort()
        self._to_server.transport.abort()

    async def _forward(self) -> None:
        with suppress(*_GONE):
            if not await self._introduce():
                return
            request, texts = b"", list[bytes]()
            while not self._to_server.is_closing():
                message = await _message(self._from_client)
                request += message
                texts += self._executed(message)
                if message[:1] in b"QS":
                    await self._request(request, texts)
                    request, texts = b"", []
                elif message[:1] in b"HXp":  # flush, terminate, password: not to be kept waiting
                    self._to_server.write(request)
                    request = b""

    def _executed(self, message: bytes) -> list[bytes]:
        """Return the text of the statement that a message executes, if it does."""
        kind, content = message[:1], message[5:]
        if kind == b"P":
            name, text, _ = content.split(b"\0", 2)
            self._prepared[name] = text
        elif kind == b"B":
            _, name, _ = content.split(b"\0", 2)
            return [self._prepared[name]]
        return [content[:-1]] if kind == b"Q" else []

    async def _introduce(self) -> bool:
        """Forward the startup message; return whether the connection goes on after it."""
        while True:
            length = await self._from_client.readexactly(4)
            rest = await self._from_client.readexactly(int.from_bytes(length, "big") - 4)
            code = int.from_bytes(rest[:4], "big")
            if code in _ENCRYPTION_REQUESTS:
                self._to_client.write(b"N")
                continue
            self._to_server.write(length + rest)
            await self._to_server.drain()
            return code >> 16 == 3  # otherwise it asked to cancel a statement

    async def _request(self, request: bytes, texts: list[bytes]) -> None:
        """Forward one request whole, unless a trap says otherwise; `texts` are its statements."""
        if texts:
            self._proxy.requests.append([text.decode() for text in texts])
        if any(text.startswith(b"begin") for text in texts):
            self._step, self._trap = 0, self._proxy.take_trap()
        elif self._step is not None:
            self._step += 1
        trap, commit = self._trap, b"commit" in texts
        hit = trap is not None and self._step is not None and trap.hit_by(self._step, commit)
        self._answering = trap if hit else None
        if commit or b"rollback" in texts:
            self._step = None
        moment = trap.moment if trap and hit else None
        if trap and moment is Moment.BEFORE:
            await trap.spring(self)
        if moment is Moment.DURING:
            self._may_answer.clear()
        self._to_server.write(request)
        await self._to_server.drain()
        if trap and moment is Moment.DURING:
            await trap.spring(self)
            self._may_answer.set()

    async def _backward(self) -> None:
        buffer = b""
        with suppress(*_GONE):
            while not self._to_client.is_closing():
                message = await _message(self._from_server)
                await self._may_answer.wait()
                buffer += message
                trap, complete = self._answering, message[:1] == b"Z"
                if trap and trap.moment is Moment.ANSWERED:
                    if not complete:
                        continue
                    self._answering = None
                    await trap.spring(self)
                self._to_client.write(buffer)
                buffer = b""
                await self._to_client.drain()
                if trap and complete and trap.moment is Moment.DELIVERED:
                    self._answering = None
                    await trap.spring(self)


async def _message(reader: asyncio.StreamReader) -> bytes:
    """Return the next message: a type, the length of the rest, the rest."""
    head = await reader.readexactly(5)
    return head + await reader.readexactly(int.from_bytes(head[1:], "big") - 4)
