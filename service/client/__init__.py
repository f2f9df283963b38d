"""HTTP client for Python: pagination, safe retries and typed errors.

It needs only aiohttp and yarl, and no other package of the service, which it calls by its URL:

    async with Client("https://selvedge.example.com", key) as client:
        colors = client.collection("colors")
        async for color in colors.records(state="active"):
            ...
        created = await colors.create({"name": "Washed Sage"})
        await colors.patch(created.id, changes, if_match=created.etag)
        sizes = client.part("size-ranges", 7, "sizes")
        await sizes.replace([*(await sizes.read()).data, {"name": "XXL"}])

``BlockingClient`` has the same methods for programs without an event loop. ``Client.changes``
follows the change feed, and ``verify`` checks the messages of a webhook. ``documents`` and
``create_forms`` have types of records for type checkers.
"""

from . import create_forms, documents
from .blocking import BlockingChanges, BlockingClient, BlockingCollection, BlockingPart
from .changes import Changes
from .client import Client
from .collections import Collection
from .errors import (
    ConflictError,
    Detail,
    FailureError,
    ForbiddenError,
    GoneError,
    InvalidError,
    NotFoundError,
    PreconditionFailedError,
    SelvedgeError,
    TooManyMissingError,
    TooManyRequestsError,
    UnauthorizedError,
    UnavailableError,
    UnprocessableError,
    UnreachableError,
)
from .options import BulkOptions, SyncOptions
from .parts import Content, Part
from .queries import Filter, Sort
from .records import Document, FieldChange, Identity, Outcome, Page, Record
from .retry_policy import RetryPolicy
from .webhooks import VerificationError, verify

__all__ = [
    "BlockingChanges",
    "BlockingClient",
    "BlockingCollection",
    "BlockingPart",
    "BulkOptions",
    "Changes",
    "Client",
    "Collection",
    "ConflictError",
    "Content",
    "Detail",
    "Document",
    "FailureError",
    "FieldChange",
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
    "SyncOptions",
    "TooManyMissingError",
    "TooManyRequestsError",
    "UnauthorizedError",
    "UnavailableError",
    "UnprocessableError",
    "UnreachableError",
    "VerificationError",
    "create_forms",
    "documents",
    "verify",
]
