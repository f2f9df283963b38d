"""Style categories (contract, Style categories)."""

from service.queries.usage import ReferencedBy
from service.resources.associations import Restriction
from service.resources.plain_records import PlainRecord


class StyleCategories(Restriction, PlainRecord):
    """Categories of styles: soft delete, refused while live styles refer to them."""

    name = "style-categories"
    table = "style_category"
    noun = "style category"
    shown = ("name",)
    uses = (ReferencedBy("styles", "style", "style_category_id", key="record.number"),)
