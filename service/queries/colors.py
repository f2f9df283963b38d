"""Colors (specification, Color and Colors (bulk))."""

from collections import defaultdict

from service.database import Connection
from service.queries.batch import Batch
from service.queries.records import MasterRecord

_REFERENCES = {"colorGroupIds": "color group", "languageIds": "language"}


class Colors(MasterRecord):
    """Colors with their color groups and, where the organization has them, languages."""

    name = "colors"
    table = "color"

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
            {reference for item in batch.items for reference in item.get(field) or ()}
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
        """Write the links that change, mostly few: finding them takes less than any write.

        Without the feature the stored language links stay as they are.
        """
        changes: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for change, color_id, linked_id in await self.fetch(connection, "link_changes", batch):
            changes[change].append((color_id, linked_id))
        for change, links in changes.items():
            if batch.caller.multiple_language or not change.endswith("_languages"):
                color_ids, linked_ids = zip(*links, strict=True)
                text = self.statements[change].text
                await connection.execute(text, batch.caller.organization_id, color_ids, linked_ids)

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
