"""The kinds of operations: how each is asked for, what handles it, and what is true of it.

The rest is read from here: the routes, the failures that an operation can answer, and how the
OpenAPI document tells of it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from service.error_types import ErrorType
from service.handlers import changes, identity, pages, reads, system, writes
from service.http.media_types import JSON, JSON_PATCH, MERGE_PATCH

_MANY: Final = "{root}"
_ONE: Final = "{root}/{{{key}}}{below}"
_MEDIA: Final = {"patch": JSON_PATCH, "bulkMerge": MERGE_PATCH}
"""What forms of bodies are sent as that are not sent as JSON alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """What the operations of one kind have in common, whatever their resource."""

    name: str
    method: str
    path: str
    """``{root}`` is the resource's path, ``{key}`` the name of its ids, ``{below}`` what follows
    for parts of records; others stand as is."""
    handler: Callable[..., Awaitable[web.StreamResponse]]
    """Takes the resource, where there is one, the request, and the body, where there is one."""
    summary: str = ""
    """For the OpenAPI document, as the description is; ``{one}`` and ``{several}`` are records."""
    description: str = ""
    body: tuple[str, ...] = ()
    """The forms of the body: definitions of the resource's schema."""
    deletes: bool = False
    """Whether it can take records away."""
    failures: tuple[str, ...] = ()
    """The types of failures that no other kind has."""
    needs_key: bool = True
    """Whether callers must present an API key."""

    @property
    def media_type(self) -> str | None:
        """What a body has to be sent as; None where none is read."""
        if not self.body:
            return None
        return _MEDIA.get(self.body[0], JSON)

    @property
    def names_one(self) -> bool:
        """Whether the path names one record."""
        return self.path == _ONE

    @property
    def needs_records(self) -> bool:
        """Whether it is about records that have to be there."""
        return self.names_one or self.deletes or self.method == "PATCH"

    @property
    def writes(self) -> bool:
        """Whether it changes anything; then it honors an ``Idempotency-Key``."""
        return self.method != "GET"

    @property
    def takes_precondition(self) -> bool:
        """Whether ``If-Match`` can hold it back: it writes one record that is there."""
        return self.writes and self.names_one

    @property
    def is_bulk(self) -> bool:
        """Whether its path names no single record; creates of one record are among these."""
        return self.writes and not self.names_one

    @property
    def identifier(self) -> str:
        """The name of an operation, where ``{one}`` or ``{several}`` names the resource."""
        first, *rest = self.name.split("_")
        noun = "{one}" if "{one}" in self.summary else "{several}"
        return "".join((first, *map(str.title, rest), noun))


