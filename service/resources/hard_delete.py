"""Records of which nothing stays when they are deleted."""

from collections.abc import Mapping
from typing import ClassVar

from service.database.connections import Connection
from service.database.statements import Statement
from service.queries.master_record import MasterRecord, WriteSet


class HardDeleted(MasterRecord):
    """Nothing marks a record that goes: its last document is read, then it is removed.

    The ``documents`` statement has slots for what deleting changes, ``state`` and maybe
    ``end_date``; ``purge`` removes records.
    """

    deletes: ClassVar[tuple[str, ...]] = ("purge",)

    def load_statements(self) -> Mapping[str, Statement]:
        """The documents as records are, and as they are when they go."""
        loaded = super().load_statements()
        documents = loaded["documents"]
        return {
            **loaded,
            "documents": documents.bind(state="state", end_date="end_date"),
            "last_documents": documents.bind(state="'deleted'::text", end_date="now()"),
        }

    async def last_documents(self, connection: Connection, change: WriteSet) -> Mapping[int, bytes]:
        """The documents of what goes, as deleted."""
        if not change.live_deletes:
            return {}
        return await self.render(
            connection, change.batch.caller, change.live_deletes, "last_documents"
        )
