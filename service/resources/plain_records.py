"""Plain records: master records whose scalar fields are columns, with generated statements.

Statements come from the schema and ``sql/plain_records.sql``. Those in ``sql/<name>.sql``, if there
is such a file, add to them or override them.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, product
from typing import ClassVar, Final

from service import schemas
from service.batches.change_recorder import WritePlan
from service.batches.entry import Item
from service.batches.write_set import WriteSet
from service.database.statements import Statement, load_bound
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.files import SQL
from service.listing.page_sql import column_of
from service.listing.properties import stored_id
from service.records import scalar_columns
from service.records.child_list import ChildList
from service.records.links import Links, link_statements
from service.records.master_record import MasterRecord
from service.records.matched_children import MatchedChildren
from service.records.reference_targets import own_references
from service.records.references import reference_to
from service.records.relation_statements import IS_SHOWN, is_shown
from service.records.relations import LINK_TABLE, relations_of
from service.records.usage import uses_text
from service.schemas.formats import error_of
from service.schemas.write_forms import PERIOD

_UNDATED: Final = {
    "deleted": "state = 'deleted'",
    "moment": "",
    "end_column": "",
    "new_end": "",
    "end_assigned": "",
}
_DATED: Final = {
    "deleted": "state = 'deleted', end_date = now()",
    "moment": "cross join present",
    "end_column": ", end_date",
    "new_end": ", case when item.state = 'inactive' then now() end",
    "end_assigned": ", end_date = case when item.state = 'active' then null"
    " when item.state = stored.state then stored.end_date else present.moment end",
}
"""SQL parts by slot, for records with an ``end_date``: null while active.

