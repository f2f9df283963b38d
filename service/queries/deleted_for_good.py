"""Records of which nothing stays when they are deleted."""

from collections.abc import Mapping
from typing import Final

from service.database import Connection
from service.queries.batch import Batch
from service.queries.records import MasterRecord
from service.statements import Statement

_GONE: Final = "id = any($2::bigint[])"


class DeletedForGood(MasterRecord):
    """Nothing marks a record that goes: its last document is read, then it is removed.

    The ``documents`` statement has slots for what deleting changes, ``state`` and maybe
    ``end_date``; ``purge`` removes records.
    """

    deletes = ()

    def load_statements(self) -> Mapping[str, Statement]:
        """The documents as records are, and as they are when those of ``$2`` go."""
        loaded = super().load_statements()
        documents = loaded["documents"]
        return {
            **loaded,
            "documents": documents.bind(state="state", end_date="end_date"),
            "last_documents": documents.bind(
                state=f"case when {_GONE} then 'deleted' else state end",
                end_date=f"case when {_GONE} then now() else end_date end",
            ),
        }

    async def finish(self, connection: Connection, batch: Batch, live: list[int]) -> bytes:
        """The documents of the batch; what goes is gone after that."""
        if not live:
            return await super().finish(connection, batch, live)
        documents = await self.documents(
            connection, batch.caller, batch.ids, "last_documents", [live]
        )
        organization_id = batch.caller.organization_id
        await connection.execute(self.statements["purge"].text, organization_id, live)
        return documents
