"""Care texts: base class of care instructions and their materials, with translations."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import asyncpg
import orjson

from service.database.connections import Connection
from service.database.statements import Statement, load_bound
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.listing.related import Related
from service.queries.batch import Batch, Item
from service.queries.bound_statements import BoundStatement, WritePlan
from service.queries.master_record import MasterRecord
from service.queries.new_ids import next_ids
from service.queries.write_set import WriteSet
from service.schemas.extra_checks import duplicate_errors


def related_languages(table: str) -> tuple[Related, ...]:
    """Return the translations by which lists of care texts in ``table`` are filtered."""
    return (
        Related(
            "languages",
            f"{table}_translation",
            f"{table}_id",
            {"languageId": "language_id", "id": "id"},
            {"languageCode": "code"},
            "language",
            "related_by_language",
        ),
    )


class CareText(MasterRecord):
    """Texts of care labels, with translations that keep their identity by ``languageId``.

    On replace and patch, null and omitted fields keep their stored values, ``languages`` included;
    a list of translations is the complete set, and an empty one clears them. Created records are
    positioned after all others of their own collection in the organization.
    """

    keeps_omitted = True
    updates: ClassVar[tuple[str, ...]] = ("update", "remove_translations")

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the shared statements, bound to this resource's tables, and its own.

        Own statements of the same name take precedence.
        """
        return {
            **load_bound("care_texts", table=self.table, **self._scalar_slots()),
            **super()._load_statements(),
        }

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the writes of translations that differ; report unknown languages."""
        plan = await super().check(connection, write_set)
        batch = write_set.upserts
        if not any(item.get("languages") for item in batch.items):
            return plan
        text = self.statements["differing_translations"].text
        differing = await connection.fetch(text, batch.caller.organization_id, batch.json())
        for item_number, number, _, has_language in differing:
            if not has_language:
                path = ("languages", number - 1, "languageId")
                message = "There is no such language."
                batch.fail(item_number - 1, ErrorType.UNKNOWN_REFERENCE, *path, message=message)
        if differing:
            rows = orjson.dumps(await self._with_ids(connection, batch, differing)).decode()
            plan.append(BoundStatement(self.statements["save_translations"].text, (rows,)))
        return plan

    async def _with_ids(
        self, connection: Connection, batch: Batch, differing: list[asyncpg.Record]
    ) -> list[dict[str, Any]]:
        """Return differing translations with their owners, and with ids, stored or new ones."""
        new = sum(translation_id is None for _, _, translation_id, _ in differing)
        ids = iter(await next_ids(connection, f"{self.table}_translation", new))
        translations = []
        for item_number, number, translation_id, _ in differing:
            item = batch.items[item_number - 1]
            id_ = translation_id or next(ids)
            translations.append(item["languages"][number - 1] | {"id": id_, "ownerId": item["id"]})
        return translations

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for each translation into a language that an earlier one has."""
        languages = item.get("languages")
        if isinstance(languages, list):
            yield from duplicate_errors(enumerate(languages), "languageId", "languages")
