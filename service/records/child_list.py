"""Child lists: lists of entries within records, with statements made from the entries' schema.

Entries match stored rows by id or natural key. The caller has locked the owners, and executes the
plans that the functions here return (contract, Parts).
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Final, Self

import orjson

from service.batches.batch import Batch
from service.batches.change_recorder import BoundStatement, WritePlan
from service.batches.entry import Item
from service.database.new_ids import next_ids
from service.database.statements import id_array
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.limits import MAX_CHILDREN
from service.listing.properties import stored_id
from service.records import scalar_columns
from service.records.child_table import POSITION, ChildTable, list_schema
from service.records.matched_children import (
    DEACTIVATED,
    EntryList,
    MatchedChildren,
    MatchKey,
    Row,
    StoredChildren,
    by_owner,
    changed,
    match_ids,
    match_key_of,
)
from service.records.references import check_references
from service.records.relation_statements import is_shown
from service.records.relations import LINK_TABLE, owner_column, table_of_entries
from service.schemas.extra_checks import are_distinct, duplicate_errors
from service.schemas.key_forms import REFERS_TO
from service.schemas.messages import LISTED_TWICE, duplicate_indexes

NATURAL_KEY: Final = "x-natural-key"
"""Keyword of entries: lists of members to match by, in turn; ``*`` stands for all members.

