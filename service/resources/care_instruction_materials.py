"""Care instruction materials (specification, Care instruction materials)."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from service.database.connections import Connection
from service.database.statements import Statement
from service.errors import ApiError, failure
from service.queries.batch import Batch
from service.resources.care_texts import CareText

_REFERENCE_KEY = "care_material_reference_key"


class CareInstructionMaterials(CareText):
    """What garments are made of: deleted softly, a ``userDefinedId`` to one live material alone."""

    name = "care-instruction-materials"
    table = "care_instruction_material"
    unique = ("userDefinedId",)
    updates = ("release_references", "update")

    def load_statements(self) -> Mapping[str, Statement]:
        """The documents as records are: deleting softly changes the record."""
        loaded = super().load_statements()
        return {**loaded, "documents": loaded["documents"].bind(state="state")}

    async def check(self, connection: Connection, batch: Batch) -> None:
        """Besides unknown languages: references that others hold once the request is done."""
        await super().check(connection, batch)
        await self.report(connection, "check_references", batch, batch.gone)

    async def fetch(self, connection: Connection, name: str, batch: Batch, *more: Any) -> list[Any]:
        """Raises ``conflict.duplicate`` where another request took a reference since the check."""
        try:
            return await super().fetch(connection, name, batch, *more)
        except asyncpg.UniqueViolationError as error:
            # The message names the constraint also where the error's own field does not.
            if _REFERENCE_KEY in str(error):
                raise _taken(batch, error.detail or "") from None
            raise


def _taken(batch: Batch, detail: str) -> ApiError:
    """The failure of the item whose reference the detail shows, else of the request."""
    claims = (
        batch.field(place, "userDefinedId")
        for place, item in zip(batch.places, batch.items, strict=True)
        if f", {item.get('userDefinedId')})" in detail
    )
    return failure("conflict.duplicate", next(claims, None), "Another material has just taken it.")
