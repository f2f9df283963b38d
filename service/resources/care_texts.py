"""Texts of care labels, with translations; those of materials have unique own keys."""

from collections.abc import Iterable

import asyncpg

from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.batches.entry import LockedRow
from service.batches.write_set import Dependency, WriteSet
from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.listing.related import Related
from service.records.child_list import ChildList
from service.records.master_record import HardDeleted
from service.resources.plain_records import PlainRecord

_REFERENCE_KEY = "care_material_reference_key"
"""Name of the unique index of the ``userDefinedId`` of live materials."""


TRANSLATIONS = (
    ChildList(
        name="languages", noun="translation", once=("languageId",), order="entry.language_id"
    ),
)
"""List of care texts in other languages, which keep their identity by ``languageId``."""


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


def _duplicate_message(key: str) -> str:
    return f"Another material holds {key}."


def _is_live(record: LockedRow) -> bool:
    return bool(record["state"] != "deleted")


class CareInstructionMaterials(PlainRecord):
    """Materials on care labels: soft delete, refused while live styles have them.

    A ``userDefinedId`` is unique among live materials, within each organization, even without the
    feature of unique keys. Inactive materials are live, deleted ones are not. Updates release keys
    before they set them, so that items of one request can exchange keys.
    """

    name = "care-instruction-materials"
    lists = TRANSLATIONS
    related = related_languages("care_instruction_material")
    unique_fields = ("userDefinedId",)
    updates = ("release_references", "update")

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the plan; add errors to the batch for languages and own keys.

        ``unknown_reference`` is for unknown languages, ``conflict.duplicate`` for keys of other
        live materials. The state after the request counts, deletes included. Items that newly take
        one key all fail.
        """
        plan = await super().check(write_set)
        upserts = write_set.upserts
        if upserts.items:
            parameters = (upserts.json(self._written_separately), write_set.deletes.ids)
            rows = await self._fetch(upserts, "check_references", *parameters)
            upserts.fail_all(rows)
        return plan

    async def dependencies(self, write_set: WriteSet) -> Iterable[Dependency]:
        """Return a dependency of each item with a key that another item's live record has now.

        The item can take the key only if the item of that record succeeds in giving it up.
        """
        owners = {
            row["key"]: record_id
            for record_id, row in write_set.stored.items()
            if row["key"] and _is_live(row)
        }
        kind, field = ErrorType.CONFLICT_DUPLICATE, "userDefinedId"
        return [
            Dependency(item["id"], owners[key], kind, field, _duplicate_message(key))
            for item in write_set.upserts.items
            if (key := item.get(field) or "") in owners and owners[key] != item["id"]
        ]

    def constraint_error(
        self, batch: Batch, error: asyncpg.IntegrityConstraintViolationError
    ) -> ApiError | None:
        """Return ``conflict.duplicate`` if another request took an own key after the check.

        If the violation's detail names the key of an item, add the error to the batch at this item;
        else it has no field. Return None for any other violation.
        """
        # PostgreSQL may leave the error's constraint field empty; the message always names it.
        if _REFERENCE_KEY not in str(error):
            return None
        kind, message = (
            ErrorType.CONFLICT_DUPLICATE,
            "Another material has just taken this userDefinedId.",
        )
        for index, item in enumerate(batch.items):
            if f", {item.get('userDefinedId')})" in (error.detail or ""):
                batch.fail(index, kind, "userDefinedId", message=message)
                return batch.errors.error()
        return api_error(kind, message=message)


class CareInstructions(HardDeleted, PlainRecord):
    """Instructions for washing, drying, ironing and cleaning: hard delete.

    It is refused while live styles have them; those of deleted styles go with it.
    """

    name = "care-instructions"
    lists = TRANSLATIONS
    related = related_languages("care_instruction")


class CareInstructionIcons(PlainRecord):
    """Icons of care labels: soft delete, refused while live styles have them.

    The table derives ``process`` from ``symbol``.
    """

    name = "care-instruction-icons"
    lists = TRANSLATIONS
    related = related_languages("care_instruction_icon")


class CareInstructionLayers(PlainRecord):
    """Layers of styles on care labels: soft delete, refused while live styles have them."""

    name = "care-instruction-layers"
    lists = TRANSLATIONS
    related = related_languages("care_instruction_layer")
