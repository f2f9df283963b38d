"""Records of which nothing stays when they are deleted."""

from collections.abc import Mapping

from service.database.connections import Connection
from service.database.statements import Statement
from service.queries.batch import Batch
from service.queries.master_record import MasterRecord
from service.queries.resource import joined


class DeletedForGood(MasterRecord):
    """Nothing marks a record that goes: its last document is read, then it is removed.

    The ``documents`` statement has slots for what deleting changes, ``state`` and maybe
    ``end_date``; ``purge`` removes records.
    """

    deletes = ()

    def load_statements(self) -> Mapping[str, Statement]:
        """The documents as records are, and as they are when they go."""
        loaded = super().load_statements()
        documents = loaded["documents"]
        return {
            **loaded,
            "documents": documents.bind(state="state", end_date="end_date"),
            "last_documents": documents.bind(state="'deleted'", end_date="now()"),
        }

    async def finish(self, connection: Connection, batch: Batch, live: list[int]) -> bytes:
        """The documents of the batch; what goes is gone after that."""
        documents = {}
        if live:
            documents = await self.rendered(connection, batch.caller, live, "last_documents")
            organization_id = batch.caller.organization_id
            await connection.execute(self.statements["purge"].text, organization_id, live)
        if staying := [one for one in batch.ids if one not in documents]:
            documents |= await self.rendered(connection, batch.caller, staying)
        return joined(documents, batch.ids)
