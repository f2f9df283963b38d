"""Master records: every write is a batch, in one transaction, all or nothing.

The order of work is the same for all resources: lock the rows in id order, check everything that
needs the database, write sets, read the documents back. A resource says what is its own by a
subclass of :class:`MasterRecord` and the statements of its SQL file.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeAlias

import orjson

from service.database.arrays import id_array
from service.database.connections import Connection
from service.errors import failure
from service.faults import Fault
from service.http.etag import Precondition
from service.organizations.caller import Caller
from service.queries.batch import Batch, Item
from service.queries.resource import SHARED, Resource
from service.schemas.validation import Validator

Edit: TypeAlias = Callable[[Item], Item]
"""From the stored writable form to the wanted one; raises ApiError."""


class MasterRecord(Resource):
    """One of the resources that callers write.

    Statements by name, each with ``$1`` the organization and ``$2`` the items as JSON:
    those of ``inserts``, of ``updates``, and of ``children``, which run after both; ``check``
    answers the rows (item from 1, type, field, value) of what is wrong with items. With ``$2``
    ids: those of ``deletes`` mark records deleted and see to what hangs on them, and ``in_use``
    answers (id, value) of those that others need. Deletes come before updates: what a deleted
    record held is free for the others of its request.
    """

    table: ClassVar[str]
    hides_deleted = True
    foreign_is_forbidden: ClassVar[bool] = False
    """Whether another organization's record is told from an unknown one."""
    has_position: ClassVar[bool] = False
    """Whether records have a position, which creating counts on from the highest."""
    unique: ClassVar[tuple[str, ...]] = ()
    """Fields whose values no two live items of a request may share."""
    written_separately: ClassVar[tuple[str, ...]] = ()
    """Fields that the class writes in its own way: the items of statements are without them."""
    inserts: ClassVar[tuple[str, ...]] = ("insert",)
    updates: ClassVar[tuple[str, ...]] = ("update",)
    children: ClassVar[tuple[str, ...]] = ()
    deletes: ClassVar[tuple[str, ...]] = ("delete",)

    def __init__(self) -> None:
        super().__init__()
        self.create_form = Validator(self.name, "create")
        self.replace_form = Validator(self.name, "replace")
        self.bulk_create_form = Validator(self.name, "bulkCreate")
        self.bulk_replace_form = Validator(self.name, "bulkReplace")

    def faults(self, item: Item) -> Iterable[Fault]:  # noqa: ARG002
        """What an item alone shows to be wrong beyond its schema, which it may break too."""
        return ()

    async def prepare(self, connection: Connection, batch: Batch) -> None:
        """Take the locks that come before the records'."""

    async def check(self, connection: Connection, batch: Batch) -> None:
        """Report to the batch what the database shows to be wrong with its items."""
        if "check" in self.statements:
            await self.report(connection, "check", batch)

    async def check_unused(
        self,
        connection: Connection,
        kept: Batch,  # noqa: ARG002
        gone: Batch,
        live: list[int],
    ) -> None:
        """Report the items of ``gone`` that cannot go: of their ``live`` ids those in use."""
        if live and "in_use" in self.statements:
            organization_id = gone.caller.organization_id
            for row in await connection.fetch(
                self.statements["in_use"].text, organization_id, live
            ):
                gone.fail_record(row["id"], "conflict.in_use", row["value"])

    async def report(self, connection: Connection, name: str, batch: Batch, *more: Any) -> None:
        """Report to the batch the rows of a statement that checks its items."""
        for row in await self.fetch(connection, name, batch, *more):
            batch.fail(row["item"] - 1, row["type"], row["field"], row["value"])

    async def write_children(self, connection: Connection, batch: Batch) -> None:
        """Bring what hangs on the records to what the items say; differences only."""
        for name in self.children:
            await self.fetch(connection, name, batch)

    async def finish(
        self,
        connection: Connection,
        batch: Batch,
        live: list[int],  # noqa: ARG002
    ) -> bytes:
        """The documents of a batch that is written; ``live`` are the ids that it deleted."""
        return await self.documents(connection, batch.caller, batch.ids)

    async def fetch(self, connection: Connection, name: str, batch: Batch, *more: Any) -> list[Any]:
        """The rows of a statement that takes the organization, the items, and maybe more."""
        rows: list[Any] = await connection.fetch(
            self.statements[name].text,
            batch.caller.organization_id,
            batch.json(self.written_separately),
            *more,
        )
        return rows


async def create(connection: Connection, resource: MasterRecord, batch: Batch) -> bytes:
    """The documents of new records, in request order; gives each item its id."""
    if resource.has_position:
        await lock_organization(connection, batch.caller)
    rows = await connection.fetch(SHARED["next_ids"].text, resource.table, len(batch.items))
    for item, row in zip(batch.items, rows, strict=True):
        item["id"] = row["id"]
    await resource.prepare(connection, batch)
    await resource.check(connection, batch)
    batch.raise_failures()
    for name in resource.inserts:
        await resource.fetch(connection, name, batch)
    await resource.write_children(connection, batch)
    return await resource.documents(connection, batch.caller, batch.ids)


