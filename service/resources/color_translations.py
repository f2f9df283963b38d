"""Translations of a color's name: part of a color (contract, Translations)."""

from collections.abc import Mapping
from typing import ClassVar, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.parts import RecordPart
from service.resources.colors import MULTIPLE_LANGUAGE_IS_OFF, Colors

_LIST = "translations"
_Stored: TypeAlias = tuple[str, dict[int, str | None]]
"""Own name of a color, and its names by language id; None for a language without a translation."""


class ColorTranslations(RecordPart):
    """Links of a color to languages, each with a name or none.

    The links are the same rows as the color's ``languageIds``; a write replaces the whole set.
    Without the multiple-language feature, a write can neither add, change nor remove links.
    """

    name = "color-translations"
    owner = Colors
    segment = Colors.name
    below = f"/{_LIST}"
    list_name = _LIST
    named_once = ("languageId",)
    own_descriptions: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the translations of a color",
            "The color's links to languages. `colorName` is null while the language has no "
            "translation and the color's own name is shown.",
        ),
        "replace": (
            "Replace the translations of a color",
            "Replaces the whole set, which is also the set of `languageIds`. Without the "
            "multiple-language feature the set must be empty, and stored translations stay.",
        ),
    }

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the part's statements, and the one of colors that finds unknown languages."""
        unknown = "unknown_references"
        return {**super()._load_statements(), unknown: load("colors")[unknown]}

    def shapes(self) -> Mapping[str, Statement]:
        """Return the statements of both forms; entries are in the order of language ids.

        ``writables`` have no entries without the multiple-language feature; documents do.
        """
        loaded = load("color_translations")
        entries = loaded["entries"].text
        return {name: loaded[name].bind(entries=entries) for name in ("documents", "writables")}

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Return the writes of links that differ; report unknown languages.

        ``tell_colors`` records a change of the colors whose documents show another name or a new
        language; ``remove`` records it for removed ones. Without the feature return no writes, and
        report items with any language (``feature_disabled``).
        """
        if not batch.caller.multiple_language:
            self._refuse_languages(batch)
            return []
        await self._check_languages(connection, batch)
        stored = await self._stored(connection, batch)
        removed, saved, shown_ids = list[tuple[int, int]](), list[Item](), set[int]()
        for item in batch.items:
            color_id, (own_name, before) = item["id"], stored[item["id"]]
            after = {entry["languageId"]: entry.get("colorName") for entry in item[_LIST]}
            removed += ((color_id, language_id) for language_id in before.keys() - after.keys())
            for language_id, name in after.items():
                if language_id in before and before[language_id] == name:
                    continue
                saved.append({"colorId": color_id, "languageId": language_id, "colorName": name})
                # Without a translation the color shows its own name.
                former = before.get(language_id) or own_name
                if language_id not in before or former != (name or own_name):
                    shown_ids.add(color_id)
            batch.note_part(self.name, color_id, was_filled=bool(before), is_filled=bool(after))
        return [
            *([self.bound("remove", orjson.dumps(removed).decode())] if removed else ()),
            *([self.bound("save", orjson.dumps(saved).decode())] if saved else ()),
            *([self.bound("tell_colors", sorted(shown_ids))] if shown_ids else ()),
        ]

    async def _stored(self, connection: Connection, batch: Batch) -> dict[int, _Stored]:
        """Return own name and translated names of each color of the batch, by the color's id."""
        stored = dict[int, _Stored]()
        for color_id, own_name, language_id, name in await self.fetch(
            connection, batch, "stored", batch.id_array
        ):
            _, translations = stored.setdefault(color_id, (own_name, {}))
            if language_id is not None:
                translations[language_id] = name
        return stored

    def _refuse_languages(self, batch: Batch) -> None:
        for index, item in enumerate(batch.items):
            if item[_LIST]:
                kind, message = ErrorType.FEATURE_DISABLED, MULTIPLE_LANGUAGE_IS_OFF
                batch.fail(index, kind, _LIST, message=message)

    async def _check_languages(self, connection: Connection, batch: Batch) -> None:
        """Report each entry with an unknown language (``unknown_reference``)."""
        ids = {entry["languageId"] for item in batch.items for entry in item[_LIST]}
        if not ids:
            return
        rows = await self.fetch(connection, batch, "unknown_references", [], sorted(ids))
        unknown = {row["id"] for row in rows}
        for index, item in enumerate(batch.items):
            for entry_index, entry in enumerate(item[_LIST]):
                if entry["languageId"] in unknown:
                    path, message = (_LIST, entry_index, "languageId"), "There is no such language."
                    batch.fail(index, ErrorType.UNKNOWN_REFERENCE, *path, message=message)
