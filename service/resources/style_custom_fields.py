"""Style custom fields (contract, Style custom fields)."""

from collections.abc import Mapping

from service.database.connections import Connection
from service.database.statements import Statement
from service.error_types import ErrorType
from service.queries.batch import Batch
from service.queries.bound_statements import WritePlan
from service.queries.links import link_statements
from service.queries.master_record import WriteSet
from service.resources.allowed_values import SentValue, ValueDifferences, sent_values
from service.resources.associations import Association
from service.resources.custom_fields import CustomFields

_BRANDS = Association("associatedBrands", "brand", noun="brand", reference="custom_id")
_GROUPS = Association("associatedGroups", "style_group", noun="group", reference="user_defined_id")
_CATEGORIES = Association(
    "associatedStyleCategories",
    "style_category",
    noun="style category",
    reference="user_defined_id",
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
    own_failures = (*CustomFields.own_failures, ErrorType.CONFLICT_IN_USE)
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

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """Besides what is common: associations."""
        if not change.upserts.items:
            return await super().check(connection, change)
        sets = {one.links: await one.resolve(connection, change.upserts) for one in _ASSOCIATIONS}
        plan = await super().check(connection, change)
        return plan + await link_statements(connection, change.upserts, sets)

    async def check_values(
        self, connection: Connection, change: WriteSet, found: ValueDifferences
    ) -> None:
        """Values that go with others of the parent field."""
        pointing = [*sent_values(change.upserts, having=_POINTER)]
        if pointing:
            await self._check_parent_values(connection, change.upserts, pointing)
        if found.removed:
            await self._check_removed_values(connection, change, pointing, found.removed)

    async def _check_parent_values(
        self, connection: Connection, batch: Batch, pointing: list[SentValue]
    ) -> None:
        """Report values that go with one that the parent field does not have."""
        unknown = await connection.fetch(
            self.statements["unknown_parent_values"].text,
            batch.caller.organization_id,
            [one.field_id for one in pointing],
            [batch.items[one.number].get("parentCustomFieldId") for one in pointing],
            [one.value[_POINTER] for one in pointing],
        )
        for (number,) in unknown:
            message = "The parent field has no such allowed value."
            pointing[number - 1].fail(batch, _POINTER, message)

    async def _check_removed_values(
        self,
        connection: Connection,
        change: WriteSet,
        pointing: list[SentValue],
        removed: list[int],
    ) -> None:
        """Report values that are taken away, and that values of other fields go with."""
        batch = change.upserts
        needed = await connection.fetch(
            self.statements["needed_values"].text,
            batch.caller.organization_id,
            removed,
            [one.field_id for one in pointing],
            [one.value[_POINTER] for one in pointing],
            [*batch.ids, *change.deletes.ids],
        )
        numbers = {record_id: number for number, record_id in enumerate(batch.ids)}
        for field_id, message in needed:
            batch.fail(
                numbers[field_id], ErrorType.CONFLICT_IN_USE, "allowedValues", message=message
            )
