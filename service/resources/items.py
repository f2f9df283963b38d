"""Items (contract, Items)."""

from service.listing.related import Related
from service.queries.references import Reference
from service.resources.plain_records import PlainRecord


class Items(PlainRecord):
    """Components of styles, such as buttons: soft delete, never refused.

    An item has at most one category, whose document counts it while it is live. No other record
    refers to items.
    """

    name = "items"
    table = "item"
    references = (Reference("itemCategoryId", "item_category", "item category"),)
    related = (
        Related(
            "itemCategory",
            "item",
            "id",
            {"id": "item_category_id"},
            {"name": "name"},
            "item_category",
        ),
    )
    counted_by = {"itemCategoryId": "item-categories"}  # noqa: RUF012
