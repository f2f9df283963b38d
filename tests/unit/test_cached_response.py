"""Tests of cached bodies: each coding is compressed once, outside the event loop."""

import asyncio
import gzip
import threading
import zlib
from typing import Any

import pytest
from aiohttp.web import ContentCoding

from service.http import negotiation
from service.http.negotiation import CachedBody


async def test_a_body_is_compressed_once_and_outside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads = list[int]()

    def compress(body: bytes, **options: Any) -> bytes:
        threads.append(threading.get_ident())
        return zlib.compress(body, **options)

    monkeypatch.setattr(negotiation, "zlib", type("", (), {"compress": compress}))
    body = CachedBody(bytes(100_000), {})
    first, *others = [asyncio.create_task(body.compressed(ContentCoding.gzip)) for _ in range(3)]
    await asyncio.sleep(0)
    first.cancel()
    assert [gzip.decompress(await other) for other in others] == [body.body] * 2
    assert await body.compressed(ContentCoding.gzip) is others[0].result()
    assert len(threads) == 1
    assert threads != [threading.get_ident()]
