"""Shared parts of the routes with Litestar: types, and the response envelope."""

from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta, Struct

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
