"""Helpers for size ranges: creation in one call."""

from typing import Any

from tests.support.api import Api
from tests.support.openapi_validation import form

RANGES = "/api/size-ranges"


async def create(api: Api, **fields: Any) -> str:
    """Create a size range; return its path."""
    answer = await api.post(RANGES, {"name": "Kids 98-164", **fields})
    assert answer.status == 201
    form("size-ranges", "document").validate(answer.data)
    return str(answer.headers["Location"])
