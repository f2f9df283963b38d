"""Translations of colors and of styles: parts of them (contract, Translations)."""

import orjson

from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.batches.write_set import WriteSet
from service.error_types import ErrorType
from service.records.child_list import ChildList
from service.records.parts import RecordPart
from service.resources.colors import MULTIPLE_LANGUAGE_IS_OFF, Colors
from service.resources.styles import Styles


class Translations(RecordPart):
    """Texts of a record in other languages; a write replaces the whole set.

    Without the multiple-language feature, a write can neither add, change nor remove any.
    """

    below = "/translations"
    list_name = "translations"

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the plan; without the feature none, and report items with any language."""
        batch = write_set.upserts
        if batch.caller.multiple_language:
            return await super().check(write_set)
        for index, item in enumerate(batch.items):
            if item[self.list_name]:
                path, message = self.list_name, MULTIPLE_LANGUAGE_IS_OFF
                batch.fail(index, ErrorType.FEATURE_DISABLED, path, message=message)
        return []


class StyleTranslations(Translations):
    """Names and descriptions of a style in other languages."""

    name = "style-translations"
    owner = Styles
    children = ChildList(noun="translation", key="languageId")


class ColorTranslations(Translations):
    """Links of a color to languages, each with a name or none.

    The links are the same rows as the color's ``languageIds``.
    """

    name = "color-translations"
    owner = Colors
    children = ChildList(
        noun="translation",
        key="languageId",
        also=f"{Colors.name}.form",
        also_updated=False,
    )

    async def plan(self, batch: Batch) -> WritePlan:
        """Return the writes of links that differ; report unknown languages."""
        lists = await self._match(batch)
        self._note(batch, lists)
        names = [
            {"id": each.owner_id, "former": former, "name": entry.get("colorName")}
            for each in lists
            for language_id, entry in each.existing.items()
            for [former] in (each.stored.all[language_id],)
            if former != entry.get("colorName")
        ]
        return [
            *await self._list_plan(batch, lists),
            *([self.bound("tell_colors", orjson.dumps(names).decode())] if names else ()),
        ]
