"""Shared parts of the routes with FastAPI: types, the response envelope, the connection."""

from collections.abc import AsyncIterator
from typing import Annotated, Generic, Literal, TypeVar

import asyncpg
from fastapi import Depends, Request
from pydantic import BaseModel, Field

ORGANIZATION = 1
T = TypeVar("T")
State = Literal["active", "inactive", "deleted"]
Id = Annotated[int, Field(ge=1, le=2**63 - 1)]
Name = Annotated[str, Field(min_length=1, max_length=1000)]
Text = Annotated[str, Field(max_length=1000)]
# Left out of an answer while there is none, where other fields are null.
OrAbsent = Annotated[T | None, Field(exclude_if=lambda value: value is None)]


class Answer(BaseModel, Generic[T]):
    status: Literal["success"] = "success"
    code: Literal["ok"] = "ok"
    data: T


async def connection(request: Request) -> AsyncIterator[asyncpg.Connection]:
    async with request.app.state.pool.acquire() as acquired:
        yield acquired


Connection = Annotated[asyncpg.Connection, Depends(connection)]
