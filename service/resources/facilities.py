"""Facilities (contract, Facilities)."""

from service.error_types import ErrorType
from service.listing.related import Related
from service.queries.references import Reference
from service.resources.plain_records import PlainRecord


class Facilities(PlainRecord):
    """Sites of sub-suppliers: soft delete, alone or with their sub-supplier; so is the restore."""

    name = "facilities"
    table = "facility"
    updates = ("leave_former", "update")
    own_error_types = (ErrorType.UNKNOWN_REFERENCE,)
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
