"""Shared parts of the routes with FastAPI: types, the response envelope, the connection."""

import base64
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Generic, Literal, TypeVar

import asyncpg
from fastapi import Depends, Query, Request
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


class Pagination(BaseModel):
    hasMore: bool
    cursor: OrAbsent[str] = None


class Page(Answer[T], Generic[T]):
    pagination: Pagination


PageSize = Annotated[int, Query(ge=1, le=100)]


async def connection(request: Request) -> AsyncIterator[asyncpg.Connection]:
    async with request.app.state.pool.acquire() as acquired:
        yield acquired


Connection = Annotated[asyncpg.Connection, Depends(connection)]


def after(cursor: str | None) -> int:
    return int(base64.urlsafe_b64decode(cursor)) if cursor else 0


def pagination(rows: Sequence[asyncpg.Record], size: int) -> Pagination:
    if len(rows) <= size:
        return Pagination(hasMore=False)
    cursor = base64.urlsafe_b64encode(str(rows[size - 1][0]).encode()).decode()
    return Pagination(hasMore=True, cursor=cursor)