async def replace(
    connection: Connection, resource: MasterRecord, batch: Batch, precondition: Precondition
) -> bytes:
    """The documents after a replace; items whose state is ``deleted`` are deleted."""
    kept, gone = batch.split(lambda item: item.get("state") == "deleted")
    return await _write(connection, resource, batch, kept, gone, precondition)


async def delete(
    connection: Connection, resource: MasterRecord, batch: Batch, precondition: Precondition
) -> bytes:
    """The documents of records as they were deleted; deleting again changes nothing."""
    kept, gone = batch.split(lambda _: True)
    return await _write(connection, resource, batch, kept, gone, precondition)


async def patch(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    precondition: Precondition,
    edit: Edit,
) -> bytes:
    """The document after ``edit`` changed its writable form, under the record's lock."""
    await resource.prepare(connection, batch)
    states = await _lock(connection, resource, batch, "for no key update")
    await _require(connection, resource, batch, precondition)
    batch.raise_failures()
    writable = await resource.documents(connection, batch.caller, batch.ids, "writables")
    batch.items[0] = edit(orjson.loads(writable)) | {"id": batch.items[0]["id"]}
    kept, gone = batch.split(lambda _: False)
    return await _settle(connection, resource, batch, kept, gone, states)


async def _write(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    kept: Batch,
    gone: Batch,
    precondition: Precondition,
) -> bytes:
    await resource.prepare(connection, kept)
    strength = "for update" if gone.items else "for no key update"
    states = await _lock(connection, resource, batch, strength)
    await _require(connection, resource, batch, precondition)
    return await _settle(connection, resource, batch, kept, gone, states)


async def _settle(
    connection: Connection,
    resource: MasterRecord,
    batch: Batch,
    kept: Batch,
    gone: Batch,
    states: dict[int, str],
) -> bytes:
    """Check, write and read back a batch whose records are locked and in these states."""
    known = kept
    if len(states) < len(batch.items):
        known = kept.only(lambda item: item["id"] in states)
    if known.items:
        await resource.check(connection, known)
    live = [item["id"] for item in gone.items if states.get(item["id"], "deleted") != "deleted"]
    await resource.check_unused(connection, kept, gone, live)
    batch.raise_failures()
    organization_id = batch.caller.organization_id
    if live:
        for name in resource.deletes:
            await connection.execute(resource.statements[name].text, organization_id, live)
    if kept.items:
        for name in resource.updates:
            await resource.fetch(connection, name, kept)
        await resource.write_children(connection, kept)
    return await resource.finish(connection, batch, live)


async def _lock(
    connection: Connection, resource: MasterRecord, batch: Batch, strength: str
) -> dict[int, str]:
    """The state of each record of the batch, by id; reports the ones that are not there."""
    text = SHARED["lock_records"].fill(table=resource.table, strength=strength)
    rows = await connection.fetch(text, batch.caller.organization_id, id_array(batch.ids))
    states = {row["id"]: row["state"] for row in rows}
    if missing := set(batch.ids) - states.keys():
        await _report_missing(connection, resource, batch, missing)
    return states


async def _report_missing(
    connection: Connection, resource: MasterRecord, batch: Batch, missing: set[int]
) -> None:
    """Report the items of records that are not there, or another organization's."""
    foreign: set[int] = set()
    if resource.foreign_is_forbidden:
        foreign = await _elsewhere(connection, resource, sorted(missing))
    for number, item in enumerate(batch.items):
        if item["id"] in foreign:
            batch.fail(number, "forbidden.organization", "id", "Another organization's record.")
        elif item["id"] in missing:
            batch.fail(number, "not_found", "id", "There is no such record.")


async def _elsewhere(connection: Connection, resource: MasterRecord, ids: list[int]) -> set[int]:
    """Those of the ids that other organizations own."""
    text = SHARED["owned_by_any"].fill(table=resource.table)
    return {row["id"] for row in await connection.fetch(text, ids)}


async def _require(
    connection: Connection, resource: MasterRecord, batch: Batch, precondition: Precondition
) -> None:
    """Report a record that is not as the caller knows it, in either of its forms."""
    if not precondition.tags or batch.failures:
        return
    for form in ("documents", "writables"):
        if precondition.holds(await resource.documents(connection, batch.caller, batch.ids, form)):
            return
    batch.fail(0, "precondition_failed", None, "The record has changed since it was read.")


async def lock_organization(connection: Connection, caller: Caller) -> None:
    """Let one writer at a time do what concerns the whole organization."""
    await connection.execute(SHARED["lock_organization"].text, caller.organization_id)


async def read(
    connection: Connection, resource: Resource, caller: Caller, path: Sequence[int], form: str
) -> bytes:
    """One document, or its writable form; ``path`` are the ids of its parents and its own.

    Raises ``not_found``, or ``forbidden.organization``.
    """
    *parents, record_id = path
    found = await resource.rendered(connection, caller, [record_id], form, parents)
    if found:
        return found[record_id]
    await resource.require_parents(connection, caller, parents)
    if (
        isinstance(resource, MasterRecord)
        and resource.foreign_is_forbidden
        and await _elsewhere(connection, resource, [record_id])
    ):
        raise failure("forbidden.organization", "id", "Another organization's record.")
    raise failure("not_found", resource.key, "There is no such record.")
