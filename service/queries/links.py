"""Sets of links between records, of which only the differences are written."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import NamedTuple, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.statements import load_bound
from service.queries.batch import Batch
from service.queries.bound_statements import BoundStatement, WritePlan

LinkSets: TypeAlias = Mapping[int, Collection[int]]
"""The ids of the linked records by the owner's id."""


class Links:
    """A table of links, with its columns for the owner's id and for the other one's."""

    def __init__(self, table: str, *, owner: str, linked: str, counted_by: str = "") -> None:
        """The links of ``table``; ``counted_by`` is the collection whose records count theirs."""
        self.table = table
        counted = f', {linked} as "{counted_by}"' if counted_by else ""
        self.statements = load_bound(
            "links", link=table, owner=owner, linked=linked, counted=counted
        )


class LinkDifference(NamedTuple):
    """How sets of links differ from the stored ones: pairs of the owner's id and the other one."""

    removed: list[tuple[int, int]]
    added: list[tuple[int, int]]


async def link_statements(
    connection: Connection, batch: Batch, sets: Mapping[Links, LinkSets]
) -> WritePlan:
    """What brings the stored links of the batch's records to these sets."""
    return difference_statements(await differences(connection, batch, sets))


def difference_statements(changes: Mapping[Links, LinkDifference]) -> WritePlan:
    """What makes these changes."""
    return [
        BoundStatement(links.statements[name].text, (orjson.dumps(sorted(pairs)).decode(),))
        for links, difference in changes.items()
        for name, pairs in (("remove", difference.removed), ("add", difference.added))
        if pairs
    ]


async def differences(
    connection: Connection, batch: Batch, sets: Mapping[Links, LinkSets]
) -> dict[Links, LinkDifference]:
    """How the sets differ from the stored links of the batch's records.

    Most requests leave most links as they are: finding what differs takes less than writing what
    does not, and half as long here as in PostgreSQL, which would unfold and join what it is sent.
    """
    organization_id = batch.caller.organization_id
    rows = await connection.fetch(_stored(*sets), organization_id, batch.id_array)
    stored: dict[str, dict[int, list[int]]] = {links.table: {} for links in sets}
    for table, owner_id, linked_ids in rows:
        stored[table][owner_id] = linked_ids
    return {links: _difference(asked, stored[links.table]) for links, asked in sets.items()}


def _difference(asked: LinkSets, stored: Mapping[int, list[int]]) -> LinkDifference:
    removed, added = list[tuple[int, int]](), list[tuple[int, int]]()
    for owner_id, linked_ids in asked.items():
        held = stored.get(owner_id, ())
        if linked_ids != held:
            before, after = set(held), set(linked_ids)
            removed += [(owner_id, one) for one in before - after]
            added += [(owner_id, one) for one in after - before]
    return LinkDifference(removed, added)


@cache
def _stored(*tables: Links) -> str:
    """One statement for the stored links of all the tables: every round trip costs the service."""
    return "\nunion all\n".join(links.statements["stored"].text for links in tables)
