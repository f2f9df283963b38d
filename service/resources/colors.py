"""Colors (contract, Colors)."""

from collections import defaultdict

from service.database.connections import Connection
from service.queries.batch import Batch
from service.queries.links import Links, Sets, link_steps
from service.queries.master_record import Change, MasterRecord
from service.queries.steps import Plan

_REFERENCES = {"colorGroupIds": "color group", "languageIds": "language"}
_GROUPS = Links("color_in_group", owner="color_id", linked="color_group_id")
_LANGUAGES = Links("color_language", owner="color_id", linked="language_id")


class Colors(MasterRecord):
    """Colors with their color groups and, where the organization has them, languages."""

    name = "colors"
    table = "color"
    written_separately = tuple(_REFERENCES)
    own_failures = ("validation_error.unknown_reference", "validation_error.feature_disabled")

    async def check(self, connection: Connection, change: Change) -> Plan:
        """Unknown references; and languages ask for the multiple-language feature.

        Without the feature stored links to languages stay as they are.
        """
        batch = change.kept
        if not batch.items:
            return []
        sets = {_GROUPS: _links(batch, "colorGroupIds")}
        if batch.caller.multiple_language:
            sets[_LANGUAGES] = _links(batch, "languageIds")
        else:
            _refuse_languages(batch)
        await self._check_references(connection, batch)
        return await link_steps(connection, batch, sets)

    async def _check_references(self, connection: Connection, batch: Batch) -> None:
        """Report every place of a reference that names nothing, or a deleted color group.

        Colors that stay deleted may stay in deleted groups.
        """
        named = [
            set[int]().union(*(item.get(field) or () for item in batch.items))
            for field in _REFERENCES
        ]
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
                        kind = "validation_error.unknown_reference"
                        batch.fail(number, kind, field, place, message=message)


def _refuse_languages(batch: Batch) -> None:
    for number, item in enumerate(batch.items):
        if item.get("languageIds"):
            kind, message = "feature_disabled", "The multiple-language feature is off."
            batch.fail(number, f"validation_error.{kind}", "languageIds", message=message)


def _links(batch: Batch, field: str) -> Sets:
    """What a field of the items links them to."""
    return {item["id"]: item.get(field) or () for item in batch.items}
