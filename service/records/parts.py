"""Record parts: sub-resources of records with paths of their own (contract, Parts).

Writes of a record do not take its parts, though some change them: languages of a color, sizes of a
sample request, hard deletes. A part is read and replaced as a whole, and some take patches. A
sample request has such a part for each requested size. A write of a part locks its owner's row. The
change feed shows it as a change of the part's collection, which has one record for each owner
(``service/writing/part_collections.py``).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from service import schemas
from service.batches.batch import Batch
from service.batches.change_recorder import BoundStatement, WritePlan
from service.batches.entry import Item
from service.batches.write_set import WriteSet
from service.database.statements import SHARED, Statement, load
from service.errors import ErrorDetail
from service.files import SQL
from service.limits import MAX_BODY_BYTES
from service.listing.page_sql import column_of
from service.records import relation_statements, scalar_columns
from service.records.child_list import ChildList
from service.records.master_record import MasterRecord
from service.records.matched_children import MatchedChildren, missing_ids
from service.records.path_keys import KeyLookup
from service.records.writable_resource import FOR_NO_KEY_UPDATE, WritableResource
from service.schemas.validation import Validator


class NestedLists(NamedTuple):
    """Lists that are a member of entries, in several of these."""

    child: ChildList
    lists: Sequence[MatchedChildren]


class RecordPart(WritableResource):
    """Part of a record of ``owner``: ``schemas/<name>.json``, and ``sql/<name>.sql`` if needed.

    Rows that write statements return have the owner's id in ``id``, if they have that column: the
    id of the changed record of the part's collection (``service/batches/change_recorder.py``). The
    fragment ``filled`` is the condition of the owners, as ``record``, whose part is not empty.
    """

    owner: ClassVar[type[MasterRecord]]
    is_patched = False
    keeps_omitted = True
    _max_bytes = MAX_BODY_BYTES
    compares_patched = False
    """Whether ``patched_errors`` compares ids, for which key objects in patches are looked up."""
    has_several_parts: ClassVar[bool] = False
    """Whether an owner has several of it."""
    missing_form: ClassVar[str | None] = None
    """Writable form of one of several that has no rows; None if it does not exist then."""
    children: ClassVar[ChildList | None] = None
    """List that is the part, or that is a member of it.

    Then all statements are generated. Those of the SQL file, if there is one, add to them; its
    fragments override the rows of owners (``record``), of entries (``ChildList.join``), and
    ``filled``.
    """

    def __init_subclass__(cls) -> None:
        """Bind the list to the part; parts with a path suffix stand below their owner's path."""
        if cls.children is not None and "children" in vars(cls):
            name = cls.list_name or cls.children.name
            cls.children = cls.children.bound(cls.name, schemas.table(cls.owner.name), name)
        if "name" in vars(cls):
            # The part's own collection is called by its name.
            cls.collection = cls.owner.name
            cls.segment = cls.segment or (cls.owner.name if cls.below else "")

    def __init__(self) -> None:
        super().__init__()
        filled = self.statements["filled"].text
        self._scope_name = self.name
        self.owner.parts = {**self.owner.parts, self.name: filled}
        self.table, self.stored_state = self.owner.table, self.owner.stored_state
        self.locks_organization = bool(self.owner.locks_organization)
        self.foreign_is_forbidden = self.owner.foreign_is_forbidden
        # Outcomes of a part name the owner's record.
        for name in schemas.key_fields(self.owner.name)[:1]:
            self.key_columns = (column_of(name), self.key_columns[1])
        if not self.parents:
            lookup = KeyLookup.of(self.owner.name, self.table, self.stored_state)
            self.key_lookups = {self.key: lookup}
        if self.children is not None and self.list_name:
            validator = Validator(self.name, "replace", rules_of_list=self.children.errors)
            validator.max_bytes = self._max_bytes
            self.validators["replace"] = validator

    def images(self, ids: str) -> str:
        """Return the SQL of the forms of all parts of owners, if these have several each.

        Its columns are ``record_id``, ``part_id`` and ``document``.
        """
        raise NotImplementedError

    @property
    def fan_outs(self) -> Mapping[str, Mapping[str, Statement]]:
        """Fan-out statements by the name of the cause, then as ``shown_in``."""
        return {self.name: self.shown_in}

    @cached_property
    def locks_by_id(self) -> Mapping[str, str]:
        """Statements that lock owners, by strength; below parents one that locks the outer one."""
        if not self.parents:
            return self._locking_texts(SHARED["id_is_sent"].text)
        return {FOR_NO_KEY_UPDATE: self.statements["lock"].text}

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements of the SQL file and those of the list, and both forms.

        Only ``forms`` uses ``documents_by_owner``.
        """
        own = dict(self._own_statements())
        own.pop("documents_by_owner", None)
        if self.children is not None:
            column = self.children.column
            for name in ("record", column, f"writable_{column}"):
                own.pop(name, None)
            generated = self.children.statements
            own = relation_statements.statements_of(f"{self.owner.name}{self.below}") | own
            own = {"filled": generated["filled"]} | own | self.children.named_statements()
        return {**own, **self.forms()}

    def _own_statements(self) -> Mapping[str, Statement]:
        """Return the statements of the SQL file; none without a file."""
        file = self.name.replace("-", "_")
        return load(file) if (SQL / f"{file}.sql").exists() else {}

    def forms(self, owner_field: str = "") -> Mapping[str, Statement]:
        """Return the statements of documents and writables, by name.

        With ``owner_field`` they render records of the part's collection, which have the owner's id
        under that name.
        """
        if owner_field:
            member = f'"{self.list_name}":' if self.list_name else ""
            opening = f"'{{\"{owner_field}\":' || page.id || ',{member}' || "
        else:
            opening = "" if self.list_name else "'{' || "
        closing = " || '}'" if opening else ""
        return {
            name: shape.bind(opening=opening, closing=closing)
            for name, shape in self.shapes().items()
        }

    def shapes(self) -> Mapping[str, Statement]:
        """Return ``documents`` and ``writables``, with the slots ``opening`` and ``closing``."""
        own, shapes = dict(self._own_statements()), dict[str, Statement]()
        children, table = self.children, str(self.owner.table)
        record = own.get("record") or SHARED["part_record"].bind(table=table, owner=f"{table}_id")
        for name, form in (("documents", "document"), ("writables", "writable")):
            shape = schemas.definition(self.name, form)
            body = f"'[' || coalesce({self.list_name}, '') || ']'"
            if "array" not in shape.types:
                body = scalar_columns.members_sql(shape)
            joins = children.join(form, own) if children else ""
            shapes[name] = SHARED["part"].bind(record=record.text, body=body, joins=joins)
        return shapes

    def item_errors(self, item: Item) -> Iterable[ErrorDetail]:
        """Return the errors of an item of the collection, or of a body that is an object.

        They are those beyond the schema.
        """
        children = self.children
        return children.errors(item.get(children.name), children.name) if children else ()

    def patched_errors(
        self, _stored: Item, _patched: Item, details: Iterable[ErrorDetail]
    ) -> Iterable[ErrorDetail]:
        """Return the errors of a patched form, given those of a replace by it."""
        return details

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the plan of the upserts, [] without any; parts are never deleted."""
        return await self.plan(write_set.upserts) if write_set.upserts.items else []

    async def plan(self, batch: Batch) -> WritePlan:
        """Return the plan that makes the stored parts equal to the items, at least one.

        Add the errors that the database reveals to the batch, and note parts that become filled or
        empty (``Batch.note_part``). The owners are locked.
        """
        lists = await self._match(batch)
        plan = await self._list_plan(batch, lists)
        self._note(batch, lists)
        return [*plan, *await self._nested_plan(batch, lists)]

    async def _nested_plan(self, batch: Batch, lists: Sequence[MatchedChildren]) -> WritePlan:
        """Return the writes of the lists within the entries; report their errors."""
        assert self.children is not None
        plan, changed, owners = WritePlan(), set[int](), [NestedLists(self.children, lists)]
        for parent, matched in owners:
            new = {child_id for children in matched for child_id in children.new}
            for nested in parent.nested:
                children = await nested.match(batch, nested.within(matched), new)
                owners.append(NestedLists(nested, children))
                await self.check_nested(batch, owners[-1])
                differences = nested.differences(children)
                plan += nested.plan(differences)
                entries = {row["ownerId"] for rows in differences.values() for row in rows}
                changed |= {each.index for each in children if each.owner_id in entries}
        if not changed:
            return []
        text = SHARED["changed_owners"].fill(table=str(self.table))
        return [BoundStatement(text, (sorted(batch.items[n]["id"] for n in changed),)), *plan]

    async def check_nested(self, batch: Batch, nested: NestedLists) -> None:
        """Add the errors of lists within entries, beyond unknown references, to the batch."""

    async def _match(self, batch: Batch) -> list[MatchedChildren]:
        assert self.children is not None
        return await self.children.match(batch, self.children.sent(batch))

    async def _list_plan(self, batch: Batch, lists: Sequence[MatchedChildren]) -> WritePlan:
        """Return the writes of the list; deactivate omitted children that others use."""
        assert self.children is not None
        if self.children.deactivates:
            self.children.deactivate(batch, lists, await self._used(batch, lists))
            batch.deactivating |= {each.owner_id: each for each in lists if each.deactivated}
        return self.children.plan(self.children.differences(lists))

    async def _used(self, batch: Batch, lists: Sequence[MatchedChildren]) -> Collection[int]:
        """Return the ids of omitted children that others use, found by the statement ``needed``.

        It takes the ids of omitted children, and those of the batch's owners.
        """
        missing = missing_ids(lists)
        if not missing:
            return ()
        return {row["id"] for row in await self._fetch(batch, "needed", missing, batch.ids)}

    async def late_removals(self, write_set: WriteSet) -> WritePlan:
        """Return the removals of the entries that this request deactivates and nothing uses now."""
        batch = write_set.upserts
        if self.children is None or not batch.deactivating:
            return []
        lists = [batch.deactivating[id_] for id_ in batch.ids if id_ in batch.deactivating]
        used = {*await self._used(batch, lists)}
        rows = [
            {"ownerId": each.owner_id, "id": child_id}
            for each in lists
            for child_id in sorted(each.deactivated - used)
        ]
        for each in lists:
            each.deactivated &= used
        self._note(batch, lists)
        return self.children.plan({"remove": rows})

    def _note(self, batch: Batch, lists: Iterable[MatchedChildren]) -> None:
        """Note in the batch which parts have children before and after the write."""
        for children in lists:
            was_filled, is_filled = bool(children.stored.all), bool(children.total)
            owner_id = children.owner_id
            batch.note_part(self.name, owner_id, was_filled=was_filled, is_filled=is_filled)

    def bound(self, name: str, *parameters: Any) -> BoundStatement:
        """Return the named statement with its parameters after the organization."""
        return BoundStatement(self.statements[name].text, parameters)
