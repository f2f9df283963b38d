"""Items (contract, Items)."""

from service.error_types import ErrorType
from service.queries.references import Reference
from service.resources.plain_records import PlainRecord


class Items(PlainRecord):
    """Components of styles: soft delete."""

    name = "items"
    table = "item"
    own_error_types = (ErrorType.UNKNOWN_REFERENCE,)
    references = (Reference("itemCategoryId", "item_category", "item category"),)
    counted_by = {"itemCategoryId": "item-categories"}  # noqa: RUF012
