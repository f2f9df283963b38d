"""Style colors (contract, Style colors)."""

from collections.abc import Mapping
from typing import Final

from service.batches.change_recorder import WritePlan
from service.batches.write_set import WriteSet
from service.database.statements import Statement
from service.error_types import ErrorType
from service.listing.search_columns import SearchColumns
from service.records.relations import relations_to
from service.records.restored_references import restored_references
from service.resources.plain_records import PlainRecord
from service.resources.styles import Styles

_HIDDEN: Final = {
    relation.source: relation.tables[0]
    for relation in relations_to("style-colors")
    if relation.hides and len(relation.tables) == 2
}
"""Tables of the parts of styles whose entries deleted style colors hide, by part."""


class StyleColors(PlainRecord):
    """Colors of styles: each once in a style; soft delete, by themselves or with their style.

    The delete of one with live SKUs is refused. It hides entries of parts, a restore shows them.
    Hidden entries refer to nothing; a restore checks what they refer to.
    Files are deleted and restored with their style color.
    A restore of the style restores those that its delete deleted, with the state that they had
    (``Styles``).
    """

    name = "style-colors"
    search = SearchColumns(
        *("name", ("user_defined_id", "user_defined_id2", "color_reference")),
        related=("color", "color_id"),
        shown=("color_name", "color_user_defined_id"),
        own=("name",),
    )
    _tells = tuple(
        ("tell_lines", "tell_price_lists", *(f"tell_{part}_{operation}" for part in _HIDDEN))
        for operation in ("deleted", "created")
    )

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements; those that tell of entries once for each part with them."""
        loaded = dict(super()._load_statements())
        tell = loaded.pop("tell_part")
        for part, table in _HIDDEN.items():
            for operation in ("deleted", "created"):
                bound = tell.bind(table=table, part=part, operation=operation)
                loaded[f"tell_{part}_{operation}"] = bound
        return loaded

    def _own_statements(self) -> dict[str, Statement]:
        own = super()._own_statements()
        alone = own.pop("alone").text
        restored = restored_references(Styles.name, own.pop("restored"))
        bound = {name: statement.bind(alone=alone) for name, statement in own.items()}
        return bound | {"check": restored}

    def _needs_check(self, write_set: WriteSet) -> bool:
        """Return whether style colors are restored."""
        return bool(write_set.restored_ids)

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Report restores of files whose names others have by now, too."""
        plan, upserts = await super().check(write_set), write_set.upserts
        if write_set.restored_ids and upserts.caller.unique_keys:
            rows = await self._fetch(upserts, "taken_files", [*write_set.restored_ids])
            messages = {
                row["id"]: f"Style file {row['other_id']} has the name of one of its files."
                for row in rows
            }
            upserts.fail_records(messages, ErrorType.CONFLICT_DUPLICATE, "state")
        return plan
