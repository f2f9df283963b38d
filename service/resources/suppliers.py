"""Suppliers (contract, Suppliers)."""

from service.listing.related import Related
from service.records.child_list import ChildList
from service.records.relation_statements import is_shown
from service.resources.plain_records import PlainRecord
from service.resources.sub_suppliers import contact_filters


class Suppliers(PlainRecord):
    """Makers of styles and items: soft delete, refused while live styles, their steps or items do.

    Contacts are those of sub-suppliers. Links to deleted sub-suppliers are hidden, and stay until
    these are restored.
    """

    name = "suppliers"
    lists = (ChildList(name="contacts", noun="contact"),)
    related = (
        contact_filters("supplier"),
        Related(
            "subSuppliers",
            "supplier_sub_supplier",
            "supplier_id",
            {"id": "sub_supplier_id"},
            {"customId": "custom_id"},
            "sub_supplier",
            has_text_ids=True,
            shown_condition=is_shown("supplier_sub_supplier"),
        ),
    )
