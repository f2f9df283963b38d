"""Colors (specification, Color and Colors (bulk))."""

from collections import defaultdict

from service.database.connections import Connection
from service.queries.batch import Batch
from service.queries.links import Links, Sets, write_links
from service.queries.master_record import MasterRecord

_REFERENCES = {"colorGroupIds": "color group", "languageIds": "language"}
_GROUPS = Links("color_in_group", owner="color_id", linked="color_group_id")
_LANGUAGES = Links("color_language", owner="color_id", linked="language_id")


class Colors(MasterRecord):
    """Colors with their color groups and, where the organization has them, languages."""

    name = "colors"
    table = "color"
    written_separately = tuple(_REFERENCES)

    async def check(self, connection: Connection, batch: Batch) -> None:
        """Unknown references; and languages ask for the multiple-language feature."""
        if not batch.caller.multiple_language:
            for number, item in enumerate(batch.items):
                if item.get("languageIds"):
                    batch.fail(
                        number,
                        "validation_error.feature_disabled",
                        "languageIds",
                        "The multiple-language feature is off.",
                    )
        named = [
            set[int]().union(*(item.get(field) or () for item in batch.items))
            for field in _REFERENCES
        ]
        unknown: dict[str, set[int]] = defaultdict(set)
        for field, reference in await connection.fetch(
            self.statements["unknown_references"].text, batch.caller.organization_id, *named
        ):
            unknown[field].add(reference)
        for field, references in unknown.items():
            self._report_unknown(batch, field, references)

    async def write_children(self, connection: Connection, batch: Batch) -> None:
        """The links; without the feature the stored ones to languages stay as they are."""
        wanted = {_GROUPS: _links(batch, "colorGroupIds")}
        if batch.caller.multiple_language:
            wanted[_LANGUAGES] = _links(batch, "languageIds")
        await write_links(connection, batch, wanted)

    def _report_unknown(self, batch: Batch, field: str, references: set[int]) -> None:
        """Every place where one of the references stands, which name nothing."""
        for number, item in enumerate(batch.items):
            for place, named in enumerate(item.get(field) or ()):
                if named in references:
                    batch.fail(
                        number,
                        "validation_error.unknown_reference",
                        f"{field}[{place}]",
                        f"There is no such {_REFERENCES[field]}.",
                    )


def _links(batch: Batch, field: str) -> Sets:
    """What a field of the items links them to."""
    return {item["id"]: item.get(field) or () for item in batch.items}
