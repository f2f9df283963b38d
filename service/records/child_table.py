"""Child tables: lists of entries within records, as SQL made from the entries' schema."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, Final

from service import schemas
from service.batches.entry import Item
from service.database.statements import SHARED, Statement, load, load_bound
from service.listing.page_sql import column_of
from service.records import scalar_columns
from service.records.matched_children import DEACTIVATED, MatchKey, Row
from service.schemas import ResolvedSchema
from service.schemas.key_forms import KEEPS_DELETED, REFERS_TO
from service.schemas.write_forms import DECIMALS

POSITION: Final = "position"
"""Column of the order in which entries were sent; of equal ones, the lower id is first."""
_FIRST: Final = f"entry.{POSITION}, "


@dataclass(frozen=True, eq=False, kw_only=True)
class ChildTable:
    """Child list at a member of a resource's records, with rows in ``table``.

    The schema of its entries has the columns: the scalars of the writable form that requests have,
    too. ``x-natural-key`` in it has the members by which entries without an id match stored
    children that no other entry claims. Active children take precedence over deactivated ones.
    Entries that have ``isDeactivated`` can be deactivated when a request omits them.
    """

    name: str = ""
    """Member with the list; once bound, dotted if it is within the entries of another list.

    By default it is the part's ``list_name``.
    """
    table: str = ""
    """Table of the entries; once bound, that of the schema (``x-table``)."""
    resource: str = ""
    """Collection or part with the list, once it is bound (``ChildList.bound``)."""
    owner: str = ""
    """Column with the owner's id, once bound."""
    noun: str = "entry"
    """Name of an entry in messages."""
    key: str = "id"
    """Member with the id of an entry."""
    once: tuple[str, ...] = ()
    """Members besides ``key`` that must differ between entries; true is a value, false is none."""
    own_key: str = ""
    """Member that writables have as null if it is blank."""
    computed: tuple[str, ...] = ()
    """Members without a column, which come from a fragment that selects the rows."""
    order: str = ""
    """SQL of the order of entries, whose rows are ``entry``; by default as sent, or by id."""
    own_match_keys: tuple[MatchKey, ...] = ()
    """Functions from a row to its natural key, in place of ``x-natural-key``."""
    nested: "tuple[ChildTable, ...]" = ()
    """Lists within the entries."""
    linked: str = ""
    """Collection whose ids the entries are, which are no objects then; ``key`` is their name.

    Once bound, it is that of a list with ``x-link-table``.
    """
    is_shown: str = ""
    """SQL condition of the rows that are not hidden; writes leave hidden ones as they are.

    Once bound, it follows from the relations.
    """
    lock: str = ""
    """Lock of the stored rows, so that no other transaction starts to use them."""
    also: str = ""
    """Collection whose records, the owners, change with the children."""
    also_updated: bool = True
    """Whether they change with updates of children, too."""
    shown: tuple[str, ...] = ()
    """Members that other documents show."""
    cause: str = ""
    """Cause of their changes in the change feed."""
    turned: str = ""
    """Cause of deactivations and reactivations."""
    is_ordered: bool = False
    """Whether entries keep the order in which they are sent."""
    order_shown: bool = False
    """Whether other documents show the order."""

    @cached_property
    def has_ids(self) -> bool:
        """Whether ids are given to new entries; else ``key``, required, is another record's id."""
        return not self.linked and self.key not in self._sent.schema.get("required", ())

    @cached_property
    def _sent(self) -> ResolvedSchema:
        """Schema of the entries of requests."""
        return _entry(self.resource, "fields", self.name)

    @cached_property
    def _types(self) -> dict[str, str]:
        """SQL types of the columns, by member."""
        if self.linked:
            return {}
        writable, sent = _entry(self.resource, "writable", self.name), self._sent.properties
        names = writable.properties.keys() - {self.key, DEACTIVATED, *self.computed}
        return {
            name: "numeric"
            if DECIMALS in sent[name].schema
            else scalar_columns.type_of(name, field)
            for name, field in writable.properties.items()
            if name in names and scalar_columns.is_scalar(field)
        }

    @cached_property
    def members(self) -> tuple[str, ...]:
        """Members that are columns, in the order of rows; without ids."""
        return tuple(self._types)

    @cached_property
    def _omitted(self) -> Mapping[str, bool | None]:
        """Values of the members in entries that omit them."""
        return {name: False if type_ == "boolean" else None for name, type_ in self._types.items()}

    def _rows_of(self, entries: Sequence[Item]) -> Iterator[Row]:
        """Return the values of the entries' members, also of those that they omit.

        Columns of all entries take a third of the time of an entry after the other.
        """
        columns = self._columns_of(entries)
        return zip(*columns, strict=False) if columns else repeat(())

    def _columns_of(self, entries: Sequence[Item]) -> list[Iterator[Any]]:
        """Return the values of ``_rows_of`` by column."""
        omitted = self._omitted.items()
        return [map(dict.get, entries, repeat(name), repeat(value)) for name, value in omitted]

    @cached_property
    def _conversions(self) -> list[tuple[int, str]]:
        """Indexes and types of members whose values in requests and in rows may differ."""
        return [
            (index, type_)
            for index, (name, type_) in enumerate(self._types.items())
            if type_ in ("boolean", "numeric") or REFERS_TO in self._sent.properties[name].schema
        ]

    @cached_property
    def _references(self) -> Mapping[str, str]:
        """Collections and lists of the records that entries refer to, by member."""
        if self.linked:
            return {self.key: self.linked}
        return {
            name: field.schema[REFERS_TO]
            for name, field in self._sent.properties.items()
            if REFERS_TO in field.schema and "array" not in field.types
        }

    @cached_property
    def keeps_deleted(self) -> Collection[str]:
        """Members whose stored references may be to deleted records in live ones."""
        properties = self._sent.properties.items()
        return {name for name, field in properties if KEEPS_DELETED in field.schema}

    @cached_property
    def deactivates(self) -> bool:
        """Whether children can be deactivated."""
        return DEACTIVATED in self._sent.properties

    @cached_property
    def statements(self) -> Mapping[str, Statement]:
        """Statements and fragments by name, those of ``sql/child_lists.sql``."""
        bound = load_bound(
            "child_lists",
            table=self.table,
            owner=self.owner,
            key="id" if self.has_ids else column_of(self.key),
            by="id" if self.has_ids else self.owner,
            by_sent="id" if self.has_ids else '"ownerId"',
            lock=f"\n    {self.lock}" if self.lock else "",
            is_shown=self._and_shown,
            **self._column_slots(),
            **self._change_slots(),
        )
        unused = {"join", "rows", "rows_and_lists", "unknown_languages"}
        unused |= set() if self.deactivates else {"deactivate"}
        unused |= set() if self.members else {"update"}
        return {name: statement for name, statement in bound.items() if name not in unused}

    def _column_slots(self) -> dict[str, str]:
        """Return the SQL of the columns that statements read and write, by slot."""
        position = {POSITION: "bigint"} if self.is_ordered else {}
        written = {column_of(name): f'sent."{name}"' for name in self.members}
        written |= {name: f"sent.{name}" for name in position}
        assigned = [f"{column} = {value}" for column, value in written.items()]
        state = ["is_deactivated"] if self.deactivates else []
        exact = [_exact(column_of(name), type_) for name, type_ in self._types.items()]
        read = [*state, *position, *map(column_of, self._types)]
        types = (self._types | position).items()
        return {
            "columns": _listed(written),
            "values": _listed(written.values()),
            "types": _listed(f'"{name}" {type_}' for name, type_ in types),
            "assigned": ", ".join([*assigned, *(f"{column} = false" for column in state)]),
            "read": _listed([*state, *position, *exact]),
            "aggregated": _listed(f"array_agg({name})" for name in read),
        }

    def _change_slots(self) -> dict[str, str]:
        """Return the SQL of what statements return for the change feed, by slot."""
        causes = {"isShown": self.cause, "isBack": self.turned}
        # One flag for each cause.
        flags = {cause: flag for flag, cause in reversed(causes.items()) if cause}
        also = f', stored.{self.owner} as "{self.also}"' if self.also else ""
        return {
            "record": "null::bigint" if "." in self.name else f"stored.{self.owner}",
            "also": also,
            "also_updated": also * self.also_updated,
            "shown": "".join(
                f', case when sent."{flag}" then stored.id end as "cause {cause}"'
                for cause, flag in sorted(flags.items())
            ),
            "turned": f', stored.id as "cause {self.turned}"' if self.turned else "",
        }

    @cached_property
    def owners_text(self) -> str:
        """Statement of the owners of children to insert; "" for nested lists."""
        also = f', sent."ownerId" as "{self.also}"' if self.also else ""
        return "" if "." in self.name else SHARED["owners_of_children"].fill(also=also)

    def named_statements(self) -> dict[str, Statement]:
        """Return the statements by names that end in the column, as ``insert_contacts``.

        Those of the nested list are included.
        """
        names = self.statements.keys() - {"filled"}
        named = {f"{name}_{self.column}": self.statements[name] for name in names}
        for nested in self.nested:
            named |= nested.named_statements()
        return named

    def join(self, form: str, fragments: Mapping[str, Statement] = {}, parent: str = "page") -> str:
        """Return the SQL that joins the entries in a form to each row of ``parent``.

        The column has the name of the list in snake case, and a text: the entries joined by commas,
        null without any. ``form`` is ``document`` or ``writable``. A fragment named as the column
        selects the rows, if they are not those of the table; in writables one with ``writable_``
        before it takes precedence.
        """
        shape, sql = _entry(self.resource, form, self.name), load("child_lists")
        keys = [self.own_key] if self.own_key and form == "writable" else []
        rows = fragments.get(self.column)
        if form == "writable":
            rows = fragments.get(f"writable_{self.column}", rows)
        row = "_".join(["stored", *["nested"] * self.name.count(".")])
        selected = [
            self._selected(row, name, form)
            for name, field in shape.properties.items()
            if scalar_columns.is_scalar(field)
        ]
        selected += [f"{row}.{POSITION}"] if self.is_ordered else []
        columns = "".join(f", {each.column}" for each in self.nested)
        nested = "".join(f"\n{each.join(form, parent=row)}" for each in self.nested)
        if self.linked:
            selected, entry = [f"{row}.{column_of(self.key)}"], f"entry.{column_of(self.key)}::text"
        else:
            entry = scalar_columns.braced(scalar_columns.members_sql(shape, keys))
        return sql["join"].fill(
            entry=entry,
            order=self.order or f"{_FIRST * self.is_ordered}entry.{column_of(self.key)}",
            list=self.column,
            rows=sql["rows_and_lists"].fill(rows=rows.text, row=row, lists=columns, nested=nested)
            if rows and nested
            else rows.text
            if rows
            else sql["rows"].fill(
                table=self.table,
                owner=self.owner,
                row=row,
                parent=parent,
                selected=", ".join(selected) + columns,
                nested=nested,
                is_shown=self._and_shown,
            ),
        )

    @property
    def _and_shown(self) -> str:
        return f"\n    and {self.is_shown}" if self.is_shown else ""

    @cached_property
    def member(self) -> str:
        """Member of the owner, a record or an entry, that has the list."""
        return self.name.rpartition(".")[2]

    @property
    def column(self) -> str:
        """Column of ``join`` with the entries."""
        return column_of(self.member)

    def _selected(self, row: str, name: str, form: str) -> str:
        """Return the SQL of a member's column; writables have decimals as texts."""
        column = column_of(name)
        if name == self.key and self.has_ids and column != "id":
            return f"{row}.id as {column}"
        if form == "writable" and self._types.get(name) == "numeric":
            return f"{row}.{column}::text as {column}"
        return f"{row}.{column}"


def _entry(resource: str, form: str, name: str) -> ResolvedSchema:
    """Return the schema of the entries of a list in a form; ``name`` may be dotted.

    Forms of resources that have none are those of a replace.
    """
    return list_schema(resource, form, name).items


def list_schema(resource: str, form: str, name: str) -> ResolvedSchema:
    """Return the schema of a list in a form, as ``_entry`` does that of its entries."""
    forms = schemas.load()[resource]["$defs"]
    children = entry = schemas.definition(resource, form if form in forms else "replace")
    for member in name.split("."):
        children = entry if "array" in entry.types else entry.properties[member]
        entry = children.items
    return children


def _exact(column: str, type_: str) -> str:
    """Return the SQL of a stored value: of numbers the text, which has their digits."""
    return f"{column}::text as {column}" if type_ == "numeric" else column


def _listed(columns: Iterable[str]) -> str:
    """Return columns as the rest of a list in SQL."""
    return "".join(f", {column}" for column in columns)
