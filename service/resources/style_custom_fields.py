"""Style custom fields (specification, Style custom field and Style custom fields (bulk))."""

from collections.abc import Mapping

from service.database.connections import Connection
from service.database.statements import Statement
from service.queries.batch import Batch
from service.queries.links import write_links
from service.resources.allowed_values import Sent
from service.resources.associations import Association
from service.resources.custom_fields import CustomFields, fail_value

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
_POINTER = "parentAllowedValueId"


class StyleCustomFields(CustomFields):
    """Fields that an organization adds to its styles, to all or to some.

    Their allowed values go with values of the parent field.
    """

    name = "style-custom-fields"
    table = "style_custom_field"
    kind = "style"
    parent_is_fixed = True
    written_separately = ("allowedValues", *(association.field for association in _ASSOCIATIONS))
    value_members = (_POINTER,)
    value_removals = ("forget_parent_values", *CustomFields.value_removals)

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
            batch.found[association.links] = await association.resolve(connection, batch)
        await super().check(connection, batch)
        await self._check_parent_values(connection, batch)
        await self._check_removed_values(connection, batch)

    async def write_children(self, connection: Connection, batch: Batch) -> None:
        """Allowed values and associations."""
        await super().write_children(connection, batch)
        wanted = {one.links: batch.found[one.links] for one in _ASSOCIATIONS}
        await write_links(connection, batch, wanted)

    async def _check_parent_values(self, connection: Connection, batch: Batch) -> None:
        """Values that go with one that the parent field does not have."""
        pointing = _pointing(batch)
        if not pointing:
            return
        unknown = await connection.fetch(
            self.statements["unknown_parent_values"].text,
            batch.caller.organization_id,
            [one.field_id for one in pointing],
            [batch.items[one.number].get("parentCustomFieldId") for one in pointing],
            [one.value[_POINTER] for one in pointing],
        )
        for (number,) in unknown:
            message = "The parent field has no such allowed value."
            fail_value(batch, pointing[number - 1], _POINTER, message)

    async def _check_removed_values(self, connection: Connection, batch: Batch) -> None:
        """Values that are taken away, and that values of other fields go with."""
        removed = batch.found[self].removed
        if not removed:
            return
        pointing = _pointing(batch)
        needed = await connection.fetch(
            self.statements["needed_values"].text,
            batch.caller.organization_id,
            removed,
            [one.field_id for one in pointing],
            [one.value[_POINTER] for one in pointing],
            [*batch.ids, *batch.gone],
        )
        numbers = {record_id: number for number, record_id in enumerate(batch.ids)}
        for field_id, value in needed:
            batch.fail(numbers[field_id], "conflict.in_use", "allowedValues", value)


def _pointing(batch: Batch) -> list[Sent]:
    """The allowed values that go with one of the parent field."""
    return [
        Sent(number, place, item["id"], value)
        for number, item in enumerate(batch.items)
        for place, value in enumerate(item.get("allowedValues") or ())
        if value.get(_POINTER) is not None
    ]