LIST: Final = Operation(
    "list",
    "GET",
    _MANY,
    reads.list_records,
    "List {several}",
    "Returns one page of records, filtered and sorted. Deleted records are included only with a "
    "filter on `state`. Every scalar field can be a filter; counts cannot be sort keys.",
    failures=(
        ErrorType.REQUIRED_FIELD,
        ErrorType.OUT_OF_RANGE,
        ErrorType.TOO_MANY_ITEMS,
        ErrorType.TOO_LONG,
        ErrorType.DUPLICATE,
        ErrorType.EXCLUSIVE_PARAMETERS,
        ErrorType.INVALID_CURSOR,
    ),
)
READ: Final = Operation(
    "read",
    "GET",
    _ONE,
    reads.read_record,
    "Read {one}",
    "Returns the record, deleted or not, with its entity tag.",
)
READ_ALL: Final = Operation(
    "read_all",
    "GET",
    _MANY,
    reads.read_all,
    "Read all {several}",
    "Returns all records without paging, ordered by id.",
    failures=(ErrorType.OUT_OF_RANGE,),
)
CREATE: Final = Operation(
    "create",
    "POST",
    _MANY,
    writes.create,
    "Create {several}",
    "An object creates {one}, an array several in one transaction, in request order.",
    ("create", "bulkCreate"),
)
REPLACE: Final = Operation(
    "replace",
    "PUT",
    _ONE,
    writes.replace,
    "Replace {one}",
    "The path identifies the record; an `id` in the body is ignored. `state` `active` or "
    "`inactive` restores a deleted record.",
    ("replace",),
)
PATCH: Final = Operation(
    "patch",
    "PATCH",
    _ONE,
    writes.patch,
    "Patch {one}",
    "Applies all operations to the writable form, which `?form=writable` shows, or none.",
    ("patch",),
    failures=(ErrorType.CONFLICT_TEST_FAILED, ErrorType.UNPROCESSABLE_PATCH),
)
DELETE: Final = Operation(
    "delete",
    "DELETE",
    _ONE,
    writes.delete,
    "Delete {one}",
    "Returns the deleted record. Deleting a deleted record changes nothing.",
    deletes=True,
)
BULK_REPLACE: Final = Operation(
    "bulk_replace",
    "PUT",
    _MANY,
    writes.replace_many,
    "Replace or delete {several}",
    "Runs in one transaction. An item with `state` `deleted` deletes its record. With `match`, "
    "items identify records by their own key (upsert): an item replaces the live record, else "
    "restores a deleted one, else creates a record.",
    ("bulkReplace", "bulkReplaceByKey"),
    deletes=True,
    failures=(ErrorType.CONFLICT_AMBIGUOUS_KEY,),
)
BULK_PATCH: Final = Operation(
    "bulk_patch",
    "PATCH",
    _MANY,
    writes.merge_many,
    "Change {several} in part",
    "Applies each item as a merge patch (RFC 7396): omitted fields keep their values, null clears "
    "a field. With `match`, items identify records by their own key (upsert): deleted records are "
    "restored, missing ones created.",
    ("bulkMerge", "bulkMergeByKey"),
    failures=(ErrorType.CONFLICT_AMBIGUOUS_KEY,),
)
BULK_DELETE: Final = Operation(
    "bulk_delete",
    "DELETE",
    _MANY,
    writes.delete_many,
    "Delete {several}",
    "Runs in one transaction. Deleting a deleted record changes nothing.",
    deletes=True,
)

CHANGES: Final = Operation(
    "follow",
    "GET",
    _MANY,
    changes.read_changes,
    "Follow {several}",
    "Change feed: returns the changes since a cursor, in order, to keep a replica in sync. Take "
    "the cursor of `from=now`, read the lists, then follow the feed from that cursor to miss "
    "nothing. Records that show or count a changed record or setting get an entry, too, as of the "
    "time of reading.",
    failures=(
        ErrorType.REQUIRED_FIELD,
        ErrorType.OUT_OF_RANGE,
        ErrorType.DUPLICATE,
        ErrorType.EXCLUSIVE_PARAMETERS,
        ErrorType.INVALID_CURSOR,
        ErrorType.GONE_CHANGES_EXPIRED,
    ),
)

IDENTIFY: Final = Operation(
    "identify",
    "GET",
    _MANY,
    identity.read_identity,
    "Identify {one}",
    "Returns the installation of the service and the organization of the API key. Clients that "
    "store record ids should store both with them: the service's address can change, these "
    "cannot.",
)

OF_MASTER_RECORDS: Final = (
    LIST, CREATE, BULK_REPLACE, BULK_PATCH, BULK_DELETE, READ, REPLACE, PATCH, DELETE,
)  # fmt: skip
WITHOUT_RESOURCE: Final = (
    Operation("health", "GET", "/healthz", system.health, needs_key=False),
    Operation("readiness", "GET", "/readyz", system.readiness, needs_key=False),
    Operation("metrics", "GET", "/metrics", system.metrics, needs_key=False),
    Operation("openapi", "GET", "/openapi.json", pages.page, needs_key=False),
    Operation("front", "GET", "/", pages.page, needs_key=False),
    Operation("guides", "GET", "/guides", pages.page, needs_key=False),
    Operation("guides_slash", "GET", "/guides/", pages.without_slash, needs_key=False),
    Operation("guide", "GET", "/guides/{name}", pages.page, needs_key=False),
    Operation("docs", "GET", "/docs", pages.page, needs_key=False),
    Operation("docs_slash", "GET", "/docs/", pages.without_slash, needs_key=False),
    Operation("docs_asset", "GET", "/docs/{name}", pages.page, needs_key=False),
)
