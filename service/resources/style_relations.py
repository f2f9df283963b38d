"""Style relations (contract, Style relations)."""

from collections.abc import Iterator

from service.batches.entry import Item
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.listing.search_columns import SearchColumns
from service.records.master_record import HardDeleted
from service.resources.plain_records import PlainRecord


class StyleRelations(HardDeleted, PlainRecord):
    """Links from a style to a related style, without a state: each pair once; hard delete.

    The own key is the related style's id, within the style. The reverse pair is another link. Two
    items of a request can swap their pairs, which a unique index would refuse.
    """

    name = "style-relations"
    search = SearchColumns(
        *("name", ("number",), ("style", "related_style_id")),
        shown=("related_style_name", "related_style_number"),
    )

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``invalid_value`` if the item relates a style to itself, by equal ids."""
        if isinstance(item.get("styleId"), int) and item["styleId"] == item.get("relatedStyleId"):
            message = "Use the id of another style than styleId."
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("relatedStyleId",), message)
