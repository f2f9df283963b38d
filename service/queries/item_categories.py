"""Item categories (specification, Item category and Item categories)."""

from service.queries.records import MasterRecord


class ItemCategories(MasterRecord):
    """Kinds of items: deleted for good, unless items are in them."""

    name = "item-categories"
    table = "item_category"
