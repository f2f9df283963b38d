"""Stored answers that are old go by themselves, whether or not their organization writes again."""

import asyncio
import logging
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from aiohttp import web

from service.database.connections import Database
from service.failures import ApiError
from service.http.context import DATABASE
from service.retries import stored_answers
from service.retries.stored_answers import STORED_ANSWERS, StoredAnswers

_PAUSE_SECONDS: Final = 60
_log = logging.getLogger("service")


async def clearing(app: web.Application) -> AsyncIterator[None]:
    """Clear old answers as long as the application runs."""
    app[STORED_ANSWERS] = StoredAnswers()
    task = asyncio.create_task(_clear(app[DATABASE]))
    yield
    task.cancel()


async def _clear(database: Database) -> None:
    """Clear what is old of some organizations, then of the next: one small step after another."""
    last = 0
    while True:
        await asyncio.sleep(_PAUSE_SECONDS)
        try:
            last = await clear_some(database, last)
        except ApiError:
            pass  # the database is away: later
        except Exception:
            _log.exception("old answers are not cleared")


async def clear_some(database: Database, after: int) -> int:
    """Clear what is old of the next organizations after an id; the last one's id, or 0."""
    ids = await database.look_up(partial(stored_answers.organizations, after=after))
    for one in ids:
        while await database.write(partial(stored_answers.forget_some, organization_id=one), one):
            pass
    return ids[-1] if ids else 0
