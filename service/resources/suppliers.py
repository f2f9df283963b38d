"""Suppliers (contract, Suppliers)."""

from service.records.child_list import ChildList
from service.resources.plain_records import PlainRecord
from service.resources.sub_suppliers import contact_filters


class Suppliers(PlainRecord):
    """Makers of styles and items: soft delete, refused while live styles, their steps or items do.

    Contacts are those of sub-suppliers. Links to deleted sub-suppliers are hidden, and stay until
    these are restored.
    """

    name = "suppliers"
    lists = (ChildList(name="contacts", noun="contact"),)
    related = (contact_filters("supplier"),)
