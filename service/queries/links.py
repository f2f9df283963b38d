"""Sets of links between records, of which only the differences are written."""

from collections import defaultdict

import orjson

from service.database import Connection
from service.queries.batch import Batch
from service.statements import load_bound


class Links:
    """The links of one table, from the records of a batch to others."""

    def __init__(self, table: str, *, owner: str, linked: str) -> None:
        self._statements = load_bound("links", link=table, owner=owner, linked=linked)

    async def write(
        self, connection: Connection, batch: Batch, wanted: list[tuple[int, int]]
    ) -> None:
        """Bring the stored links of the batch's records to the wanted ones.

        ``wanted`` are ids of owner and linked record, each pair once. Finding what differs takes
        less than writing what does not.
        """
        organization_id = batch.caller.organization_id
        changes: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for change, owner_id, linked_id in await connection.fetch(
            self._statements["changes"].text, organization_id, _json(wanted), batch.ids
        ):
            changes[change].append((owner_id, linked_id))
        for change, links in changes.items():
            await connection.execute(self._statements[change].text, organization_id, _json(links))


def _json(links: list[tuple[int, int]]) -> str:
    """As both sides make and read them faster than arrays of ids."""
    return orjson.dumps(links).decode()
