"""HTTP client for Python: pagination, safe retries and typed errors.

It needs only aiohttp and yarl, and calls the service by its URL:

    async with Client("https://selvedge.example.com", key) as client:
        colors = client.collection("colors")
        async for color in colors.records(state="active"):
            ...
        created = await colors.create({"name": "Washed Sage"})
        await colors.patch(created.id, changes, if_match=created.etag)
        sizes = client.part("size-ranges", 7, "sizes")
        await sizes.replace([*(await sizes.read()).data, {"name": "XXL"}])
        async with client.transaction() as batch:
            batch.upsert("brands", {"customId": "ACME", "name": "Acme", "state": "active"})
            batch.merge("styles", {"number": "SV-1", "brandId": {"customId": "ACME"}})

``BlockingClient`` has the same methods for programs without an event loop. ``Client.changes``
follows the change feed, and ``verify`` checks the messages of a webhook. ``documents`` and
``create_forms`` have types of records for type checkers.
"""

from . import create_forms as create_forms
from . import documents as documents
from .blocking import BlockingChanges as BlockingChanges
from .blocking import BlockingClient as BlockingClient
from .blocking import BlockingCollection as BlockingCollection
from .blocking import BlockingPart as BlockingPart
from .blocking import BlockingTransaction as BlockingTransaction
from .changes import Changes as Changes
from .client import Client as Client
from .collections import Collection as Collection
from .errors import ConflictError as ConflictError
from .errors import Detail as Detail
from .errors import FailureError as FailureError
from .errors import ForbiddenError as ForbiddenError
from .errors import GoneError as GoneError
from .errors import InvalidError as InvalidError
from .errors import NotFoundError as NotFoundError
from .errors import PreconditionFailedError as PreconditionFailedError
from .errors import SelvedgeError as SelvedgeError
from .errors import TooManyRequestsError as TooManyRequestsError
from .errors import UnauthorizedError as UnauthorizedError
from .errors import UnavailableError as UnavailableError
from .errors import UnprocessableError as UnprocessableError
from .errors import UnreachableError as UnreachableError
from .missing import SentRecords as SentRecords
from .options import ALWAYS_DELETED as ALWAYS_DELETED
from .options import MAX_MISSING_SHARE as MAX_MISSING_SHARE
from .options import BulkOptions as BulkOptions
from .options import MissingOptions as MissingOptions
from .options import SyncOptions as SyncOptions
from .parts import Content as Content
from .parts import Part as Part
from .queries import Filter as Filter
from .queries import Sort as Sort
from .records import Document as Document
from .records import FieldChange as FieldChange
from .records import Identity as Identity
from .records import Outcome as Outcome
from .records import Page as Page
from .records import Record as Record
from .retry_policy import RetryPolicy as RetryPolicy
from .transactions import MAX_ENTRIES as MAX_ENTRIES
from .transactions import Transaction as Transaction
from .transactions import TransactionOptions as TransactionOptions
from .webhooks import VerificationError as VerificationError
from .webhooks import verify as verify
