"""Suppliers (contract, Suppliers)."""

from service.listing.related import Related
from service.records.child_list import ChildList
from service.records.usage import ReferencedBy
from service.resources.assortment.style_entries import of_lines
from service.resources.plain_records import PlainRecord
from service.resources.sub_suppliers import contact_filters

_LIVE_SUB_SUPPLIER = (
    "(select live.state from sub_supplier live where live.organization_id = $1::bigint"
    " and live.id between sub_supplier_id and sub_supplier_id"
    " order by live.id limit 1) <> 'deleted'"
)


class Suppliers(PlainRecord):
    """Makers of styles and items: soft delete, refused while live styles, their steps or items do.

    Contacts are those of sub-suppliers. Links to deleted sub-suppliers are hidden, and stay until
    these are restored.
    """

    name = "suppliers"
    shown = ("name", "customId", "countryCode")
    lists = (ChildList(name="contacts", table="supplier_contact", noun="contact"),)
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
            shown_condition=_LIVE_SUB_SUPPLIER,
        ),
    )
    uses = (
        ReferencedBy("styles", "supplier_id"),
        ReferencedBy("price-lists", "supplier_id"),
        ReferencedBy("items", "supplier_id"),
        ReferencedBy(
            *("styles", "supplier_id", "style_supplier_facility"), users="style supplier facilities"
        ),
        of_lines("supplier_id"),
    )
