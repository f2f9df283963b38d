"""Colors (specification, Color and Colors (bulk))."""

from service.database import Connection
from service.queries.batch import Batch
from service.queries.records import MasterRecord


class Colors(MasterRecord):
    """Colors with their color groups and, where the organization has them, languages."""

    name = "colors"
    table = "color"
    children = ("remove_groups", "add_groups")

    async def check(self, connection: Connection, batch: Batch) -> None:
        """Besides unknown references: languages ask for the multiple-language feature."""
        if not batch.caller.multiple_language:
            for number, item in enumerate(batch.items):
                if item.get("languageIds"):
                    batch.fail(
                        number,
                        "validation_error.feature_disabled",
                        "languageIds",
                        "The multiple-language feature is off.",
                    )
        await super().check(connection, batch)

    async def write_children(self, connection: Connection, batch: Batch) -> None:
        """Without the feature the stored language links stay as they are."""
        await super().write_children(connection, batch)
        if batch.caller.multiple_language:
            await self.fetch(connection, "remove_languages", batch)
            await self.fetch(connection, "add_languages", batch)
