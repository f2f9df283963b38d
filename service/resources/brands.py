"""Brands (contract, Brands)."""

from service.queries.usage import ReferencedBy
from service.resources.associations import Restriction
from service.resources.plain_records import PlainRecord


class Brands(Restriction, PlainRecord):
    """Brands of styles: soft delete, refused while live styles refer to them."""

    name = "brands"
    table = "brand"
    noun = "brand"
    shown = ("name",)
    uses = (ReferencedBy("styles", "style", "brand_id", key="record.number"),)
