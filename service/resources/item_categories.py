"""Item categories (contract, Item categories)."""

from service.queries.references import ReferencedBy
from service.resources.hard_delete import DeletedForGood
from service.resources.plain_records import PlainRecord


class ItemCategories(DeletedForGood, PlainRecord):
    """Kinds of items: deleted for good, unless items are in them."""

    name = "item-categories"
    table = "item_category"
    uses = (ReferencedBy("items", "item", "item_category_id", cleared_by="clear_in_deleted_items"),)
