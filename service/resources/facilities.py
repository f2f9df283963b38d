"""Facilities (contract, Facilities)."""

from service.listing.related import Related
from service.queries.references import Reference
from service.resources.plain_records import PlainRecord


class Facilities(PlainRecord):
    """Sites of sub-suppliers: soft delete, by themselves or by the delete of their sub-supplier.

    A restore of the sub-supplier restores those that its delete deleted, with the state that they
    had (``SubSuppliers``); not one that was deleted by itself before or has moved since
    (``leave_former``). A live facility belongs to a live sub-supplier, whose document counts it.
    """

    name = "facilities"
    table = "facility"
    updates = ("leave_former", "update")
    references = (Reference("subSupplierId", "sub_supplier", "sub-supplier"),)
    related = (
        Related(
            "subSupplier",
            "facility",
            "id",
            {"id": "sub_supplier_id"},
            {"customId": "custom_id"},
            "sub_supplier",
            has_text_ids=True,
        ),
    )
    counted_by = {"subSupplierId": "sub-suppliers"}  # noqa: RUF012
