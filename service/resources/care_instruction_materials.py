"""Care instruction materials (contract, Care instruction materials)."""

from collections.abc import Iterable, Mapping

import asyncpg

from service.database.connections import Connection
from service.database.statements import Statement
from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.queries.batch import Batch
from service.queries.bound_statements import WritePlan
from service.queries.master_record import Dependency, LockedRow, WriteSet
from service.resources.care_texts import CareText

_REFERENCE_KEY = "care_material_reference_key"


def _holds(key: str) -> str:
    return f"Another material holds {key}."


def _is_live(record: LockedRow) -> bool:
    return record.state != "deleted"


class CareInstructionMaterials(CareText):
    """What garments are made of: deleted softly, a ``userDefinedId`` to one live material alone."""

    name = "care-instruction-materials"
    table = "care_instruction_material"
    unique_fields = ("userDefinedId",)
    updates = ("release_references", "update")
    own_failures = (*CareText.own_failures, ErrorType.CONFLICT_DUPLICATE)

    def load_statements(self) -> Mapping[str, Statement]:
        """The documents as records are: deleting softly changes the record."""
        loaded = super().load_statements()
        return {**loaded, "documents": loaded["documents"].bind(state="state")}

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """Besides unknown languages: references that others hold once the request is done."""
        plan = await super().check(connection, change)
        if kept := change.upserts.items and change.upserts:
            text, organization_id = (
                self.statements["check_references"].text,
                kept.caller.organization_id,
            )
            kept.fail_all(
                await connection.fetch(text, organization_id, kept.json(), change.deletes.ids)
            )
        return plan

    async def dependencies(
        self,
        connection: Connection,  # noqa: ARG002
        change: WriteSet,
        stored: Mapping[int, LockedRow],
    ) -> Iterable[Dependency]:
        """References that others of the request give away."""
        held = {one.key: record for record, one in stored.items() if one.key and _is_live(one)}
        return [
            Dependency(
                item["id"], held[key], ErrorType.CONFLICT_DUPLICATE, "userDefinedId", _holds(key)
            )
            for item in change.upserts.items
            if (key := item.get("userDefinedId") or "") in held and held[key] != item["id"]
        ]

    def constraint_error(
        self, batch: Batch, error: asyncpg.IntegrityConstraintViolationError
    ) -> ApiError | None:
        """``conflict.duplicate`` where another request took a reference since the check."""
        # The message names the constraint also where the error's own field does not.
        if _REFERENCE_KEY not in str(error):
            return None
        kind, message = ErrorType.CONFLICT_DUPLICATE, "Another material has just taken it."
        for number, item in enumerate(batch.items):
            if f", {item.get('userDefinedId')})" in (error.detail or ""):
                batch.fail(number, kind, "userDefinedId", message=message)
                return batch.errors.error()
        return api_error(kind, message=message)