By another list, entries whose first member is null or empty match nothing.
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class ChildList(ChildTable):
    """Child table whose entries requests have: their errors, their matches, and their plan."""

    nested: "tuple[ChildList, ...]" = ()

    def bound(self, resource: str, table: str, name: str = "") -> Self:
        """Return the list of records or entries in ``table``, and its nested lists, all bound."""
        name = name or self.name
        own_table, linked = self.table, self.linked
        entries = list_schema(resource, "fields", name)
        if LINK_TABLE in entries.schema:
            own_table, linked = entries.schema[LINK_TABLE], entries.schema[REFERS_TO]
        own_table = own_table or table_of_entries(entries.items, table, name.rpartition(".")[2])
        nested = [each.bound(resource, own_table, f"{name}.{each.name}") for each in self.nested]
        return replace(
            self,
            resource=resource,
            name=name,
            table=own_table,
            owner=owner_column(table),
            linked=linked,
            is_shown=is_shown(own_table),
            nested=(*nested,),
        )

    @cached_property
    def named_once(self) -> tuple[str, ...]:
        """Members that must differ between entries."""
        sent = self._sent.properties
        has_key = self.key in sent and sent[self.key].types
        return (self.key, *self.once) if has_key else self.once

    @cached_property
    def _match_keys(self) -> Sequence[MatchKey]:
        names = self._sent.schema.get(NATURAL_KEY, ())
        return self.own_match_keys or [match_key_of(self.members, each) for each in names]

    def errors(self, entries: Any, *path: str | int) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for values of ``named_once`` that an earlier entry has, too.

        ``path`` is that of the entries. Nested lists are included. Values that broke the schema of
        entries, or entries themselves, are ``Broken``.
        """
        if not isinstance(entries, list):
            return
        are_several = len(entries) > 1
        for index in duplicate_indexes(entries) if self.linked and are_several else ():
            yield ErrorDetail(ErrorType.DUPLICATE, (*path, index), LISTED_TWICE)
        for name in self.named_once if are_several else ():
            if not are_distinct(entries, name):
                yield from duplicate_errors(enumerate(entries), name, *path)
        yield from self._nested_errors(entries, *path)
        has_rules = type(self).entry_errors is not ChildList.entry_errors
        for index, entry in enumerate(entries if has_rules else ()):
            if isinstance(entry, dict):
                yield from self.entry_errors(entry, *path, index)

    def _nested_errors(self, entries: Sequence[Any], *path: str | int) -> Iterator[ErrorDetail]:
        """Yield the errors of the lists within entries."""
        for nested in self.nested:
            for index, entry in enumerate(entries):
                if isinstance(entry, dict) and (inner := entry.get(nested.member)):
                    yield from nested.errors(inner, *path, index, nested.member)

    def surely_differ(self, entries: Sequence[Item]) -> bool:
        """Return whether valid entries of any lists surely have no ``errors``: a fast check."""
        own = (type(self).errors, type(self).entry_errors)
        if own != (ChildList.errors, ChildList.entry_errors) or self.linked or self.nested:
            return False
        return all(are_distinct(entries, name) for name in self.named_once)

    def entry_errors(self, _entry: Item, *_path: str | int) -> Iterable[ErrorDetail]:
        """Yield further errors of an entry, whose path is ``path``; see ``errors``."""
        return ()

    def sent(self, batch: Batch, *, keeps_omitted: bool = False) -> list[EntryList]:
        """Return the lists of the items; with ``keeps_omitted`` without those that are null."""
        return [
            EntryList(index, (self.name,), item["id"], item.get(self.name) or ())
            for index, item in enumerate(batch.items)
            if not keeps_omitted or item.get(self.name) is not None
        ]

    def within(self, lists: Iterable[MatchedChildren]) -> list[EntryList]:
        """Return the lists of this member in the entries of the given lists."""
        entry_lists = list[EntryList]()
        for children in lists:
            for child_id, entry in children.all.items():
                path = (*children.sent.path, children.request_indexes[child_id], self.member)
                entries = entry.get(self.member) or ()
                if self.linked:
                    entries = [{self.key: id_} for id_ in entries]
                entry_lists.append(EntryList(children.index, path, child_id, entries))
        return entry_lists

    async def stored(
        self, batch: Batch, owner_ids: Collection[int]
    ) -> Mapping[int, StoredChildren]:
        """Return the stored children of owners, by the owner's id; owners without any lack."""
        rows = await self._rows(batch, owner_ids) if owner_ids else ()
        return by_owner(rows, self.deactivates, self.is_ordered)

    async def _rows(self, batch: Batch, owner_ids: Collection[int]) -> Iterable[Row]:
        """Return the stored children of owners as rows: id of the owner, id, and further values."""
        [columns] = await batch.fetch(self.statements["stored"].text, id_array(owner_ids))
        return zip(*[column or () for column in columns], strict=True)

    async def match_changed(
        self, batch: Batch, lists: list[EntryList], new_owners: Container[int]
    ) -> list[MatchedChildren]:
        """Match as :func:`match` does, but only lists that seem to differ from the stored children.

        Comparing all at once takes a fifth of the time of matching them.
        """
        owners = [each.owner_id for each in lists if each.owner_id not in new_owners]
        if not owners or self.deactivates or self.is_ordered or not self.has_ids:
            return await self.match(batch, lists, new_owners)
        stored = [*await self._rows(batch, owners)]
        with suppress(TypeError):  # of a key object
            lists, stored = changed(lists, stored, self.key, self._columns_of)
        return await self._match(batch, lists, by_owner(stored))

    async def match(
        self, batch: Batch, lists: Iterable[EntryList], new_owners: Container[int] = ()
    ) -> list[MatchedChildren]:
        """Match the entries of lists to the stored children of their owners, in order.

        Owners in ``new_owners`` have none stored. The caller has checked that the ids in a list
        differ. Add ``unknown_reference`` to the batch for ids that the owner does not have, also of
        entries with ``isDeactivated`` true, which count as omitted otherwise, and for unknown
        references. New entries take ids from the table's sequence; nothing else is written.
        """
        lists = [*lists]
        owners = [each.owner_id for each in lists if each.owner_id not in new_owners]
        return await self._match(batch, lists, await self.stored(batch, owners))

    async def _match(
        self, batch: Batch, lists: Sequence[EntryList], stored: Mapping[int, StoredChildren]
    ) -> list[MatchedChildren]:
        """Match the entries to stored children, which are given by the owner's id."""
        matched, new_indexes = list[MatchedChildren](), list[tuple[MatchedChildren, int]]()
        for sent in lists:
            children = MatchedChildren(sent, stored.get(sent.owner_id) or StoredChildren())
            if not children.match_by_id(self.key, DEACTIVATED if self.deactivates else ""):
                new_indexes += [(children, index) for index in self._match_list(batch, children)]
            matched.append(children)
        if self.has_ids:
            new_ids = await next_ids(batch.connection, self.table, len(new_indexes))
        else:
            new_ids = [children.sent.entries[index][self.key] for children, index in new_indexes]
        for (children, index), child_id in zip(new_indexes, new_ids, strict=True):
            children.new[child_id] = children.sent.entries[index]
            children.request_indexes[child_id] = index
        await check_references(batch, self, self._references, matched)
        return matched

    def deactivate(
        self, batch: Batch, lists: Iterable[MatchedChildren], used: Container[int]
    ) -> None:
        """Deactivate the missing children whose ids are in ``used``; the others are removed.

        Add ``too_many_items`` to the items whose list would exceed ``MAX_CHILDREN``, deactivated
        children included.
        """
        for children in lists:
            children.deactivated = {child_id for child_id in children.missing if child_id in used}
            if children.total > MAX_CHILDREN:
                message = f"Use at most {MAX_CHILDREN:,} {self.noun}s, deactivated ones included."
                children.fail(batch, ErrorType.TOO_MANY_ITEMS, message=message)

    def differences(self, lists: Iterable[MatchedChildren]) -> dict[str, list[Item]]:
        """Return the rows to write, with ``ownerId`` and ``id``, by the name of the statement."""
        rows: dict[str, list[Item]] = {"insert": [], "update": [], "deactivate": [], "remove": []}
        lists = [*lists]
        rows_of_all = self._rows_of([entry for each in lists for entry in each.existing.values()])
        for children in lists:
            existing, active = children.existing, children.stored.active
            positions = children.positions() if self.is_ordered else {}
            sent, stored = [*islice(rows_of_all, len(existing))], [*map(active.get, existing)]
            if sent == stored and len(active) == len(sent) and not (positions or children.new):
                continue  # as most lists of most requests
            for (child_id, entry), row, before in zip(existing.items(), sent, stored, strict=True):
                if positions or row != before:
                    rows["update"] += self._update(
                        children, child_id, entry, positions.get(child_id)
                    )
            self._add_others(rows, children, positions)
        return rows

    def _add_others(
        self, rows: dict[str, list[Item]], children: MatchedChildren, positions: Mapping[int, int]
    ) -> None:
        """Add the rows of new children of a list, and of those that it leaves out."""
        owner_id = children.owner_id
        for child_id, entry in children.new.items():
            values = self._values(self.row(entry), owner_id, child_id)
            rows["insert"].append(values | {POSITION: positions.get(child_id)})
        for child_id in sorted(children.missing):
            name = "deactivate" if child_id in children.deactivated else "remove"
            rows[name].append({"ownerId": owner_id, "id": child_id})

    def plan(self, differences: Mapping[str, list[Item]]) -> WritePlan:
        """Return the statements that store the differences; [] if there are none."""
        return [
            BoundStatement(
                self.statements[name].text,
                (orjson.dumps(rows).decode(),),
                self.owners_text if name == "insert" else "",
            )
            for name, rows in differences.items()
            if rows
        ]

    def row(self, entry: Item, stored: Row | None = None) -> Row:
        """Return the values of an entry's members; its decimals as ``stored`` has equal ones.

        A key object, whose id is not known yet, counts as null.
        """
        row = tuple(map(entry.get, self._omitted, self._omitted.values()))
        if row == stored or not self._conversions:
            return row
        values = [*row]
        for index, type_ in self._conversions:
            value = values[index]
            if type_ == "boolean":
                values[index] = value or False
            elif type_ == "numeric":
                before = stored[index] if stored else None
                values[index] = scalar_columns.decimal_text(value, before)
            elif type(value) is dict:
                values[index] = None
            elif type(value) is str:
                values[index] = stored_id(value)
        return tuple(values)

    def _update(
        self, children: MatchedChildren, child_id: int, entry: Item, position: int | None
    ) -> Iterator[Item]:
        """Yield the row of an existing child if it differs from the stored one or was inactive."""
        stored = children.stored.active.get(child_id)
        before = children.stored.deactivated[child_id] if stored is None else stored
        row = self.row(entry, before)
        is_moved = position != children.stored.positions.get(child_id)
        if is_moved or row != stored:
            is_shown = stored is None and self.cause == self.turned
            is_shown |= is_moved and self.order_shown
            is_shown |= any(row[index] != before[index] for index in self._shown)
            yield self._values(row, children.owner_id, child_id) | {
                "isShown": is_shown,
                "isBack": stored is None,
                POSITION: position,
            }

    @cached_property
    def _shown(self) -> list[int]:
        """Indexes of the members that other documents show."""
        return [self.members.index(name) for name in self.shown]

    def _values(self, row: Row, owner_id: int, child_id: int) -> Item:
        values = dict(zip(self.members, row, strict=True))
        values["ownerId"], values["id"] = owner_id, child_id
        return values

    def _match_list(self, batch: Batch, children: MatchedChildren) -> Iterator[int]:
        """Match the entries of one list; yield the indexes of new entries."""
        entries, stored = children.sent.entries, children.stored.all
        matched_ids = match_ids(entries, children.stored, self.key, self.row, self._match_keys)
        for index, entry in enumerate(entries):
            child_id = matched_ids.get(index)
            if child_id in stored and child_id is not None:
                if not entry.get(DEACTIVATED):
                    children.existing[child_id] = entry
                    children.request_indexes[child_id] = index
            elif child_id is not None and self.has_ids:
                message = f"There is no such {self.noun} here."
                path = (index, self.key)
                children.fail(batch, ErrorType.UNKNOWN_REFERENCE, *path, message=message)
            elif not entry.get(DEACTIVATED):
                yield index
