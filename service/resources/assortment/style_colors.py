"""Style colors (contract, Style colors)."""

from collections.abc import Mapping
from typing import Final

from service.batches.change_recorder import WritePlan
from service.batches.write_set import WriteSet
from service.database.statements import Statement
from service.error_types import ErrorType
from service.listing.search_columns import SearchColumns
from service.records.usage import ReferencedBy
from service.resources.plain_records import PlainRecord
from service.resources.styles import with_deleted_references

_HIDDEN: Final = {
    "custom_field_value": "custom-field-values",
    "style_care_set": "style-care-instructions",
    "style_price": "style-prices",
}
"""Parts of styles whose entries deleted style colors hide, by table."""


class StyleColors(PlainRecord):
    """Colors of styles: each once in a style; soft delete, by themselves or with their style.

    The delete of one with live SKUs is refused. It hides entries of parts, a restore shows them.
    Hidden entries refer to nothing; a restore checks what they refer to.
    Files are deleted and restored with their style color.
    A restore of the style restores those that its delete deleted, with the state that they had
    (``Styles``).
    """

    name = "style-colors"
    uses = (ReferencedBy("style-skus", "style_color_id"),)
    search = SearchColumns(
        *("name", ("user_defined_id", "user_defined_id2", "color_reference")),
        related=("color", "color_id"),
        shown=("color_name", "color_user_defined_id"),
        own=("name",),
    )
    updates = (
        *("tell_restored_lines", "tell_restored_price_lists"),
        *(f"tell_restored_{name}" for name in _HIDDEN),
        "update",
    )
    deletes = (
        *("delete", "delete_style_files", "tell_deleted_lines", "tell_deleted_price_lists"),
        *(f"tell_deleted_{name}" for name in _HIDDEN),
    )

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements; those that tell of entries once for each table of them."""
        loaded = dict(super()._load_statements())
        for name in ("tell_deleted", "tell_restored"):
            statement = loaded.pop(name)
            for table, part in _HIDDEN.items():
                loaded[f"{name}_{table}"] = statement.bind(table=table, part=part)
        return loaded

    def _own_statements(self) -> dict[str, Statement]:
        own = super()._own_statements()
        alone = own.pop("alone").text
        bound = {name: statement.bind(alone=alone) for name, statement in own.items()}
        return with_deleted_references(bound)

    def _needs_check(self, write_set: WriteSet) -> bool:
        """Return whether style colors are restored."""
        return bool(write_set.restored_ids)

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the restores of files, too; report those whose names others have by now."""
        plan, upserts = await super().check(write_set), write_set.upserts
        if write_set.restored_ids:
            plan += self._item_statements(["restore_style_files"], upserts)
            if upserts.caller.unique_keys:
                ids = [*write_set.restored_ids]
                rows = await self._fetch(upserts, "taken_files", ids)
                messages = {
                    row["id"]: f"Style file {row['other_id']} has the name of one of its files."
                    for row in rows
                }
                upserts.fail_records(messages, ErrorType.CONFLICT_DUPLICATE, "state")
        return plan
