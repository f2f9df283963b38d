"""Care labels of styles (contract, Care instructions of styles)."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from service.batches.batch import Batch
from service.batches.entry import Item
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.records.child_list import ChildList
from service.records.matched_children import MatchedChildren
from service.records.parts import NestedLists, RecordPart
from service.resources.assortment.style_entries import COLOR, NamedEntry, check_names
from service.resources.styles import Styles
from service.schemas.formats import error_of


class _Sets(ChildList):
    def errors(self, entries: Any, *path: str | int) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for a second set of a style color, or of all others."""
        yield from super().errors(entries, *path)
        colors = set[Any]()
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            color = entry.get(COLOR) if isinstance(entry, dict) else {}
            if color is None or type(color) is int:
                if color in colors:
                    message = "An earlier set is for the same style color."
                    yield ErrorDetail(ErrorType.DUPLICATE, (*path, index, COLOR), message)
                colors.add(color)


class _Layers(ChildList):
    def entry_errors(self, entry: Item, *path: str | int) -> Iterator[ErrorDetail]:
        """Yield ``out_of_range`` for layers whose materials are more than 100 percent."""
        materials = entry.get("materials")
        total = sum(map(_percentage, materials if isinstance(materials, list) else ()))
        if total > 100:
            message = f"The percentages sum to {total}; use at most 100."
            yield ErrorDetail(ErrorType.OUT_OF_RANGE, (*path, "materials"), message)


def _percentage(material: Any) -> Decimal:
    """Return the percentage of a material; 0 if it is none."""
    value = material.get("percentage") if isinstance(material, dict) else None
    text = value if isinstance(value, str) else repr(value)
    return Decimal(0) if error_of("percentage", text) else Decimal(text)


_ICONS: Final = ChildList(
    name="careInstructionIconIds",
    key="careInstructionIconId",
)
_TEXTS: Final = ChildList(
    name="careInstructionIds",
    key="careInstructionId",
)
_MATERIALS: Final = ChildList(name="materials", noun="material", key="careInstructionMaterialId")
_LAYERS: Final = _Layers(
    name="layers",
    noun="layer",
    once=("careInstructionLayerId",),
    order="entry.care_instruction_layer_id",
    nested=(_MATERIALS,),
)


class StyleCareInstructions(RecordPart):
    """Care labels of a style, for colors and for all others; a write replaces the whole set.

    Sets keep references to deleted records. Those of deleted style colors are hidden.
    """

    name = "style-care-instructions"
    owner = Styles
    scope_field = "id"
    below = "/care-instructions"
    list_name = "sets"
    children = _Sets(
        noun="set",
        order="entry.style_color_id nulls first, entry.id",
        # A null matches a null.
        own_match_keys=(lambda row: row,),
        nested=(_ICONS, _TEXTS, _LAYERS),
    )

    async def _match(self, batch: Batch) -> list[MatchedChildren]:
        """Match the sets; report style colors of other styles."""
        lists = await super()._match(batch)
        entries: list[NamedEntry] = [
            (children, children.request_indexes[set_id], entry)
            for children in lists
            for set_id, entry in children.all.items()
            if entry.get(COLOR) is not None and children.stored.all.get(set_id) != (entry[COLOR],)
        ]
        await check_names(batch, entries)
        return lists

    async def check_nested(self, batch: Batch, nested: NestedLists) -> None:
        """Report the second of two icons of one process, in sets with new icons."""
        is_icons = nested.child.key == _ICONS.key
        changed = [children for children in nested.lists if is_icons and children.new]
        if not changed:
            return
        ids = sorted({icon_id for children in changed for icon_id in children.all})
        rows = await self._fetch(batch, "processes", ids)
        processes = {row["id"]: row["process"] for row in rows}
        for children in changed:
            seen = set[str]()
            for icon_id in sorted(children.all, key=children.request_indexes.__getitem__):
                process = processes.get(icon_id)
                if process in seen:
                    words = re.sub("[A-Z]", lambda capital: f" {capital[0].lower()}", process)
                    index, message = (
                        children.request_indexes[icon_id],
                        f"Two icons are about {words}.",
                    )
                    children.fail(batch, ErrorType.INVALID_VALUE, index, message=message)
                elif process:
                    seen.add(process)
