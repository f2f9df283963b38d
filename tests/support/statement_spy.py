"""Statement spy: records the statements that the service sends to the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import pytest


@contextmanager
def record_statements(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Record the statements of new connections; the list may be cleared.

    Raises if there are none: a service that others used before has its connections already.
    """
    sent: list[str] = []
    connect, connections = asyncpg.connect, []

    async def connect_and_tell(*arguments: Any, **options: Any) -> asyncpg.Connection:
        connection = await connect(*arguments, **options)
        connections.append(connection)
        connection.add_query_logger(lambda record: sent.append(record.query))
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(asyncpg, "connect", connect_and_tell)
        yield sent
    assert connections, "nothing could be seen: no connection was made"
