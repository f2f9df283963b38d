"""Master record: base class of the collections that callers write (contract, Surface).

Each collection is a subclass of :class:`MasterRecord`. Its statements come from its SQL file, or
are generated (``service/resources/plain_records.py``).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final

from service import schemas
from service.batches.batch import Batch
from service.batches.change_recorder import BoundStatement, WritePlan
from service.batches.write_set import WriteSet
from service.database.statements import SHARED, Statement, id_array, load_bound
from service.error_types import ErrorType
from service.listing.page_sql import LIVE, UTC_TEXT, column_of
from service.listing.properties import SOURCE, Property
from service.listing.related import Related
from service.records import relation_statements, scalar_columns
from service.records.path_keys import KeyLookup
from service.records.reference_targets import own_references
from service.records.relation_statements import Use, uses_of
from service.records.relations import LINK_TABLE
from service.records.usage import Usages, in_use, usage_messages, usages
from service.records.writable_resource import WritableResource
from service.schemas.key_forms import ALWAYS_UNIQUE
from service.schemas.write_forms import FIXED, KEEPS_OMITTED, KEPT, SINCE

_NO_USAGES: Final[Usages] = {}


class MasterRecord(WritableResource):
    """Base class of collections with the operations of a master record.

    Statements by name, with ``$1`` the organization:

    - ``insert`` takes the items to create as a JSON array in ``$2`` and their source in ``$3``,
      ``updates`` the other upserts.
    - ``check``, if there is one, takes the upserts as well and returns a row (item from 1, type,
      path as a JSON array, message) for each error.
    - ``deletes`` take the ids of live records in ``$2``, as ``id_array`` writes them, and delete
      the records; by default they set the state.
    - ``in_use``, if there is one, takes ids as well, then ``_fail_used``'s further parameters, and
      returns the usages of the ids (``service/records/usage.py``).

    Each write statement returns the ids that it changed (``service/batches/change_recorder.py``).
    """

    listed = LIVE
    _filters: ClassVar[tuple[Property, ...]] = (SOURCE,)
    uses: ClassVar[tuple[Use, ...]] = ()
    """References from other records, which prevent a delete while these are live."""
    _counted_in_use: ClassVar[tuple[str, ...]] = ()
    """Collections and parts whose uses the statement ``in_use`` counts instead."""
    _shown: ClassVar[frozenset[str]] = frozenset()
    """Fields that documents of other records show: an update that changes one fans out."""
    _written_separately: tuple[str, ...] = ()
    """Fields that the class writes itself: items in ``$2`` of the statements omit them."""
    updates: ClassVar[tuple[str, ...]] = ("update",)
    deletes: ClassVar[tuple[str, ...]] = ("delete",)
    """Statements that delete, then those that clear references and delete what goes along."""
    _tells: ClassVar[Sequence[tuple[str, ...]]] = ((), ())
    """Statements that record changes of what shows or counts deleted records, and restored ones.

    They run while the records are deleted.
    """
    _restores: ClassVar[tuple[str, ...]] = ()
    """Statements that restore what was deleted with restored records."""
    _rows: ClassVar[str] = ""
    """SQL of the table with an ``organization_id``, if the table has no such column."""
    _late_columns: ClassVar[tuple[str, ...]] = ()
    """Columns for which ``documents`` has slots: a hard-deleted record's last document differs."""

    def __init_subclass__(cls) -> None:
        """Set what follows from the schema; add the filters by fields with ids of records."""
        if "name" in vars(cls):
            cls.string_ids = "ids" in schemas.load()[cls.name]["$defs"]
            if "state" not in schemas.definition(cls.name, "document").properties:
                cls.stored_state, cls.listed = "'active'", ""
            cls.table = schemas.table(cls.name)
            cls.related = (*cls._referring(), *cls.related)
            cls._set_relations()

    @classmethod
    def _set_relations(cls) -> None:
        """Set what follows from the relations to the records."""
        uses = [use for use in uses_of(cls.name) if use.relation.source not in cls._counted_in_use]
        cls.uses = tuple(sorted(uses, key=lambda use: use.relation.noun))
        cls._shown = relation_statements.shown_fields(cls.name)
        generated = cls._relation_statements()
        along = [name for name in generated if name.startswith(("clear_", "delete_"))]
        cls.deletes = (*cls.deletes, *along)
        cls._restores = tuple(name for name in generated if name.startswith("restore_"))
        tell = ("tell",) if "tell" in generated else ()
        deleted, restored = cls._tells
        cls._tells = ((*tell, *deleted), (*tell, *restored))

    @classmethod
    def _relation_statements(cls) -> dict[str, Statement]:
        """Return the statements that follow from the relations to the records."""
        removes_rows = "purge" in cls.deletes
        return relation_statements.statements_of(cls.name, removes_rows=removes_rows)

    @classmethod
    def _referring(cls) -> Iterator[Related]:
        """Yield the filters by fields with one id, then those by sets of links.

        Sets of links whose table ``related`` has are left out.
        """
        fields, declared = schemas.definition(cls.name, "create").properties, cls.related
        references = own_references(cls.name).items()
        for name, target in sorted(references, key=lambda each: not each[0].endswith("Id")):
            link = fields[name].schema.get(LINK_TABLE)
            if name.endswith("Id") or (link and link not in [each.rows for each in declared]):
                yield Related(
                    f"{name.removesuffix('Ids')}s" if link else name.removesuffix("Id"),
                    link or cls._rows or cls.table,
                    f"{cls.table}_id" if link else "id",
                    {"id": column_of(name).removesuffix("s") if link else column_of(name)},
                    {} if target.key_of else {target.key: column_of(target.key)},
                    target.table,
                    "related_by_target" if target.lock else "related_by_language",
                    has_text_ids=target.has_text_ids,
                    shown_condition=relation_statements.is_shown(link or "") or "true",
                )

    def __init__(self) -> None:
        self.keeps_omitted = bool(schemas.whole(self.name).schema.get(KEEPS_OMITTED))
        super().__init__()
        fields = schemas.definition(self.name, "fields").properties.items()
        self.stored_fields = {
            name: keyword
            for keyword in (SINCE, FIXED, KEPT)
            for name, field in fields
            if keyword in field.schema
        }
        if names := (*self.stored_fields,):
            members = scalar_columns.object_sql(schemas.definition(self.name, "writable"), names)
            self._stored_fields_sql = scalar_columns.joined([members, "'}'"])
        keys = schemas.load()[self.name].get(ALWAYS_UNIQUE, ())
        self.always_unique = tuple((*key, None)[:2] for key in keys)
        self.key_fields = schemas.key_fields(self.name)
        self.own_key, self.own_key_within = (*self.key_fields, None, None)[:2]
        if columns := [*map(column_of, self.key_fields)]:
            self.key_columns = (columns[0], [*columns, self.key_columns[1]][1])
        if self.own_key and not self.own_key_within:
            lookup = KeyLookup.of(self.name, self.table, self.stored_state)
            self.key_lookups = {self.key: lookup}

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements of the SQL file, with the slots of scalar columns filled.

        They replace those that follow from relations.
        """
        own = load_bound(self.name.replace("-", "_"), **self._scalar_slots())
        return self._relation_statements() | own

    def _scalar_slots(self) -> dict[str, str]:
        """Return the SQL of the scalar columns, by slot."""
        return scalar_columns.slots(
            self.name,
            late=self._late_columns,
            without=self._written_separately,
            keeps_omitted=self.keeps_omitted,
        )

    @cached_property
    def locks_by_key(self) -> Mapping[str, str]:
        """Statements that lock rows by own keys, by strength; they return ``LockedRow``s.

        ``$2`` is an array of keys. Where keys are within a parent, ``$3`` has the parent's id of
        each, else the ids of further records. Deleted records are locked, too.
        """
        columns = {"table": self.table, "key": self.key_columns[0]}
        if not self.own_key_within:
            sent = SHARED["key_is_sent"].fill(**columns, beside="$3::bigint[] || ")
            return self._locking_texts(sent)
        kind = self.properties[self.key_fields[0]].stored_kind
        key_type = "bigint" if kind == "integer" else "text"
        condition = SHARED["key_within_is_sent"].fill(
            **columns, key_type=key_type, within=self.key_columns[1]
        )
        return self._locking_texts(condition)

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the plan for children and links of the upserts, which subclasses have.

        Lock the records that the upserts refer to. Add the errors that only the database reveals to
        the batch: unknown references, and those of the ``check`` statement.
        """
        upserts = write_set.upserts
        # The check statement reads referenced records, which others could delete meanwhile.
        # References lock them, so they are checked first.
        for reference in self.references:
            is_fixed = self.stored_fields.get(reference.field) == FIXED
            restored_ids = write_set.restored_ids if is_fixed else ()
            await reference.check(upserts, restored_ids)
        if "check" in self.statements and self._needs_check(write_set):
            items = upserts.json(self._written_separately)
            upserts.fail_all(await self._fetch(upserts, "check", items))
        return []

    def _needs_check(self, write_set: WriteSet) -> bool:
        """Return whether the ``check`` statement can report an error; if not, it does not run."""
        return bool(write_set.upserts.items)

    async def check_unused(self, write_set: WriteSet) -> WritePlan:
        """Return the plan that clears the references of deleted records to the records to delete.

        Add ``conflict.in_use`` to the batch for records to delete that live records use.
        """
        clearing_plan: WritePlan = []
        used: Usages = {}
        if write_set.live_deletes and self.uses:
            used = await in_use(write_set.batch, self.uses, write_set.live_deletes)
            if "in_use" not in self.statements:
                messages = usage_messages(used, write_set.batch.caller.scopes)
                write_set.deletes.fail_records(messages, ErrorType.CONFLICT_IN_USE)
            nouns = {noun for by_noun in used.values() for noun in by_noun}
            names = [
                name
                for relation in (use.relation for use in self.uses)
                if (name := f"release_{relation.source}") in self.statements
                and relation.noun in nouns
            ]
            clearing_plan = self._id_statements(write_set.live_deletes, names)
        if write_set.live_deletes and "in_use" in self.statements:
            await self._fail_used(write_set, used=used)
        return clearing_plan

    async def _fail_used(
        self, write_set: WriteSet, *parameters: Any, used: Usages = _NO_USAGES
    ) -> None:
        """Add ``conflict.in_use`` for the live usages that the ``in_use`` statement returns.

        ``parameters`` are those after the ids of the live records to delete; ``used`` are others.
        """
        ids = id_array(write_set.live_deletes)
        more = usages(await self._fetch(write_set.batch, "in_use", ids, *parameters))
        both = {
            id_: {**used.get(id_, {}), **more.get(id_, {})} for id_ in used.keys() | more.keys()
        }
        messages = usage_messages(both, write_set.batch.caller.scopes)
        write_set.deletes.fail_records(messages, ErrorType.CONFLICT_IN_USE)

    def record_statements(self, write_set: WriteSet) -> WritePlan:
        """Return the plan for the records themselves: deletes, updates, inserts.

        Deletes run first, so that a deleted record's unique values are free for the other items.
        Before them, the statement ``demote``, if there is one, takes the place of others from them,
        and statements report the filled parts of records that are deleted or restored.
        """
        created_ids, updated = {*write_set.created_ids}, write_set.upserts
        inserts: WritePlan = []
        if created_ids:
            updated = write_set.upserts.subset(lambda item: item["id"] not in created_ids)
            created = write_set.upserts.subset(lambda item: item["id"] in created_ids)
            inserts = [
                BoundStatement(each.text, (*each.parameters, created.caller.source))
                for each in self._item_statements(["insert"], created)
            ]
        restored_ids = {*write_set.restored_ids}
        live_again = [
            item["id"]
            for item in (write_set.upserts.items if restored_ids else ())
            if item["id"] in restored_ids and item.get("state") != "deleted"
        ]
        demotion = ["demote"] if "demote" in self.statements else []
        turned_ids, hidden = [*write_set.live_deletes, *live_again], list[str]()
        if turned_ids and write_set.batch.connection.history is not None:
            # Only before images need them: readers of the feed are told of the same records later.
            hidden = relation_statements.finding_hidden(self.statements)
        return [
            *self._id_statements(turned_ids, hidden),
            *self._item_statements(demotion, write_set.upserts),
            *self._part_statements(turned_ids),
            *self._id_statements(write_set.live_deletes, self.deletes),
            *self._id_statements(write_set.live_deletes, self._tells[0]),
            *self._id_statements(live_again, self._tells[1]),
            *self._item_statements(self.updates, updated),
            *inserts,
            *self._id_statements(live_again, self._restores),
        ]

    @cached_property
    def _filled_parts(self) -> Mapping[str, str]:
        """SQL texts that find the records of ids ``$2`` whose part is not empty, by part."""
        goes = ".form" if "purge" in self.deletes else ""
        return {
            part: SHARED["filled_parts"].fill(part=part + goes, table=self.table, filled=filled)
            for part, filled in self.parts.items()
        }

    def _part_statements(self, ids: list[int]) -> WritePlan:
        """Return the statements that report parts which lists no longer show, or show again."""
        if not ids:
            return []
        parameter = id_array(ids)
        return [BoundStatement(text, (parameter,)) for text in self._filled_parts.values()]

    def _item_statements(self, names: Iterable[str], batch: Batch) -> WritePlan:
        """Bind the named statements to the batch's items; return [] for an empty batch."""
        if not batch.items:
            return []
        items = batch.json(self._written_separately)
        return [BoundStatement(self.statements[name].text, (items,)) for name in names]

    def _id_statements(self, ids: list[int], names: Iterable[str]) -> WritePlan:
        """Bind the named statements to ids of records; return [] without ids."""
        if not ids:
            return []
        return [BoundStatement(self.statements[name].text, (id_array(ids),)) for name in names]


