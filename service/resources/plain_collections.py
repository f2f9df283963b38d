"""Collections of plain records, each a declaration."""

from collections.abc import Mapping
from functools import cached_property

from service import schemas
from service.database.statements import SHARED, Statement, load_bound
from service.records.master_record import HardDeleted, MasterRecord
from service.records.path_keys import KeyLookup
from service.records.resource import Resource
from service.records.scalar_columns import document_sql
from service.records.writable_resource import FOR_NO_KEY_UPDATE
from service.resources.custom_fields.base import CustomFields, allowed_values, related_values
from service.resources.plain_records import PlainRecord


class Brands(PlainRecord):
    """Brands of styles and items: soft delete, refused while live ones refer to them."""

    name = "brands"


class StyleCategories(PlainRecord):
    """Categories of styles: soft delete, refused while live styles refer to them."""

    name = "style-categories"


class Seasons(PlainRecord):
    """Seasons of styles: soft delete, refused while live styles or style colors refer to them."""

    name = "seasons"


class SampleTypes(PlainRecord):
    """Types of sample requests: soft delete, refused while sample requests refer to them."""

    name = "sample-types"


class Organizations(MasterRecord):
    """The caller's organization, as the only record that its callers see."""

    name = "organizations"
    _filters = ()
    _rows = "(select id as organization_id, * from organization)"

    @cached_property
    def locks_by_id(self) -> Mapping[str, str]:
        """Statement that locks the organization, whose table has no ``organization_id``."""
        return {FOR_NO_KEY_UPDATE: self.statements["lock"].fill(strength=FOR_NO_KEY_UPDATE)}


class Groups(PlainRecord):
    """Groups of styles: soft delete, refused (``conflict.in_use``) while live styles are in them.

    A delete also removes the group from the restrictions of style custom fields, for good: a
    restore does not bring these back. Documents show ``usedInStyles``, the number of live styles.
    """

    name = "groups"


class ColorGroups(PlainRecord):
    """Groups of colors: soft delete, refused (``conflict.in_use``) while live colors are in them.

    Deleted colors do not prevent a delete and keep their links. A change of a ``shown`` field,
    a deletion or restore included, also changes the documents of the group's colors (fan-out).
    """

    name = "color-groups"


class ItemCategories(HardDeleted, PlainRecord):
    """Categories of items: hard delete, refused (``conflict.in_use``) while live items use them.

    A delete clears the references of deleted items. Documents show ``usedInItems``, the number of
    live items; it is 0 in a last document.
    """

    name = "item-categories"


class Items(PlainRecord):
    """Components of styles, such as buttons: soft delete, refused while live styles have them.

    An item has at most one category and one supplier, whose documents count it while it is live.
    """

    name = "items"


class Facilities(PlainRecord):
    """Sites of sub-suppliers: soft delete, by themselves or by the delete of their sub-supplier.

    A restore of the sub-supplier restores those that its delete deleted, with the state that they
    had (``SubSuppliers``); not one that was deleted by itself before or has moved since
    (``leave_former``). A live facility belongs to a live sub-supplier, whose document counts it.
    """

    name = "facilities"
    updates = ("leave_former", "update")


class ComplianceCustomFields(CustomFields):
    """Custom fields of an organization's compliance records."""

    name = "compliance-custom-fields"
    kind = "compliance"
    parent_is_fixed = False
    lists = (allowed_values("case when not page.is_sort_by_allowed_value_id then entry.value end"),)
    related = (related_values("compliance"),)


class ComplianceCategories(PlainRecord):
    """Categories of compliance records: soft delete. No other record refers to them."""

    name = "compliance-categories"


class SharedList(Resource):
    """Read-only list that all organizations share; a path may name an entry by its code."""

    _scope_name = ""

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statement of documents; set the lookup by code."""
        table = schemas.table(self.name)
        codes = "array(select lower(form) from unnest($2::text[]) as sent(form))"
        by_code = SHARED["shared_by_code"].fill(list=table, codes=codes)
        self.key_lookups = {"id": KeyLookup("code", by_code)}
        return load_bound("shared_lists", list=table, rendered=document_sql(self.name, "document"))
