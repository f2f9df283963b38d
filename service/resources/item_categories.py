"""Item categories (contract, Item categories)."""

from service.queries.usage import ReferencedBy
from service.resources.hard_delete import HardDeleted
from service.resources.plain_records import PlainRecord


class ItemCategories(HardDeleted, PlainRecord):
    """Categories of items: hard delete, refused (``conflict.in_use``) while live items use them.

    A delete clears the references of deleted items. Documents show ``usedInItems``, the number of
    live items; it is 0 in a last document.
    """

    name = "item-categories"
    table = "item_category"
    uses = (
        ReferencedBy(
            "items",
            "item",
            "item_category_id",
            key="record.number",
            cleared_by="clear_in_deleted_items",
        ),
    )
