"""Style custom fields (specification, Style custom field and Style custom fields (bulk))."""

from collections.abc import Mapping

from service.database import Connection
from service.queries.associations import Association
from service.queries.batch import Batch
from service.queries.custom_fields import CustomFields
from service.statements import Statement

_BRANDS = Association("associatedBrands", "brand", noun="brand", reference="custom_id", live=False)
_GROUPS = Association(
    "associatedGroups", "style_group", noun="group", reference="user_defined_id", live=True
)
_CATEGORIES = Association(
    "associatedStyleCategories",
    "style_category",
    noun="style category",
    reference="user_defined_id",
    live=False,
)
_ASSOCIATIONS = (_BRANDS, _GROUPS, _CATEGORIES)


class StyleCustomFields(CustomFields):
    """Fields that an organization adds to its styles, to all or to some.

    Their allowed values go with values of the parent field.
    """

    name = "style-custom-fields"
    table = "style_custom_field"
    kind = "style"
    parent_is_fixed = True
    # Pointers to values move before these go.
    children = (
        "update_allowed_values",
        "forget_parent_values",
        "remove_allowed_values",
        "insert_allowed_values",
    )

    def load_statements(self) -> Mapping[str, Statement]:
        """The shapes with what the associations add to them."""
        parts = {
            "brands": _BRANDS.documents,
            "groups": _GROUPS.documents,
            "categories": _CATEGORIES.documents,
        }
        loaded = super().load_statements()
        shapes = {name: loaded[name].bind(**parts) for name in ("documents", "writables")}
        return {**loaded, **shapes}

    async def check(self, connection: Connection, batch: Batch) -> None:
        """Besides what is common: associations, and values that go with others."""
        for association in _ASSOCIATIONS:
            await association.resolve(connection, batch)
        await super().check(connection, batch)
        await self.report(connection, "check_parent_values", batch)
        await self.report(connection, "check_removed_values", batch, batch.gone)

    async def write_children(self, connection: Connection, batch: Batch) -> None:
        """Allowed values and associations."""
        await super().write_children(connection, batch)
        for association in _ASSOCIATIONS:
            await association.write(connection, batch)
