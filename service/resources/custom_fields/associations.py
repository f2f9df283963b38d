"""Associations: links that restrict a style custom field to brands, groups or style categories.

Source: contract, Style custom fields.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from operator import itemgetter
from typing import Any, Final, TypeAlias

import orjson

from service.batches.batch import Batch
from service.batches.entry import Item
from service.database.statements import load_bound
from service.error_types import ErrorType
from service.listing.page_sql import column_of
from service.listing.related import Related
from service.records.links import Links, LinkSets
from service.records.reference_targets import ReferenceTarget
from service.records.relations import relations_of
from service.writing.key_look_ups import KeyMatches, fail_key

Identifier: TypeAlias = tuple[str, Any]
"""Member by which an entry names its record, and its value: an id or an own key."""
_ID: Final = itemgetter("id")
_KEYS: Final = ("id", "customId", "userDefinedId")
"""Members by which an entry names its record; the first one that has a value counts."""


class Association:
    """Association with one kind of records; an item has all of its entries in ``field``.

    Entries name a live record by ``id``, else by its own key: as ``customId``, else as
    ``userDefinedId``, which mean the same. Nothing is written here: ``link_statements`` writes the
    sets that ``resolve`` returns, to ``links``.
    """

    def __init__(self, field: str, target: ReferenceTarget) -> None:
        """Bind the statements."""
        self.field, self.noun, self.target = field, target.noun, target.table
        self.collection = target.name
        relation = relations_of("style-custom-fields")[field]
        table, column = relation.tables[0], relation.column
        reference = column_of(target.key)
        keys = dict.fromkeys((_KEYS[1], target.key), reference)
        self.related = Related(field, table, "custom_field_id", {"id": column}, keys, target.table)
        self.links = Links(table, owner="custom_field_id", linked=column)
        self.statements = load_bound(
            "associations", link=table, column=column, target=target.table, reference=reference
        )

    def sent_ids(self, batch: Batch) -> dict[int, list[int]]:
        """Return the ids that entries have, by custom field; raise KeyError for one without."""
        return {item["id"]: [*map(_ID, item.get(self.field) or ())] for item in batch.items}

    async def resolve(self, batch: Batch) -> LinkSets:
        """Lock the live records that the items' entries name; return their ids by custom field.

        Each item has a set, empty without entries. Add errors to the batch for entries that match
        no record, several records, or the record of an earlier entry.
        """
        identifiers = [[*map(_identifier, item.get(self.field) or ())] for item in batch.items]
        if not any(identifiers):
            return dict.fromkeys(batch.ids, ())
        matches = await self._find(batch, {*chain.from_iterable(identifiers)})
        unique = {identifier: ids[0] for identifier, ids in matches.items() if len(ids) == 1}
        sets: dict[int, list[int]] = {}
        for item_index, (item, entries) in enumerate(zip(batch.items, identifiers, strict=True)):
            sets[item["id"]] = linked = [unique[entry] for entry in entries if entry in unique]
            if len({*linked}) < len(entries):
                self._report(batch, item_index, entries, matches)
        return sets

    def _report(
        self,
        batch: Batch,
        item_index: int,
        entries: Sequence[Identifier],
        matches: Mapping[Identifier, Sequence[int]],
    ) -> None:
        """Report the entries of an item that do not match exactly one record, or a repeated one."""
        linked_ids = set[int]()
        for entry_index, (name, value) in enumerate(entries):
            path, ids = (self.field, entry_index, name), matches.get((name, value), ())
            if len(ids) != 1:
                sent = orjson.dumps({name: value}).decode()
                creator = batch.transaction.failed_creator(self.collection, value)
                fail_key(batch, item_index, path, KeyMatches(self.noun, sent, ids, creator))
            elif ids[0] in linked_ids:
                message = f"Another entry names the same {self.noun}."
                batch.fail(item_index, ErrorType.DUPLICATE, *path, message=message)
            else:
                linked_ids.add(ids[0])

    async def _find(
        self, batch: Batch, identifiers: set[Identifier]
    ) -> dict[Identifier, list[int]]:
        """Lock the live records with these ids and own keys; return their ids by identifier.

        The result may have further identifiers of these records.
        """
        ids = [value for name, value in identifiers if name == "id"]
        keys = [value for name, value in identifiers if name != "id"]
        matches: dict[Identifier, list[int]] = defaultdict(list)
        for row in await batch.fetch(self.statements["find"].text, ids, keys):
            for name in _KEYS:
                matches[name, row["id" if name == "id" else "reference"]].append(row["id"])
        return matches


async def resolve_all(
    batch: Batch, associations: Sequence[Association]
) -> Mapping[Links, LinkSets]:
    """Return what ``Association.resolve`` does, for all of them in one round trip if it may do.

    It may if entries have ids, as most do, and these are of live records, each once in its list.
    """
    with suppress(KeyError):
        sets = {each.links: each.sent_ids(batch) for each in associations}
        lists = [*chain.from_iterable(by_field.values() for by_field in sets.values())]
        named: list[set[Any]] = [
            {*chain.from_iterable(by_field.values())} for by_field in sets.values()
        ]
        repeats = any(len(ids) > len({*ids}) for ids in lists if len(ids) > 1)
        if not repeats and None not in chain.from_iterable(named):
            statements: list[tuple[str, Sequence[Any]]] = [
                (each.statements["find"].text, (batch.caller.organization_id, [*ids], []))
                for each, ids in zip(associations, named, strict=True)
                if ids
            ]
            rows = await batch.connection.fetch_in_turn(statements)
            if len(rows) == sum(map(len, named)):
                return sets
    return {each.links: await each.resolve(batch) for each in associations}


def _identifier(entry: Item) -> Identifier:
    """Return the identifier of an entry, which has at least one of ``_KEYS`` (schema)."""
    for name in _KEYS:
        value = entry.get(name)
        if value is not None:
            return name, value
    raise AssertionError("unreachable")
