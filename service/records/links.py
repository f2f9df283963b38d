"""Link sets: many-to-many relations between records, written as differences."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import orjson

from service import schemas
from service.batches.batch import Batch
from service.batches.change_recorder import BoundStatement, WritePlan
from service.database.statements import SHARED, load, load_bound
from service.listing.page_sql import column_of
from service.records import scalar_columns
from service.records.relations import LINK_TABLE
from service.schemas import ResolvedSchema

LinkSets: TypeAlias = Mapping[int, Collection[int]]
"""Ids of all linked records of an owner, by the owner's id."""


class Links:
    """Link table, with its columns for the owner's id and for the linked record's id."""

    def __init__(
        self, table: str, *, owner: str, linked: str, counted_by: str = "", part: str = ""
    ) -> None:
        """Bind the statements ``add``, ``remove`` and ``stored`` of ``table``.

        ``counted_by`` is the collection of the linked records, if their documents count links.
        ``part`` is the part of the owners that shows the links, if any. Each added or removed link
        is recorded as a change of the owner, and if these are given, of the linked record and of
        the part.
        """
        self.table, self.part = table, part
        parts = ""
        if part:
            parts = f', (sent.pair ->> 0)::bigint as "{part}.form"'
            parts += f', (sent.pair ->> 1)::bigint as "{part}.part"'
        self.owners_text = SHARED["owners_of_links"].fill(parts=parts)
        self._columns = {"link": table, "owner": owner, "linked": linked}
        self._counted = f', {linked} as "{counted_by}"' if counted_by else ""
        self._counted += f', {owner} as "{part}.form", {linked} as "{part}.part"' if part else ""
        self._show_only("true")

    def _show_only(self, condition: str) -> None:
        """Bind the statements; links beyond an SQL condition are neither read nor removed."""
        self._is_shown = "" if condition == "true" else f" and {condition}"
        slots = {"counted": self._counted, "is_shown": self._is_shown}
        bound = load_bound("links", **self._columns, **slots)
        self.statements = {name: bound[name] for name in ("add", "remove", "stored")}

    @classmethod
    def of(
        cls, resource: str, owner: str, field: str, *, counted_by: str = "", is_shown: str = "true"
    ) -> "Links":
        """Return the links of a field of ids whose schema names their table (``LINK_TABLE``).

        ``owner`` is the table of the owners. Its name with ``_id`` is the column of the owner's id,
        and that of the field without the plural, the column of the linked record's.
        """
        schema = schemas.definition(resource, "fields").properties[field].schema
        columns = {"owner": f"{owner}_id", "linked": column_of(field).removesuffix("s")}
        links = cls(schema[LINK_TABLE], **columns, counted_by=counted_by)
        links._show_only(is_shown)
        return links

    def join(self, shape: ResolvedSchema, field: str, target: str = "") -> str:
        """Return the SQL that joins a field of ids, or of entries, to each row of ``page``.

        The column has the name of the field in snake case, and a text: the elements joined by
        commas, null without any. ``shape`` is the form's. Entries show columns of ``target``, the
        table of the linked records.
        """
        sql, entry = load("links"), shape.properties[field].items
        if entry.properties:
            element = scalar_columns.braced(scalar_columns.members_sql(entry))
            rows = sql["linked_rows"].fill(**self._columns, target=target)
        else:
            element = "entry.linked_id::text"
            if "string" in entry.types:
                element = "'\"' || entry.linked_id || '\"'"
            rows = sql["linked_ids"].fill(**self._columns, is_shown=self._is_shown)
        return sql["join"].fill(entry=element, rows=rows, list=column_of(field))


class LinkDifference(NamedTuple):
    """Links to remove and to add, as pairs of owner id and linked id."""

    removed: list[tuple[int, int]]
    added: list[tuple[int, int]]


async def link_statements(batch: Batch, sets: Mapping[Links, LinkSets]) -> WritePlan:
    """Return the plan that makes the stored links of the sets' owners equal to the sets.

    The owners are records of the batch, which the caller has locked. Links of others stay.
    """
    return difference_statements(await differences(batch, sets))


def difference_statements(differences_by_links: Mapping[Links, LinkDifference]) -> WritePlan:
    """Return the plan that writes the differences; [] if there are none."""
    return [
        BoundStatement(links.statements[name].text, (orjson.dumps(sorted(pairs)).decode(),), before)
        for links, difference in differences_by_links.items()
        for name, pairs, before in (
            ("remove", difference.removed, ""),
            ("add", difference.added, links.owners_text),
        )
        if pairs
    ]


async def differences(
    batch: Batch,
    sets: Mapping[Links, LinkSets],
    stored_sets: Mapping[Links, LinkSets] | None = None,
) -> dict[Links, LinkDifference]:
    """Return the differences between the sets and the stored links of their owners.

    The owners are records of the batch. ``sets`` is not empty. Read the stored links by one
    statement, unless they are given. Note the parts that become filled or empty in the batch.

    Most requests leave most links unchanged. Comparing here takes half the time of unfolding and
    joining the sets in PostgreSQL, and both cost less than rewriting unchanged links.
    """
    if stored_sets is None:
        stored_sets = await _stored_sets(batch, [*sets])
    for links in sets:
        for owner_id, linked_ids in sets[links].items() if links.part else ():
            was_filled, is_filled = bool(stored_sets[links].get(owner_id)), bool(linked_ids)
            batch.note_part(links.part, owner_id, was_filled=was_filled, is_filled=is_filled)
    return {links: _difference(target, stored_sets[links]) for links, target in sets.items()}


async def _stored_sets(batch: Batch, tables: Sequence[Links]) -> dict[Links, LinkSets]:
    """Return the stored links of the batch's records.

    The statement returns two arrays per table, because a row per owner takes 1.3 times the time.
    """
    stored = {links.table: defaultdict[int, list[int]](list) for links in tables}
    ids = batch.ids
    parameters = (batch.id_array, min(ids, default=0), max(ids, default=0))
    rows = await batch.fetch(stored_text(*tables), *parameters)
    for table, owner_ids, linked_ids in rows:
        links_by_owner = stored[table]
        for owner_id, linked_id in zip(owner_ids or (), linked_ids or (), strict=True):
            links_by_owner[owner_id].append(linked_id)
    return {links: stored[links.table] for links in tables}


def _difference(target: LinkSets, stored: LinkSets) -> LinkDifference:
    removed, added = list[tuple[int, int]](), list[tuple[int, int]]()
    for owner_id, linked_ids in target.items():
        stored_ids = stored.get(owner_id, ())
        if linked_ids != stored_ids:
            before, after = set(stored_ids), set(linked_ids)
            removed += [(owner_id, linked_id) for linked_id in before - after]
            added += [(owner_id, linked_id) for linked_id in after - before]
    return LinkDifference(removed, added)


@cache
def stored_text(*link_tables: Links) -> str:
    """Return one statement for the stored links of all tables; ids of owners are ``$2`` to $4."""
    return "\nunion all\n".join(links.statements["stored"].text for links in link_tables)
