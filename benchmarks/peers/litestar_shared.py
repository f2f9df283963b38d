"""Shared parts of the routes with Litestar: types, and the response envelope."""

import base64
from collections.abc import Sequence
from typing import Annotated, Generic, Literal, TypeVar

import asyncpg
from litestar.params import Parameter
from msgspec import UNSET, Meta, Struct, UnsetType

ORGANIZATION = 1
T = TypeVar("T")
State = Literal["active", "inactive", "deleted"]
Id = Annotated[int, Meta(ge=1, le=2**63 - 1)]
Name = Annotated[str, Meta(min_length=1, max_length=1000)]
Text = Annotated[str, Meta(max_length=1000)]


class Answer(Struct, Generic[T]):
    data: T
    status: Literal["success"] = "success"
    code: Literal["ok"] = "ok"


class Pagination(Struct):
    hasMore: bool
    cursor: str | UnsetType = UNSET


class Page(Struct, Generic[T]):
    data: T
    pagination: Pagination
    status: Literal["success"] = "success"
    code: Literal["ok"] = "ok"


PageSize = Annotated[int, Parameter(query="pageSize", ge=1, le=100)]


def after(cursor: str | None) -> int:
    return int(base64.urlsafe_b64decode(cursor)) if cursor else 0


def pagination(rows: Sequence[asyncpg.Record], size: int) -> Pagination:
    if len(rows) <= size:
        return Pagination(hasMore=False)
    cursor = base64.urlsafe_b64encode(str(rows[size - 1][0]).encode()).decode()
    return Pagination(hasMore=True, cursor=cursor)
