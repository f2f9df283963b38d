"""Swatch of a color: a part (contract, Swatches)."""

from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.records.parts import RecordPart
from service.resources.colors import Colors


class ColorSwatches(RecordPart):
    """Color value and image of a color, in columns of its row; a write replaces both."""

    name = "color-swatches"
    owner = Colors
    below = "/swatch"
    is_patched = True

    async def plan(self, batch: Batch) -> WritePlan:
        """Return the write of swatches that differ."""
        rows = await self._fetch(batch, "filled_swatches", batch.ids)
        filled = {row["id"] for row in rows}
        for item in batch.items:
            is_filled = any(item.get(name) is not None for name in ("hex", "imageUrl"))
            was_filled = item["id"] in filled
            batch.note_part(self.name, item["id"], was_filled=was_filled, is_filled=is_filled)
        return [self.bound("set_swatch", batch.json())]
