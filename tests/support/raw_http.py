"""Raw HTTP: requests as bytes on connections of their own, and the responses."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from multidict import CIMultiDict

from tests.support.api import Answer, Api
from tests.support.time_limits import within

_PATIENCE = 10


@asynccontextmanager
async def connected(api: Api) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """Open a connection to the service of an API client."""
    server = api.client.server
    reader, writer = await asyncio.open_connection(server.host, server.port, limit=2**24)
    try:
        yield reader, writer
    finally:
        writer.close()


async def answered(reader: StreamReader) -> Answer:
    """Read the next response on a connection."""
    async with within(_PATIENCE):
        head = await reader.readuntil(b"\r\n\r\n")
        line, *fields = head.decode().rstrip().split("\r\n")
        parted = [field.partition(":") for field in fields]
        headers = CIMultiDict([(name, text.strip()) for name, _, text in parted])
        body = await reader.readexactly(int(headers.get("Content-Length", "0")))
    return Answer(int(line.split()[1]), headers, body)


async def exchange(api: Api, raw: bytes) -> Answer:
    """Send bytes that end the connection; return the response."""
    async with connected(api) as (reader, writer):
        writer.write(raw)
        return await answered(reader)


def head(api: Api, method: str, path: str, *headers: str) -> bytes:
    """Return a request head with the caller's key and the given header lines."""
    lines = (f"{method} {path} HTTP/1.1", "Host: here", f"Authorization: Bearer {api.key}")
    return "\r\n".join((*lines, *headers, "", "")).encode()
