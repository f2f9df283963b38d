"""HTTP client for Python: pagination, safe retries and typed errors.

It imports no other package of the service, so it works with any Selvedge:

    async with Client("https://selvedge.example.com", key) as client:
        colors = client.collection("colors")
        async for color in colors.records(state="active"):
            ...
        created = await colors.create({"name": "Washed Sage"})
        await colors.patch(created.id, changes, if_match=created.etag)
        sizes = client.part("size-ranges", 7, "sizes")
        await sizes.replace([*(await sizes.read()).data, {"name": "XXL"}])
"""

from service.client.changes import Changes
from service.client.client import Client
from service.client.collections import Collection
from service.client.errors import (
    ConflictError,
    Detail,
    FailureError,
    ForbiddenError,
    GoneError,
    InvalidError,
    NotFoundError,
    PreconditionFailedError,
    SelvedgeError,
    TooManyRequestsError,
    UnauthorizedError,
    UnavailableError,
    UnprocessableError,
    UnreachableError,
)
from service.client.parts import Content, Part
from service.client.queries import Filter, Sort
from service.client.records import Identity, Outcome, Page, Record
from service.client.retry_policy import RetryPolicy

__all__ = [
    "Changes",
    "Client",
    "Collection",
    "ConflictError",
    "Content",
    "Detail",
    "FailureError",
    "Filter",
    "ForbiddenError",
    "GoneError",
    "Identity",
    "InvalidError",
    "NotFoundError",
    "Outcome",
    "Page",
    "Part",
    "PreconditionFailedError",
    "Record",
    "RetryPolicy",
    "SelvedgeError",
    "Sort",
    "TooManyRequestsError",
    "UnauthorizedError",
    "UnavailableError",
    "UnprocessableError",
    "UnreachableError",
]
