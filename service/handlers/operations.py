"""Operations: method, path, handler and properties of each operation.

Routes, error responses and the OpenAPI document, which has their texts (``static.json``), are
derived from these.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from service.feed import changes
from service.handlers import (
    audit,
    computed_documents,
    export,
    generation,
    identity,
    keys,
    reads,
    system,
    transactions,
    verification,
    webhooks,
    writes,
)
from service.http.envelope import ApiResponse
from service.http.form_files import FORM
from service.http.headers import CSV, JSON, JSON_PATCH, MERGE_PATCH, NDJSON
from service.limits import MAX_BODY_BYTES, MAX_TRANSACTION_BYTES
from service.organizations import scopes

COLLECTION_PATH: Final = "{root}"
"""Template of ``Operation.path``, as is RECORD_PATH."""
RECORD_PATH: Final = "{root}/{{{key}}}{below}"
_MEDIA: Final = {
    "patch": JSON_PATCH,
    "merge": MERGE_PATCH,
    "bulkMerge": MERGE_PATCH,
    "bulkMergeByKey": MERGE_PATCH,
    "entry": NDJSON,
    "comparison": NDJSON,
    "file": "application/octet-stream",
    "table": CSV,
    "form": FORM,
    "sheet": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""Media types by form of body, other than JSON."""


_RESTRICTABLE: Final = (
    *("list", "read", "read_all", "follow"),
    *("replace", "patch", "bulk_replace", "bulk_patch", "write"),
)
"""Names of operations that hide the records of other suppliers."""


def media_type(form: str) -> str:
    """Return the media type of a form of body, such as ``bulkMerge``; JSON for most forms."""
    return _MEDIA.get(form, JSON)


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """Operation of the interface, the same for every resource that has it."""

    name: str
    method: str
    path: str
    """Path template.

    ``{root}`` is the resource's path, ``{key}`` the name of its id, ``{below}`` the path suffix of
    a part.
    """
    handler: Callable[..., Awaitable[ApiResponse]]
    """Takes the resource, if any, the request, and the body, if any."""
    body: tuple[str, ...] = ()
    """Names of the forms of the body, such as ``create``; () if there is no body."""
    max_body_bytes: int = MAX_BODY_BYTES
    needs_key: bool = True
    """Whether callers must present an API key."""
    of_records: bool = True
    """Whether a write is one of records, which takes ``dryRun``; those of webhooks are not."""
    is_stored: bool = True
    """Whether it changes anything that is stored; ignored for a GET."""
    needs_write_key: bool = True
    """Whether a scope to read does not suffice; ignored for a GET."""
    is_cached: bool = False
    """Whether responses go through the response cache, if the change feed has the resource."""

    @property
    def media_types(self) -> tuple[str, ...]:
        """Media types of the body; () if there is no body."""
        return tuple(dict.fromkeys(map(media_type, self.body)))

    @property
    def access(self) -> str:
        """Access of the scope that it needs."""
        if self.method == "GET" or not self.needs_write_key:
            return scopes.READ
        return scopes.DELETE if self.method == "DELETE" else scopes.WRITE

    @property
    def is_restrictable(self) -> bool:
        """Whether a scope that is restricted to suppliers suffices."""
        return self.name in _RESTRICTABLE

    @property
    def names_record(self) -> bool:
        """Whether the path names a single record."""
        return self.path.startswith(RECORD_PATH)

    @property
    def writes(self) -> bool:
        """Whether it is a write, which takes an ``Idempotency-Key``."""
        return self.method != "GET" and self.is_stored

    @property
    def takes_precondition(self) -> bool:
        """Whether it takes ``If-Match`` and ``If-None-Match``: a write of a record by its path."""
        return self.takes_dry_run and self.names_record

    @property
    def takes_dry_run(self) -> bool:
        """Whether it takes ``dryRun``: a write of records."""
        return self.writes and self.of_records

    @property
    def is_bulk(self) -> bool:
        """Whether it writes records and its path names none; includes creates of one record."""
        return self.takes_dry_run and not self.names_record


