"""Style files (contract, Style files)."""

import orjson

from service.batches.change_recorder import WritePlan
from service.batches.write_set import WriteSet
from service.listing.search_columns import SearchColumns
from service.records.references import Reference
from service.resources.plain_records import PlainRecord


class StyleFiles(PlainRecord):
    """Links to images and documents of styles: soft delete, or with the style or style color.

    A style has at most one main image without a color, and one for each of its colors. A write
    locks the style, so that two writers do not choose a main image at once.
    """

    name = "style-files"
    search = SearchColumns("file_name")
    scope_field = "styleId"
    references = (Reference("styleId", "style", "style", lock="for no key update"),)
    updates = ("leave_former", "update")

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Choose the main images where items do not; report what stored data show.

        A restored file that was the main image is it again unless there is another, whether or not
        its item says so.
        """
        batch, restored_ids = write_set.upserts, {*write_set.restored_ids}
        open_items = [
            item
            for item in batch.items
            if item.get("isMain") is None or (item["isMain"] and item["id"] in restored_ids)
        ]
        if open_items:
            items = orjson.dumps(batch.items).decode()
            rows = await self._fetch(batch, "kept_mains", items)
            main_ids = {row["id"] for row in rows}
            for item in open_items:
                item["isMain"] = item["id"] in main_ids
        return await super().check(write_set)
