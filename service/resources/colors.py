"""Colors (contract, Colors)."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from service.database.connections import Connection
from service.error_types import ErrorType
from service.queries.batch import Batch
from service.queries.bound_statements import WritePlan
from service.queries.links import (
    LinkDifference,
    Links,
    LinkSets,
    difference_statements,
    differences,
)
from service.queries.master_record import MasterRecord, WriteSet

_REFERENCES = {"colorGroupIds": "color group", "languageIds": "language"}
_GROUPS = Links("color_in_group", owner="color_id", linked="color_group_id")
_LANGUAGES = Links("color_language", owner="color_id", linked="language_id")
_TABLES = {"colorGroupIds": _GROUPS, "languageIds": _LANGUAGES}
MULTIPLE_LANGUAGE_IS_OFF: Final = (
    "The multiple-language feature is off. Leave the field empty, or ask the operator to turn it "
    "on: selvedge organization set ID --multiple-language on."
)


class Colors(MasterRecord):
    """Colors with their color groups and, where the organization has them, languages."""

    name = "colors"
    table = "color"
    written_separately = tuple(_REFERENCES)
    own_failures = (ErrorType.UNKNOWN_REFERENCE, ErrorType.FEATURE_DISABLED)

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """Unknown references; and languages ask for the multiple-language feature.

        Without the feature stored links to languages stay as they are.
        """
        batch = change.upserts
        if not batch.items:
            return []
        sets = {_GROUPS: _links(batch, "colorGroupIds")}
        if batch.caller.multiple_language:
            sets[_LANGUAGES] = _links(batch, "languageIds")
        else:
            _refuse_languages(batch)
        found = await differences(connection, batch, sets)
        await self._check_references(connection, change, found)
        return difference_statements(found)

    async def _check_references(
        self, connection: Connection, change: WriteSet, found: Mapping[Links, LinkDifference]
    ) -> None:
        """Report every place of a reference that names nothing, or a deleted color group.

        Colors that stay deleted may stay in deleted groups. What a live color is linked to already
        is there, and cannot be deleted as long as it is.
        """
        batch, named = change.upserts, [_named(change, field, found) for field in _REFERENCES]
        if not any(named):
            return
        text, organization_id = (
            self.statements["unknown_references"].text,
            batch.caller.organization_id,
        )
        unknown: dict[str, dict[int, bool]] = defaultdict(dict)
        for field, reference, is_deleted in await connection.fetch(text, organization_id, *named):
            unknown[field][reference] = is_deleted
        for field, references in unknown.items():
            message = f"There is no such {_REFERENCES[field]}."
            for number, item in enumerate(batch.items):
                stays_deleted = item.get("state") == "deleted"
                for place, one in enumerate(item.get(field) or ()):
                    if one in references and not (stays_deleted and references[one]):
                        kind = ErrorType.UNKNOWN_REFERENCE
                        batch.fail(number, kind, field, place, message=message)


def _refuse_languages(batch: Batch) -> None:
    for number, item in enumerate(batch.items):
        if item.get("languageIds"):
            kind, message = "feature_disabled", MULTIPLE_LANGUAGE_IS_OFF
            batch.fail(number, f"validation_error.{kind}", "languageIds", message=message)


def _named(change: WriteSet, field: str, found: Mapping[Links, LinkDifference]) -> set[int]:
    """The ids of the field that have to be looked up."""
    difference = found.get(_TABLES[field])
    items, named = change.upserts.items, set[int]()
    if difference is not None:
        restored = {*change.restored_ids}
        items = [item for item in items if item["id"] in restored] if restored else []
        named = {one for _, one in difference.added}
    return named.union(*(item.get(field) or () for item in items))


def _links(batch: Batch, field: str) -> LinkSets:
    """What a field of the items links them to."""
    return {item["id"]: item.get(field) or () for item in batch.items}
