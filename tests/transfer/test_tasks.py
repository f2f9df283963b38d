"""Tests of concurrent requests: none outlives an import or export that fails (contract, Files)."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from service.transfer.sender import ImportOptions, Sender
from service.transfer.tasks import gather_all

pytestmark = pytest.mark.contract("Files")


class Calls:
    """Calls that wait without end, and one that fails."""

    def __init__(self) -> None:
        self.running = 0

    async def wait(self) -> None:
        self.running += 1
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.running -= 1

    async def fail(self) -> None:
        await asyncio.sleep(0)
        raise ValueError("failed")


async def test_an_error_ends_the_other_tasks() -> None:
    calls = Calls()
    with pytest.raises(ValueError, match="failed"):
        await gather_all([calls.wait(), calls.fail(), calls.wait()])
    assert calls.running == 0


async def test_an_error_of_a_request_leaves_none_running() -> None:
    calls = Calls()

    class FailingSender(Sender):
        async def _send(self, *arguments: Any) -> None:
            await (calls.wait() if arguments[-1] else calls.fail())

    unused: Any = None
    source: Any = SimpleNamespace(collection=SimpleNamespace(is_ordered=False))
    sender = FailingSender(unused, source, unused, unused, ImportOptions())
    entry: Any = "line"
    await sender.send("create", None, [entry])
    await sender.send("create", None, [])
    with pytest.raises(ValueError, match="failed"):
        await sender.drain()
    await sender.cancel()
    assert calls.running == 0
