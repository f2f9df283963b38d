"""Link to a node: a TCP proxy that delays what it carries, or drops it without closing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncpg

_CHUNK = 64 * 1024


class Link:
    """Proxy on a port of 127.0.0.1 to the address of a node."""

    def __init__(self, address: str) -> None:
        self.delay = 0.0
        """Seconds that each way takes."""
        self._host, _, port = address.rpartition(":")
        self._port = int(port)
        self._is_cut = False
        self._carriers: set[asyncio.Task[None]] = set()
        self.server: asyncio.Server

    async def open(self) -> int:
        """Begin to listen; return the port."""
        self.server = await asyncio.start_server(self._serve, "127.0.0.1")
        return int(self.server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Stop listening and end every connection."""
        self.server.close()
        await self._end_connections()

    @asynccontextmanager
    async def cut(self) -> AsyncIterator[None]:
        """Drop every byte for as long as the context lasts, then end those connections."""
        self._is_cut = True
        try:
            yield
        finally:
            self._is_cut = False
            await self._end_connections()

    async def _end_connections(self) -> None:
        carriers = [*self._carriers]
        for task in carriers:
            task.cancel()
        await asyncio.gather(*carriers, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._carriers.add(task)
        to_node: asyncio.StreamWriter | None = None
        with suppress(OSError, asyncio.CancelledError):
            from_node, to_node = await asyncio.open_connection(self._host, self._port)
            ways = [
                asyncio.create_task(self._carry(*way))
                for way in ((reader, to_node), (from_node, writer))
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        for end in (writer, to_node):
            if end is not None:
                end.transport.abort()
        self._carriers.discard(task)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry bytes one way until the end; each arrives after the delay, in order."""
        loop = asyncio.get_running_loop()
        while data := await reader.read(_CHUNK):
            if self._is_cut:
                continue
            if self.delay:
                loop.call_later(self.delay, self._arrive, writer, data)
            else:
                writer.write(data)
                await writer.drain()

    def _arrive(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        if not self._is_cut and not writer.is_closing():
            writer.write(data)


@asynccontextmanager
async def linked(dsn: str, address: str) -> AsyncIterator[Link]:
    """Let all nodes of a database reach one of them through a link."""
    link = Link(address)
    port = await link.open()
    host, _, node_port = address.rpartition(":")
    try:
        await _move(dsn, (host, int(node_port)), ("127.0.0.1", port))
        yield link
    finally:
        await _move(dsn, ("127.0.0.1", port), (host, int(node_port)))
        await link.close()


async def _move(dsn: str, source: tuple[str, int], target: tuple[str, int]) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(
            """select citus_update_node(nodeid, $3, $4)
            from pg_dist_node where nodename = $1 and nodeport = $2""",
            *source,
            *target,
        )
    finally:
        await connection.close()
