"""Reference targets: the records that references name, by id or by own key.

Own keys are those of ``schemas/``, and of three lists without an own key there: languages by code,
sizes by name within their size range, and lines of a chart by name within their style. Values of
parent fields are not here: style custom fields resolve these.
"""

from dataclasses import dataclass
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

    @cached_property
    def texts(self) -> dict[str, str]:
        """Return the statements that look up own keys, by row lock: "", or ``FOR_KEY_SHARE``.

        They take arrays: keys, and where keys are within a parent, the parent's id of each. A row
        has id, key, id of the parent, and whether the record is live. Languages are never locked.
        """
        if not self.parent and self.name == "languages":
            return {"": SHARED["languages_by_code"].fill(codes="$2::text[]")}
        within = column_of(self.within) if self.within else "null::bigint"
        columns = {"table": self.table, "key": column_of(self.key)}
        if self.within:
            condition = SHARED["key_within_is_sent"].fill(**columns, key_type="text", within=within)
        else:
            condition = SHARED["key_is_sent"].fill(**columns)
        text = SHARED["records_by_key"].bind(
            **columns, within=within, is_live=self.is_live, sent=condition
        )
        return {lock: text.fill(lock=lock) for lock in ("", FOR_KEY_SHARE)}


def _collection(name: str, table: str, **more: Any) -> ReferenceTarget:
    """Return the target of a collection, with its own key in ``schemas/``."""
    key, within = (*schemas.key_fields(name), "")[:2]
    fields, noun = schemas.definition(name, "fields"), schemas.load()[name]["title"].lower()
    parent = fields.properties[within].schema[REFERS_TO] if within else ""
    return ReferenceTarget(name, table, key, within, parent, noun, **more)


_SIZES: Final = ReferenceTarget(
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

TARGETS: Final = {
    target.name: target
    for target in (
        ReferenceTarget("languages", "language", "code", noun="language", ignores_case=True),
        _collection("brands", "brand"),
        _collection("color-groups", "color_group"),
        _collection("colors", "color"),
        _collection("compliance-custom-fields", "compliance_custom_field"),
        _collection("groups", "style_group"),
        _collection("item-categories", "item_category"),
        _collection("sample-requests", "sample_request", is_live="true"),
        _collection("size-ranges", "size_range"),
        _collection("style-categories", "style_category"),
        _collection("style-custom-fields", "style_custom_field"),
        _collection("styles", "style"),
        _collection("sub-suppliers", "sub_supplier", has_text_ids=True),
        _SIZES,
        _LINES,
    )
}
"""Targets of references, by the name that ``x-refers-to`` has."""