Otherwise it is the time of the last change of state, or of the insert as inactive.
"""
_POSITIONED: Final = {
    "position_column": ", position",
    "position": ", coalesce(highest.position, 0)"
    " + row_number() over (partition by o.id order by item.id)",
}
"""SQL parts by slot, for records with a ``position``: after all others of the organization."""


class PlainRecord(MasterRecord):
    """Master record whose scalar fields are columns; state changes set a time ``endDate``.

    Becoming active clears it.

    The resource's own SQL file may have parts of the generated statements: ``record`` overrides
    the rows of documents, to add counts, ``last_record`` those of last documents, and
    ``writable_record`` those of writable forms; fragments
    with the names of child lists override the rows of their entries (``ChildList.join``).
    """

    json_columns: ClassVar[tuple[str, ...]] = ()
    """Fields whose columns are JSON in the rows of documents."""
    counted_by: Mapping[str, str] = {}
    """Collections whose documents count the live records of this one, by the referring field.

    Writes that change a count also report a change of the record that shows it.
    """
    lists: ClassVar[tuple[ChildList, ...]] = ()
    """Child lists: each write replaces them as a whole, or keeps omitted ones (``keeps_omitted``).

    Fields of ids with ``x-link-table`` are sets of links, which need no declaration.
    """

    def __init__(self) -> None:
        super().__init__()
        lists = [child_list.name for child_list in self.lists]
        self._written_separately = (*lists, *self._links, *self._written_separately)

    @cached_property
    def _links(self) -> Mapping[str, Links]:
        """Sets of links by field."""
        fields = schemas.definition(self.name, "fields").properties
        return {
            name: Links.of(
                self.name,
                self.table,
                name,
                counted_by=self.counted_by.get(name, ""),
                is_shown=is_shown(field.schema[LINK_TABLE]) or "true",
            )
            for name, field in fields.items()
            if LINK_TABLE in field.schema
        }

    @cached_property
    def _value_sets(self) -> list[str]:
        """Fields with a set of plain values, which is stored in their order."""
        fields = schemas.definition(self.name, "fields").properties
        return [name for name, field in fields.items() if scalar_columns.is_value_set(field)]

    def __init_subclass__(cls) -> None:
        """Bind the lists; add the references that the class does not declare.

        It checks those in ``_written_separately``, and those to the records of its own collection.
        """
        super().__init_subclass__()
        if "name" in vars(cls):
            relations = relations_of(cls.name).values()
            cls.counted_by = {each.field: each.target for each in relations if each.is_counted}
            cls.lists = tuple(each.bound(cls.name, schemas.table(cls.name)) for each in cls.lists)
            declared = {reference.field: reference for reference in cls.references}
            cls.references = tuple(
                declared.get(name) or reference_to(target, cls.name, name)
                for name, target in own_references(cls.name).items()
                if name not in cls._written_separately and target.name != cls.name
            )

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the generated statements, overridden by those of the resource's own SQL file.

        Of ``delete`` and ``purge``, those are generated that ``deletes`` names.
        """
        own = self._relation_statements() | self._own_statements()
        bound, shape, record = self._generated()
        rows = {
            "documents": own.pop("record", record),
            "writables": own.pop("writable_record", record),
        }
        last = own.pop("last_record", rows["documents"])
        if last is not rows["documents"]:
            rows["last_documents"] = last
        fragments = {
            name: own.pop(name)
            for child in self.lists
            for name in (child.column, f"writable_{child.column}")
            if name in own
        }
        for name, selected in rows.items():
            bound[name] = self._rendering(shape, name, selected.text, fragments)
        rendered = scalar_columns.document_sql(self.name, "document", self._late_columns)
        bound["lock_last"] = bound["lock_last"].bind(record=last.text, rendered=rendered)
        bound["used"] = bound["used"].bind(uses=uses_text(self.uses))
        unused = {"delete", "purge"}.difference(self.deletes)
        # The rows of others that documents count are those before the lock.
        counts = rows["documents"] is last is not record
        if not self._is_purged_alone or counts or {"documents", "in_use"} & own.keys():
            unused |= {"lock_last", "used", "remove"}
        for name in unused:
            del bound[name]
        for child in self.lists:
            bound |= child.named_statements()
        return {**bound, **own}

    def _generated(self) -> tuple[dict[str, Statement], Statement, Statement]:
        """Return the statements that write, the shape of those that read, and the rows of these."""
        properties = schemas.definition(self.name, "document").properties
        end = properties.get("endDate")
        is_dated = end is not None and end.schema.get("format") == "date-time"
        is_positioned = "position" in properties
        bound = load_bound(
            "plain_records",
            **self._scalar_slots(),
            **self._change_slots(),
            **(_DATED if is_dated else _UNDATED),
            **(_POSITIONED if is_positioned else dict.fromkeys(_POSITIONED, "")),
            table=self.table,
            deletion_shows=str("state" in self._shown).lower(),
        )
        shape, record, present, highest = map(bound.pop, ("shape", "record", "present", "highest"))
        bound["purge"] = bound["purge"].bind(remove=bound["remove"].text)
        bound["insert"] = bound["insert"].bind(highest=f"\n{highest.text}" if is_positioned else "")
        bound["update"] = bound["update"].bind(present=f"{present.text}\n" if is_dated else "")
        return bound, shape, record

    def _rendering(
        self, shape: Statement, name: str, record: str, fragments: Mapping[str, Statement]
    ) -> Statement:
        """Return the statement that renders rows: documents, last documents or writables."""
        form = "writable" if name == "writables" else "document"
        late = self._late_columns if form == "document" else ()
        rendered = scalar_columns.document_sql(self.name, form, late, self.json_columns)
        return shape.bind(record=record, rendered=rendered, joins=self._joins(form, fragments))

    @property
    def _is_purged_alone(self) -> bool:
        """Whether deletes remove the rows of used records that show nothing else."""
        shows_others = self.lists or self._links or self.counted_by or not self.listed
        return self.deletes == ("purge",) and bool(self.uses) and not shows_others

    def _own_statements(self) -> dict[str, Statement]:
        """Return the statements of the resource's own SQL file; none without a file.

        Their slot ``is_shown`` is filled: the condition of entries of styles that are shown.
        """
        if not (SQL / f"{self.name.replace('-', '_')}.sql").exists():
            return {}
        loaded = super()._load_statements().items()
        return {name: statement.bind(is_shown=IS_SHOWN) for name, statement in loaded}

    def _joins(self, form: str, fragments: Mapping[str, Statement]) -> str:
        """Return the SQL that joins the child lists and links of a form to the page."""
        shape = schemas.definition(self.name, form)
        joins = [child.join(form, fragments) for child in self.lists]
        joins += [links.join(shape, name) for name, links in self._links.items()]
        return "\n".join(joins)

    def _change_slots(self) -> dict[str, str]:
        """Return the SQL parts of inserts, updates and deletes that report changes of others."""
        counted_by = {
            name: self.counted_by[name] for name in self.counted_by if name not in self._links
        }
        return {
            "shows": _differs([column_of(name) for name in sorted(self._shown)]),
            "counted": "".join(
                f', {column_of(name)} as "{collection}.{name}"'
                for name, collection in counted_by.items()
            ),
            "counted_anew": "".join(
                _counted_anew(column_of(name), f"{collection}.{name}")
                for name, collection in counted_by.items()
            ),
        }

    @property
    def _has_rules(self) -> bool:
        return bool(self.lists) or not self._has_rules_of_lists_alone

    def _follow_rules(self, items: Sequence[Item]) -> bool:
        """Return whether items surely have no ``item_errors``; those that delete have anything."""
        for child in self.lists if self._has_rules_of_lists_alone else ():
            lists = [each for item in items if isinstance(each := item.get(child.name), list)]
            if not child.surely_differ([*chain.from_iterable(lists)]):
                return False
        return self._has_rules_of_lists_alone

    @property
    def _has_rules_of_lists_alone(self) -> bool:
        """Whether ``item_errors`` has those of ``lists`` and no others."""
        is_general = type(self).item_errors is PlainRecord.item_errors
        return is_general and PERIOD not in schemas.load()[self.name]

    def item_errors(self, item: Item) -> Iterable[ErrorDetail]:
        """Yield errors of a period that ends before its start, and of equal entries of lists."""
        if period := schemas.load()[self.name].get(PERIOD):
            start, end = (str(item.get(name)) for name in period)
            if end < start and not (error_of("date", start) or error_of("date", end)):
                yield ErrorDetail(ErrorType.OUT_OF_RANGE, (period[1],), f"Use {start} or later.")
        for child in self.lists:
            yield from child.errors(item.get(child.name), child.name)

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the plan for children and links that differ; report what stored data show."""
        batch = write_set.upserts
        for item, name in product(batch.items, self._value_sets):
            item[name] = sorted(item.get(name) or ())
        plan = await super().check(write_set)
        if not batch.items:
            return plan
        for child in self.lists:
            plan += await self._list_plan(write_set, child)
        if self._links:
            sets = {
                links: {item["id"]: [*map(stored_id, item.get(name) or ())] for item in batch.items}
                for name, links in self._links.items()
            }
            plan += await link_statements(batch, sets)
        return plan

    async def _list_plan(self, write_set: WriteSet, child: ChildList) -> WritePlan:
        """Return the writes of a list; report the errors of its entries."""
        return child.plan(child.differences(await self._match(write_set, child)))

    async def _match(self, write_set: WriteSet, child: ChildList) -> list[MatchedChildren]:
        """Match the entries of lists that seem to differ from the stored ones."""
        batch = write_set.upserts
        sent = child.sent(batch, keeps_omitted=self.keeps_omitted)
        return await child.match_changed(batch, sent, {*write_set.created_ids})


def _differs(columns: list[str]) -> str:
    """Return the SQL condition that an update changed any of the columns; false for none."""
    if not columns:
        return "false"
    stored, before = (
        ", ".join(f"{of}.{column}" for column in columns) for of in ("stored", "before")
    )
    return f"row({stored}) is distinct from row({before})"


def _counted_anew(column: str, target: str) -> str:
    """Return the SQL columns with the records whose count an update changes, or null.

    They are the former and the new reference. A count changes if the reference does, or if the
    record is deleted or restored.
    """
    moved = (
        f"(stored.{column}, stored.state = 'deleted')"
        f" is distinct from (before.{column}, before.state = 'deleted')"
    )
    return "".join(
        f", case when {of}.state <> 'deleted' and {moved} then {of}.{column} end"
        f' as "{target}.{of}"'
        for of in ("before", "stored")
    )
