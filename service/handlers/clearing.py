"""Stored answers and changes that are old go by themselves, whether or not anybody comes again."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from aiohttp import web

from service.database.connections import Connection, Database
from service.failures import ApiError
from service.http.context import DATABASE
from service.queries import feed
from service.retries import stored_answers
from service.retries.stored_answers import STORED_ANSWERS, StoredAnswers

_PAUSE_SECONDS: Final = 60
_log = logging.getLogger("service")


async def clearing(app: web.Application, changes_days: int) -> AsyncIterator[None]:
    """Clear what is old as long as the application runs."""
    app[STORED_ANSWERS] = StoredAnswers()
    task = asyncio.create_task(_clear(app[DATABASE], changes_days))
    yield
    task.cancel()


async def _clear(database: Database, changes_days: int) -> None:
    """Clear what is old of some organizations, then of the next: one small step after another."""
    last = 0
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
        try:
            last = await clear_some(database, last, changes_days)
        except ApiError:
            pass  # the database is away: later
        except Exception:
            _log.exception("what is old is not cleared")


async def clear_some(database: Database, after: int, changes_days: int) -> int:
    """Clear what is old of the next organizations after an id; the last one's id, or 0."""
    ids = await database.look_up(partial(stored_answers.organizations, after=after))
    for one in ids:
        for step in _steps(one, changes_days):
            while await database.write(step, one):
                pass
    return ids[-1] if ids else 0


def _steps(
    organization_id: int, changes_days: int
) -> Iterator[Callable[[Connection], Awaitable[bool]]]:
    """What there is to do for an organization, each until it answers that there is no more."""
    old = datetime.now(UTC) - timedelta(days=changes_days)
    yield partial(stored_answers.forget_some, organization_id=organization_id)
    yield partial(feed.number, organization_id=organization_id)
    yield partial(feed.clear, organization_id=organization_id, before=old)
