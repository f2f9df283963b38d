"""The names of a color in other languages (contract, Translations)."""

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
    """The color's links to languages, each with a name or none; they need the feature."""

    name = "color-translations"
    owner = Colors
    segment = Colors.name
    below = f"/{_LIST}"
    list_name = _LIST
    named_once = ("languageId",)
    own_failures = (ErrorType.UNKNOWN_REFERENCE, ErrorType.FEATURE_DISABLED)
    own_texts: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the translations of a color",
            "Its links to languages; `colorName` is null while the color's own name stands there.",
        ),
        "replace": (
            "Replace the translations of a color",
            "The whole set, which is that of `languageIds`. Without the multiple-language feature "
            "it has to be empty, and what is stored stays.",
        ),
    }

    def load_statements(self) -> Mapping[str, Statement]:
        """The part's own, and the one of colors that finds unknown languages."""
        loaded = load("color_translations")
        entries = loaded["entries"].text
        forms = {name: loaded[name].bind(entries=entries) for name in ("documents", "writables")}
        unknown = "unknown_references"
        return {**loaded, **forms, unknown: load("colors")[unknown]}

    async def plan(self, connection: Connection, batch: Batch) -> WritePlan:
        """Unknown languages; without the feature there may be none, and stored ones stay."""
        entries = batch.items[0][_LIST]
        if not batch.caller.multiple_language:
            if entries:
                kind, message = "feature_disabled", MULTIPLE_LANGUAGE_IS_OFF
                batch.fail(0, f"validation_error.{kind}", _LIST, message=message)
            return []
        ids = [entry["languageId"] for entry in entries]
        rows = await self.fetch(connection, batch, "unknown_references", [], ids)
        unknown = {row["id"] for row in rows}
        for place, one in enumerate(ids):
            if one in unknown:
                kind, message = "unknown_reference", "There is no such language."
                path = (_LIST, place, "languageId")
                batch.fail(0, f"validation_error.{kind}", *path, message=message)
        color_id = self.record_id(batch)
        save = [self.step("save", color_id, orjson.dumps(entries).decode())] if entries else []
        return [self.step("remove", color_id, ids), *save]