class HardDeleted(MasterRecord):
    """Record whose rows a delete removes. The response has its last document, read before.

    The ``documents`` statement has slots for the values of ``state`` and ``end_date`` that the
    document shows. A last document has ``deleted`` and the present time in them; it equals the
    stored document if there are no slots. The ``purge`` statement removes the rows by id. As a base
    class, it comes before the one that has the statements: ``PlainRecord``.
    """

    deletes: ClassVar[tuple[str, ...]] = ("purge",)
    _late_columns: ClassVar[tuple[str, ...]] = ("state", "end_date")

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements, with the slots ``state`` and ``end_date`` filled.

        ``documents`` gets the columns; ``last_documents`` gets ``deleted`` and ``now()``. It is
        made from ``documents`` unless the resource has a statement for it.
        """
        loaded = {**super()._load_statements()}
        documents = loaded["documents"]
        loaded.setdefault("last_documents", documents)
        stored = {"state": "state", "end_date": UTC_TEXT.format("end_date")}
        last = {"state": "'deleted'::text", "end_date": f"(select {UTC_TEXT.format('now()')})"}
        late = {"documents": stored, "last_documents": last, "lock_last": last}
        bound = {name: loaded[name].bind(**late[name]) for name in late.keys() & loaded.keys()}
        return loaded | bound
