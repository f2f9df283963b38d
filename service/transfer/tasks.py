"""Concurrent tasks: an error ends all of them, so that none outlives the client that it uses."""

import asyncio
from collections.abc import Collection, Coroutine, Iterable
from typing import Any, TypeVar

_R = TypeVar("_R")


async def gather_all(coroutines: Iterable[Coroutine[Any, Any, _R]]) -> list[_R]:
    """Return the results in the same order. Raise the first error after canceling the others."""
    tasks = [*map(asyncio.create_task, coroutines)]
    try:
        return await asyncio.gather(*tasks)
    finally:
        await cancel_all(tasks)


async def cancel_all(tasks: "Collection[asyncio.Task[Any]]") -> None:
    """Cancel the unfinished tasks and wait for their end. Ignore the errors of all of them."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
