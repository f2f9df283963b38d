"""Statement spy: records the statements that the service sends to the database."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import asyncpg
import pytest

from service import background

_IN_BACKGROUND: Final = ContextVar("in_background", default=False)


class SentStatement(str):
    """Text of a statement that was sent, with its arguments from ``$1``."""

    def __new__(cls, text: str, _: Any = ()) -> "SentStatement":
        return super().__new__(cls, text)

    def __init__(self, _: str, arguments: Any = ()) -> None:
        self.arguments = tuple(arguments)


@contextmanager
def record_statements(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[SentStatement]]:
    """Record the statements of requests on new connections; the list may be cleared.

    Background tasks send theirs at any time, so they are left out.
    Raises if there are none: a service that others used before has its connections already.
    """
    sent: list[SentStatement] = []
    connect, connections = asyncpg.connect, []
    finished = background._finished

    def tell(record: Any) -> None:
        if not _IN_BACKGROUND.get():
            sent.append(SentStatement(record.query, record.args))

    async def finish_unseen(work: Callable[[], Awaitable[object]]) -> bool:
        token = _IN_BACKGROUND.set(True)
        try:
            return await finished(work)
        finally:
            _IN_BACKGROUND.reset(token)

    async def connect_and_tell(*arguments: Any, **options: Any) -> asyncpg.Connection:
        connection = await connect(*arguments, **options)
        connections.append(connection)
        connection.add_query_logger(tell)
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(asyncpg, "connect", connect_and_tell)
        patched.setattr(background, "_finished", finish_unseen)
        yield sent
    assert connections, "nothing could be seen: no connection was made"
