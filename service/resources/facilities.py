"""Facilities (contract, Facilities)."""

from service.error_types import ErrorType
from service.queries.references import Reference
from service.resources.plain_records import PlainRecord


class Facilities(PlainRecord):
    """Sites of sub-suppliers: soft delete, individually or with their sub-supplier."""

    name = "facilities"
    table = "facility"
    updates = ("leave_former", "update")
    own_error_types = (ErrorType.UNKNOWN_REFERENCE,)
    references = (Reference("subSupplierId", "sub_supplier", "sub-supplier"),)
    counted_by = {"subSupplierId": "sub-suppliers"}  # noqa: RUF012
