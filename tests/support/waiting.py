"""Waiting for what comes about by itself."""

import asyncio
from collections.abc import Callable


async def until(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Return as soon as something holds; raises TimeoutError when it does not in that time."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)
