"""Stock keeping units (contract, SKUs)."""

from collections.abc import Mapping
from typing import Final

from service.batches.write_set import WriteSet
from service.database.statements import Statement, load
from service.listing.related import Related
from service.listing.search_columns import SearchColumns
from service.records.references import Reference
from service.resources.plain_records import PlainRecord

_SQL: Final = load("style_skus")
_LOOKED_UP: Final = {
    "styleNumber": "of_style",
    "colorName": "of_color",
    "sizeName": "of_size",
    "gtin": "of_barcode",
}
"""Fragments for fields of other records, by which lists filter and sort."""


class StyleSkus(PlainRecord):
    """SKUs, each a style color in a size: soft delete. The ``sku`` and the pair are unique.

    The size is an active one of the style's size range when the SKU is created or restored. Until
    the commit, the lock of the style keeps its writers from changing the size range.
    """

    name = "style-skus"
    scope_field = "styleColorId"
    sizes_of = "size_ranges_of_style_color"
    references = (
        Reference(
            "styleColorId",
            *("style_color", "style color", "record.state <> 'deleted'", "for share", "style"),
        ),
        Reference("sizeRangeSizeId", "size_range_size", "size", "true", within="size_range"),
    )
    related = (
        Related(
            *("barcodes", "barcode", "style_sku_id", {}, {"barcode": "barcode"}),
            shown_condition="entry.state <> 'deleted'",
        ),
        Related("style", "style_sku", "id", {"id": "style_id"}, {"number": "number"}, "style"),
        Related(
            *("color", "style_sku", "id", {"id": "color_id"}),
            *({"userDefinedId": "user_defined_id"}, "color"),
        ),
    )
    search = SearchColumns("sku")
    json_columns = ("styleNumber", "colorName", "sizeName", "gtin")

    def __init__(self) -> None:
        super().__init__()
        for field, name in _LOOKED_UP.items():
            self.properties.look_up(field, f"({_SQL[name].fill(row='record')})")

    def _own_statements(self) -> dict[str, Statement]:
        own = super()._own_statements().items()
        return {name: text for name, text in own if name not in {"joins", *_LOOKED_UP.values()}}

    def _joins(self, form: str, fragments: Mapping[str, Statement]) -> str:
        """Return the SQL that joins what documents show of other records to the page."""
        joins = super()._joins(form, fragments)
        if form == "document":
            slots = {name: _SQL[name].fill(row="page") for name in _LOOKED_UP.values()}
            joins += _SQL["joins"].fill(**slots)
        return joins

    def _needs_check(self, write_set: WriteSet) -> bool:
        """Return whether an SKU is new or restored: only those need a size of the size range."""
        return bool(write_set.created_ids or write_set.restored_ids)
