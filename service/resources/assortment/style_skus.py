"""Stock keeping units (contract, SKUs)."""

from service.batches.write_set import WriteSet
from service.listing.related import Related
from service.listing.search_columns import SearchColumns
from service.records.references import Reference
from service.resources.plain_records import PlainRecord


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
    shown = ("sku",)
    looked_up = (
        *(("of_style", "styleNumber"), ("of_color", "colorName")),
        *(("of_size", "sizeName"), ("of_barcode", "gtin")),
    )

    def _needs_check(self, write_set: WriteSet) -> bool:
        """Return whether an SKU is new or restored: only those need a size of the size range."""
        return bool(write_set.created_ids or write_set.restored_ids)
