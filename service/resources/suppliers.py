"""Suppliers (contract, Suppliers)."""

from service.listing.related import Related
from service.records.usage import ReferencedBy
from service.resources.assortment.style_entries import of_lines
from service.resources.plain_records import PlainRecord
from service.resources.sub_suppliers import contact_filters, contact_list

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
    lists = (contact_list(name, "supplier"),)
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
        ReferencedBy("styles", "style", "supplier_id", key="record.number"),
        ReferencedBy("price lists", "price_list", "supplier_id", key="record.user_defined_id"),
        ReferencedBy("items", "item", "supplier_id", key="record.number"),
        ReferencedBy(
            "style supplier facilities",
            "style",
            "supplier_id",
            link="style_supplier_facility",
            owner="style_id",
            key="record.number",
        ),
        of_lines("supplier_id"),
    )
