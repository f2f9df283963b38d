"""Item categories (contract, Item categories)."""

from service.resources.deleted_for_good import DeletedForGood


class ItemCategories(DeletedForGood):
    """Kinds of items: deleted for good, unless items are in them."""

    name = "item-categories"
    table = "item_category"
