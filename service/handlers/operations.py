"""Operations: method, path, handler and properties of each operation.

Routes, error responses and the OpenAPI document are derived from these and those of
``webhook_operations``.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from service.handlers import changes, export, identity, pages, reads, system, writes
from service.http.media_types import JSON, JSON_PATCH, MERGE_PATCH

COLLECTION_PATH: Final = "{root}"
"""Template of ``Operation.path``, as is RECORD_PATH."""
RECORD_PATH: Final = "{root}/{{{key}}}{below}"
_MEDIA: Final = {
    "patch": JSON_PATCH,
    "merge": MERGE_PATCH,
    "bulkMerge": MERGE_PATCH,
    "bulkMergeByKey": MERGE_PATCH,
}
"""Media types by form of body, other than JSON."""


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
    handler: Callable[..., Awaitable[web.StreamResponse]]
    """Takes the resource, if any, the request, and the body, if any."""
    summary: str = ""
    """OpenAPI summary; ``{one}`` and ``{several}`` name the resource's records."""
    description: str = ""
    body: tuple[str, ...] = ()
    """Names of the forms of the body, such as ``create``; () if there is no body."""
    needs_key: bool = True
    """Whether callers must present an API key."""
    of_records: bool = True
    """Whether a write is one of records, which takes ``dryRun``; those of webhooks are not."""
    is_stored: bool = True
    """Whether it changes anything that is stored; ignored for a GET."""
    is_cached: bool = False
    """Whether responses go through the response cache, if the change feed has the resource."""

    @property
    def media_types(self) -> tuple[str, ...]:
        """Media types of the body; () if there is no body."""
        return tuple(dict.fromkeys(map(media_type, self.body)))

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

    @property
    def identifier(self) -> str:
        """OpenAPI operation id; ``{one}`` or ``{several}`` stands for the resource's noun."""
        first, *rest = self.name.split("_")
        noun = "{one}" if "{one}" in self.summary else "{several}"
        return "".join((first, *map(str.title, rest), noun))


LIST: Final = Operation(
    "list",
    "GET",
    COLLECTION_PATH,
    reads.list_records,
    "List",
    is_cached=True,
)
READ: Final = Operation(
    "read",
    "GET",
    RECORD_PATH,
    reads.read_record,
    "Read {one}",
    is_cached=True,
)
READ_ALL: Final = Operation(
    "read_all",
    "GET",
    COLLECTION_PATH,
    reads.read_all,
    "Read all {several}",
    "Returns all records without paging, ordered by id.",
    is_cached=True,
)
CREATE: Final = Operation(
    "create",
    "POST",
    COLLECTION_PATH,
    writes.create,
    "Create {several}",
    body=("create", "bulkCreate"),
)
REPLACE: Final = Operation(
    "replace",
    "PUT",
    RECORD_PATH,
    writes.replace,
    "Replace {one}",
    body=("replace",),
)
PATCH: Final = Operation(
    "patch",
    "PATCH",
    RECORD_PATH,
    writes.patch,
    "Patch {one}",
    body=("patch", "merge"),
)
DELETE: Final = Operation(
    "delete",
    "DELETE",
    RECORD_PATH,
    writes.delete,
    "Delete {one}",
)
BULK_REPLACE: Final = Operation(
    "bulk_replace",
    "PUT",
    COLLECTION_PATH,
    writes.replace_many,
    "Replace or delete",
    body=("bulkReplace", "bulkReplaceByKey"),
)
BULK_PATCH: Final = Operation(
    "bulk_patch",
    "PATCH",
    COLLECTION_PATH,
    writes.merge_many,
    "Change in part",
    body=("bulkMerge", "bulkMergeByKey"),
)
BULK_DELETE: Final = Operation(
    "bulk_delete",
    "DELETE",
    COLLECTION_PATH,
    writes.delete_many,
    "Delete {several}",
)
OF_MASTER_RECORDS: Final = (
    *(LIST, CREATE, BULK_REPLACE, BULK_PATCH, BULK_DELETE),
    *(READ, REPLACE, PATCH, DELETE),
)
"""Operations of each collection of master records, in the order of the OpenAPI document.

Operations on the collection come before those of a single record.
"""
OF_PART_COLLECTIONS: Final = (LIST, BULK_REPLACE, BULK_PATCH)

CHANGES: Final = Operation(
    "follow",
    "GET",
    COLLECTION_PATH,
    changes.read_changes,
    "Follow {several}",
    "Change feed: returns the changes since a cursor, in order, to keep a replica in sync. Take "
    "the cursor of `from=now`, read the lists, then follow the feed from that cursor to miss "
    "nothing. Records that show or count a changed record or setting get an entry, too, as of the "
    "time of reading.",
)

EXPORT: Final = Operation(
    "export",
    "GET",
    COLLECTION_PATH,
    export.export_records,
    "Export {several}",
    "Returns all live records of the collections, as of one moment, one JSON object per line "
    "(NDJSON). The last line has the cursor of the change feed at that moment and the number of "
    "records; without it the export is incomplete. A single collection whose records are flat is "
    "also available as CSV. One export at a time runs in a worker for each organization.",
)

IDENTIFY: Final = Operation(
    "identify",
    "GET",
    COLLECTION_PATH,
    identity.read_identity,
    "Identify {one}",
    "Returns the installation of the service, the organization and its features, the API key, and "
    "the limits. Clients that store record ids should store the ids of installation and "
    "organization with them: the service's address can change, these cannot.",
)

WITHOUT_RESOURCE: Final = (
    Operation("health", "GET", "/healthz", system.health, needs_key=False),
    Operation("readiness", "GET", "/readyz", system.readiness, needs_key=False),
    Operation("metrics", "GET", "/metrics", system.metrics, needs_key=False),
    Operation("openapi", "GET", "/openapi.json", pages.page, needs_key=False),
    Operation("api_catalog", "GET", "/.well-known/api-catalog", pages.catalog, needs_key=False),
    Operation("front", "GET", "/", pages.page, needs_key=False),
    Operation("guides", "GET", "/guides", pages.page, needs_key=False),
    Operation("guides_slash", "GET", "/guides/", pages.without_slash, needs_key=False),
    Operation("guide", "GET", "/guides/{name}", pages.page, needs_key=False),
    Operation("docs", "GET", "/docs", pages.page, needs_key=False),
    Operation("docs_slash", "GET", "/docs/", pages.without_slash, needs_key=False),
    Operation("data", "GET", "/data", pages.page, needs_key=False),
    Operation("data_slash", "GET", "/data/", pages.without_slash, needs_key=False),
    Operation("data_asset", "GET", "/data/{name}", pages.page, needs_key=False),
    Operation("docs_asset", "GET", "/docs/{name}", pages.page, needs_key=False),
)
