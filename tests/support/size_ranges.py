"""Size ranges in the tests: made in one call."""

from typing import Any

from tests.support.api import Api
from tests.support.published import form

RANGES = "/api/size-ranges"


async def create(api: Api, **fields: Any) -> str:
    """The path of a new size range."""
    answer = await api.post(RANGES, {"name": "Kids 98-164", **fields})
    assert answer.status == 201
    form("size-ranges", "document").validate(answer.data)
    return str(answer.headers["Location"])