LIST: Final = Operation("list", "GET", COLLECTION_PATH, reads.list_records, is_cached=True)
LIST_PRICES: Final = replace(LIST, name="find", handler=reads.list_effective_prices)
READ: Final = Operation("read", "GET", RECORD_PATH, reads.read_record, is_cached=True)
READ_ALL: Final = Operation("read_all", "GET", COLLECTION_PATH, reads.read_all, is_cached=True)
CREATE: Final = Operation(
    "create", "POST", COLLECTION_PATH, writes.create, body=("create", "bulkCreate")
)
REPLACE: Final = Operation("replace", "PUT", RECORD_PATH, writes.replace, body=("replace",))
PATCH: Final = Operation("patch", "PATCH", RECORD_PATH, writes.patch, body=("patch", "merge"))
DELETE: Final = Operation("delete", "DELETE", RECORD_PATH, writes.delete)
BULK_REPLACE: Final = Operation(
    "bulk_replace",
    "PUT",
    COLLECTION_PATH,
    writes.replace_many,
    body=("bulkReplace", "bulkReplaceByKey"),
)
BULK_PATCH: Final = Operation(
    "bulk_patch", "PATCH", COLLECTION_PATH, writes.merge_many, body=("bulkMerge", "bulkMergeByKey")
)
BULK_DELETE: Final = Operation("bulk_delete", "DELETE", COLLECTION_PATH, writes.delete_many)
OF_MASTER_RECORDS: Final = (
    *(LIST, CREATE, BULK_REPLACE, BULK_PATCH, BULK_DELETE),
    *(READ, REPLACE, PATCH, DELETE),
)
"""Operations of each collection of master records, in the order of the OpenAPI document.

Operations on the collection come before those of a single record.
"""
OF_ORGANIZATIONS: Final = (LIST, READ, REPLACE, PATCH)
OF_PART_COLLECTIONS: Final = (LIST, BULK_REPLACE, BULK_PATCH)

GENERATE: Final = Operation(
    "generate", "POST", COLLECTION_PATH, generation.generate, body=("generate",)
)

TRANSACTION: Final = Operation(
    "write",
    "POST",
    COLLECTION_PATH,
    transactions.write,
    body=("entries", "entry"),
    max_body_bytes=MAX_TRANSACTION_BYTES,
)

ALLOCATE: Final = Operation(
    "allocate", "POST", COLLECTION_PATH, generation.allocate, body=("allocations",)
)

CHANGES: Final = Operation("follow", "GET", COLLECTION_PATH, changes.read_changes)

LIST_PRODUCTS: Final = replace(LIST, name="offer")

CHECK: Final = Operation("check", "GET", RECORD_PATH, computed_documents.read_completeness)

SHOW: Final = Operation("show", "GET", RECORD_PATH, computed_documents.read_passport)
SCAN: Final = Operation("scan", "GET", RECORD_PATH, computed_documents.read_passport)

EXPORT: Final = Operation("export", "GET", COLLECTION_PATH, export.export_records)

COUNT: Final = Operation("count", "GET", COLLECTION_PATH, verification.count)
COMPARE: Final = Operation(
    "compare",
    "POST",
    COLLECTION_PATH,
    verification.compare,
    body=("comparisons", "comparison"),
    max_body_bytes=MAX_TRANSACTION_BYTES,
    is_stored=False,
    needs_write_key=False,
)

OF_KEYS: Final = (
    LIST,
    Operation("add", "POST", COLLECTION_PATH, keys.add, body=("create",), of_records=False),
    READ,
    Operation("remove", "DELETE", RECORD_PATH, keys.remove, of_records=False),
    Operation(
        "rotate", "POST", f"{RECORD_PATH}/rotate", keys.rotate, body=("rotate",), of_records=False
    ),
)
"""Operations of API keys, which are as those of webhooks."""
REVIEW: Final = Operation("review", "GET", COLLECTION_PATH, audit.read_audit)

IDENTIFY: Final = Operation("identify", "GET", COLLECTION_PATH, identity.read_identity)

ADD: Final = Operation(
    "add", "POST", COLLECTION_PATH, webhooks.add, body=("create",), of_records=False
)
REMOVE: Final = Operation("remove", "DELETE", RECORD_PATH, webhooks.remove, of_records=False)
TEST: Final = Operation(
    "test", "POST", f"{RECORD_PATH}/test", webhooks.test, of_records=False, is_stored=False
)


def _change(name: str, form: str, method: str = "POST", below: str = "") -> Operation:
    """Return an operation that changes a webhook by a body of a form."""
    handler = partial(webhooks.change, form=form)
    return Operation(name, method, RECORD_PATH + below, handler, body=(form,), of_records=False)


UPDATE: Final = _change("update", "merge", "PATCH")
REWIND: Final = _change("rewind", "rewind", below="/rewind")
ROTATE: Final = _change("rotate", "rotate", below="/rotate")
OF_WEBHOOKS: Final = (LIST, ADD, READ, UPDATE, REMOVE, TEST, REWIND, ROTATE)
"""Operations of webhooks; lists and reads are those of records, but not cached: no feed has them.

Its writes take neither ``dryRun`` nor preconditions (``of_records``).
"""

WITHOUT_RESOURCE: Final = (
    Operation("health", "GET", "/healthz", system.health, needs_key=False),
    Operation("readiness", "GET", "/readyz", system.readiness, needs_key=False),
    Operation("metrics", "GET", "/metrics", system.show_metrics, needs_key=False),
)
