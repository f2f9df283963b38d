"""Relations: the graph of which records refer to which, read from the schemas.

A relation is declared once, at its reference: beside ``x-refers-to`` stands what a delete of the
target does (``x-on-delete``), which of the target's fields the referring documents show
(``x-shows``), and whether the target's documents count the live referring records (``x-counted``).
References without ``x-on-delete`` name records in requests only (contract, References).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from service import schemas
from service.listing.page_sql import column_of
from service.schemas import ResolvedSchema
from service.schemas.key_forms import KEEPS_DELETED, REFERS_TO
from service.schemas.write_forms import BULK_ITEMS, BY_OWNER

ON_DELETE: Final = "x-on-delete"
"""Keyword of a reference: what a delete of the target does to it."""
SHOWS: Final = "x-shows"
"""Keyword of a reference: fields of the target that documents of the referring records show."""
COUNTED: Final = "x-counted"
"""Keyword of a reference: documents of the target count the live referring records."""
USERS: Final = "x-users"
"""Keyword of a list's entries: what messages call them, if not by the name of their part."""
COLUMN: Final = "x-column"
"""Keyword of a reference: its column, if the name of the field does not tell it."""
TABLE: Final = "x-table"
"""Keyword of a list's entries or ids: their table; after ``_``, the end of its name.

By default it is named by the owner's table and the list: ``sub_supplier_contact``.
"""
LINK_TABLE: Final = "x-link-table"
"""Keyword of a list of ids: the table of the links, which general statements write."""
OWNER_COLUMN: Final = "x-owner-column"
"""Keyword of a schema file: column of entries and links with the id of their record."""


class OnDelete(StrEnum):
    """Effect of a target's delete on a relation."""

    REFUSE = "refuse"
    """The delete is refused while a live record refers to the target."""
    CLEAR = "clear"
    """References to the target are removed for good."""
    KEEP = "keep"
    """References stay."""
    HIDE = "hide"
    """References stay, with their entries, but are hidden until the target is restored."""
    WITH = "with"
    """Referring records are deleted and restored with the target."""


@dataclass(frozen=True, slots=True)
class Relation:
    """References of a field to the records of a collection, or to the entries of a list."""

    source: str
    """Collection of the documents with the field: of master records or of a part."""
    owner: str
    """Collection of the referring records: the source, or that of the part's owners."""
    field: str
    """Dotted path of the field in items of the source."""
    target: str
    """Collection or list, as ``x-refers-to`` names it."""
    on_delete: OnDelete
    column: str
    """Column with the target's id, of the first table."""
    tables: tuple[str, ...]
    """Tables from that of the column up to that of the referring records.

    Each but the last has a column with the id of a row of the next one.
    """
    noun: str
    """Name of the referring records in messages."""
    shows: tuple[str, ...] = ()
    is_counted: bool = False
    keeps_deleted: bool = False
    """Whether live records may have stored references to deleted ones, as imported ones have."""

    @property
    def hides(self) -> bool:
        """Whether a deleted target hides what refers to it."""
        return self.on_delete is OnDelete.HIDE

    @property
    def is_of_part(self) -> bool:
        """Whether the reference is in a part of the referring records."""
        return self.source != self.owner


def owner_column(table: str) -> str:
    """Return the column of entries and links with the id of their owner, a row of ``table``."""
    return _OWNER_COLUMNS.get(table, f"{table}_id")


def owner_of(source: str) -> str:
    """Return the collection of the records of a part; that itself of a collection."""
    name = f"{source}{BY_OWNER}"
    if name not in schemas.load():
        return source
    item = schemas.definition(name, "item")
    return str(item.properties[schemas.item_id(name)].schema[REFERS_TO])


def relations_to(target: str) -> tuple[Relation, ...]:
    """Return the relations whose target is a collection or list."""
    return tuple(relation for relation in RELATIONS if relation.target == target)


def relations_of(source: str) -> Mapping[str, Relation]:
    """Return the relations of a source by their field."""
    return {relation.field: relation for relation in RELATIONS if relation.source == source}


def table_of_entries(entries: ResolvedSchema, owner: str, member: str) -> str:
    """Return the table of a list's entries, given the owner's table and the member's name."""
    name = str(entries.schema.get(TABLE, f"_{column_of(member).removesuffix('s')}"))
    return owner + name if name.startswith("_") else name


@dataclass(frozen=True, slots=True)
class _Walk:
    """Walk through the fields of a source's items."""

    source: str
    owner: str

    def relations(self, item: ResolvedSchema) -> Iterator[Relation]:
        """Yield the relations of all references in an item."""
        return self._within(item, (schemas.table(self.owner),), ())

    def _within(
        self, schema: ResolvedSchema, tables: tuple[str, ...], above: tuple[str, ...]
    ) -> Iterator[Relation]:
        for name, field in schema.properties.items():
            names = (*above, name)
            if ON_DELETE in field.schema:
                noun = schema.schema.get(USERS, self.source.replace("-", " "))
                yield self._relation(field, tables, names, noun)
            elif "array" in field.types and field.items.properties:
                table = table_of_entries(field.items, tables[0], name)
                inner = tables if table == tables[0] else (table, *tables)
                yield from self._within(field.items, inner, names)

    def _relation(
        self, field: ResolvedSchema, tables: tuple[str, ...], names: tuple[str, ...], noun: str
    ) -> Relation:
        target = field.schema[REFERS_TO]
        column = field.schema.get(COLUMN, column_of(names[-1]))
        if "array" in field.types:
            column = f"{_word(target)}_id"
            tables = (field.schema.get(LINK_TABLE) or field.schema[TABLE], *tables)
        return Relation(
            self.source,
            self.owner,
            ".".join(names),
            target,
            OnDelete(field.schema[ON_DELETE]),
            column,
            tables,
            noun,
            tuple(field.schema.get(SHOWS, ())),
            bool(field.schema.get(COUNTED)),
            bool(field.schema.get(KEEPS_DELETED)),
        )


def table_of(target: str) -> str:
    """Return the table of a target: of a collection, or of a list that has the default name."""
    if target in schemas.load():
        return schemas.table(target)
    collection, member = re.split(r"\W(?=\w+$)", target)
    return table_of_entries(ResolvedSchema({}, collection), schemas.table(collection), member)


def _word(target: str) -> str:
    """Return the name of a target in columns of links: the title of its file, or its table."""
    file = schemas.load().get(target)
    return re.sub(r"\W", "_", file["title"].lower()) if file else table_of(target)


def _relations() -> Iterator[Relation]:
    for name, file in schemas.load().items():
        if name.endswith(BY_OWNER):
            source = name.removesuffix(BY_OWNER)
            walk = _Walk(source, owner_of(source))
            yield from walk.relations(schemas.definition(name, "item"))
        elif BULK_ITEMS in file and "fields" in file["$defs"]:
            yield from _Walk(name, name).relations(schemas.definition(name, "fields"))


_OWNER_COLUMNS: Final = {
    schemas.table(name): str(file[OWNER_COLUMN])
    for name, file in schemas.load().items()
    if OWNER_COLUMN in file
}
RELATIONS: Final = tuple(_relations())
"""All relations, by source; those of a source in the order of its fields."""
