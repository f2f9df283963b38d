"""Reference targets: the records that references name, by id or by own key.

Own keys are those of ``schemas/``, and of three lists without an own key there: languages by code,
sizes by name or ``sizeId`` within their size range, and lines of a chart by name within their
style. Values of parent fields are not here: style custom fields resolve these.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from service import schemas
from service.database.statements import SHARED
from service.listing.page_sql import column_of
from service.schemas.key_forms import REFERS_TO

FOR_KEY_SHARE: Final = "for key share"
"""Row lock of records that others refer to; it makes deletes of them wait, but not updates."""


@dataclass(frozen=True)
class ReferenceTarget:
    """Records that references name: their table, own key, and parent of the own key."""

    name: str
    """Collection or nested list, as ``x-refers-to`` names it."""
    table: str
    key: str
    """Member of the key object with the own key."""
    within: str = ""
    """Member of the key object with the parent, if keys are looked up within one; else ""."""
    parent: str = ""
    """Collection of the parent, if key objects may name it.

    "" if there is no parent, or if it is always that of the write (``scope_field``).
    """
    key_of: str = ""
    """Collection of the records that own keys are references to; "" if own keys are texts."""
    noun: str = ""
    """Name of the record in messages."""
    is_live: str = "state <> 'deleted'"
    """SQL condition of the records that keys name, or that take precedence (``finds_others``)."""
    finds_others: bool = False
    """Whether a key names other records if no live one has it."""
    has_text_ids: bool = False
    """Whether JSON has ids as texts."""
    ignores_case: bool = False
    """Whether keys are compared in lower case."""

    @property
    def lock(self) -> str:
        """Row lock of referred records: "" for languages, which nobody deletes."""
        return "" if self.name == "languages" else FOR_KEY_SHARE

    @cached_property
    def texts(self) -> dict[str, str]:
        """Return the statements that look up own keys, by row lock: "", or ``FOR_KEY_SHARE``.

        They take arrays: keys, and where keys are within a parent, the parent's id of each. A row
        has id, key, id of the parent, and whether the record is live. Languages are never locked.
        """
        if not self.parent and self.name == "languages":
            return {"": SHARED["shared_by_code"].fill(list=self.table, codes="$2::text[]")}
        within = column_of(self.within) if self.within else "null::bigint"
        columns = {"table": self.table, "key": column_of(self.key)}
        if self.within:
            key_type = "bigint" if self.key_of else "text"
            # Entries of parts alone find others: a record has at most a thousand of them.
            text_name = "entry_is_sent" if self.finds_others else "key_within_is_sent"
            condition = SHARED[text_name].fill(**columns, key_type=key_type, within=within)
        else:
            condition = SHARED["key_is_sent"].fill(**columns, beside="")
        text = SHARED["records_by_key"].bind(
            **columns, within=within, is_live=self.is_live, sent=condition
        )
        return {lock: text.fill(lock=lock) for lock in ("", FOR_KEY_SHARE)}


def _collection(name: str) -> ReferenceTarget:
    """Return the target of a collection, with its own key in ``schemas/``."""
    key, within = (*schemas.key_fields(name), "")[:2]
    file, fields = schemas.load()[name], schemas.definition(name, "fields")
    refers_to = {n: field.schema.get(REFERS_TO, "") for n, field in fields.properties.items()}
    has_state = "state" in schemas.definition(name, "document").properties
    return ReferenceTarget(
        name,
        schemas.table(name),
        key,
        within,
        refers_to.get(within, ""),
        refers_to[key],
        noun=file["title"].lower(),
        is_live="state <> 'deleted'" if has_state else "true",
        has_text_ids="ids" in file["$defs"],
    )


SIZES: Final = ReferenceTarget(
    "size-ranges/sizes",
    "size_range_size",
    "name",
    "sizeRangeId",
    "size-ranges",
    noun="size",
    is_live="not is_deactivated",
    finds_others=True,
)
_LINES: Final = ReferenceTarget(
    "styles/measurement-chart",
    "measurement_line",
    "name",
    "styleId",
    noun="line",
    is_live="not is_deactivated",
    finds_others=True,
)


def referred(schema: Any) -> Iterator[str]:
    """Yield the names in ``x-refers-to`` of a schema and of its parts; they may repeat."""
    if isinstance(schema, dict) and isinstance(schema.get(REFERS_TO), str):
        yield schema[REFERS_TO]
    parts = schema.values() if isinstance(schema, dict) else schema
    for part in parts if isinstance(schema, dict | list) else ():
        yield from referred(part)


def own_references(collection: str) -> dict[str, ReferenceTarget]:
    """Return the targets of the fields of a collection's records that refer to other records."""
    fields = schemas.definition(collection, "create").properties.items()
    targets = {name: TARGETS.get(field.schema.get(REFERS_TO, "")) for name, field in fields}
    return {name: target for name, target in targets.items() if target}


_LANGUAGES: Final = ReferenceTarget(
    "languages", "language", "code", noun="language", ignores_case=True
)
ALTERNATIVES: Final = {SIZES.name: replace(SIZES, name=f"{SIZES.name} by sizeId", key="sizeId")}
"""Targets of the same records by another own key, by the name that ``x-refers-to`` has."""
_OF_LISTS: Final = (_LANGUAGES, SIZES, _LINES, *ALTERNATIVES.values())
TARGETS: Final = {target.name: target for target in _OF_LISTS} | {
    name: _collection(name)
    for name in sorted({*referred([*schemas.load().values()])})
    if name in schemas.load() and schemas.key_fields(name)
}
"""Targets of references, by the name that ``x-refers-to`` has."""
