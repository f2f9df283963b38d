"""Translations of a color's name (contract, Translations)."""

from collections.abc import Mapping
from typing import ClassVar

import orjson

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.queries.batch import Batch
from service.queries.bound_statements import WritePlan
from service.queries.parts import RecordPart
from service.resources.colors import MULTIPLE_LANGUAGE_IS_OFF, Colors

_LIST = "translations"


class ColorTranslations(RecordPart):
    """Links of a color to languages, each with a name or none; require the language feature."""

    name = "color-translations"
    owner = Colors
    segment = Colors.name
    below = f"/{_LIST}"
    list_name = _LIST
    named_once = ("languageId",)
    own_error_types = (ErrorType.UNKNOWN_REFERENCE, ErrorType.FEATURE_DISABLED)
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

    def load_statements(self) -> Mapping[str, Statement]:
        """Return the part's statements, and the one of colors that finds unknown languages."""
        loaded = load("color_translations")
        entries = loaded["entries"].text
        forms = {name: loaded[name].bind(entries=entries) for name in ("documents", "writables")}
        unknown = "unknown_references"
        return {**loaded, **forms, unknown: load("colors")[unknown]}

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Return the writes; report unknown languages, and any language without the feature."""
        entries = batch.items[0][_LIST]
        if not batch.caller.multiple_language:
            if entries:
                kind, message = ErrorType.FEATURE_DISABLED, MULTIPLE_LANGUAGE_IS_OFF
                batch.fail(0, kind, _LIST, message=message)
            return []
        ids = [entry["languageId"] for entry in entries]
        rows = await self.fetch(connection, batch, "unknown_references", [], ids)
        unknown = {row["id"] for row in rows}
        for index, language_id in enumerate(ids):
            if language_id in unknown:
                path, message = (_LIST, index, "languageId"), "There is no such language."
                batch.fail(0, ErrorType.UNKNOWN_REFERENCE, *path, message=message)
        color_id = self.record_id(batch)
        save = [self.step("save", color_id, orjson.dumps(entries).decode())] if entries else []
        return [self.step("remove", color_id, ids), *save]
