"""Entry keys: merges objects by the keys of entries into lists of stored records.

The key of an entry is a member by which entries are matched, the own key of the record to which
this member refers, or an id (contract, Merges).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from service import schemas
from service.batches.batch import Batch
from service.batches.entry import Item
from service.database.statements import SHARED
from service.error_types import ErrorType
from service.errors import ErrorDetail, Path
from service.listing.page_sql import column_of
from service.listing.properties import stored_id
from service.records.child_list import NATURAL_KEY
from service.records.reference_targets import TARGETS, ReferenceTarget
from service.records.writable_resource import WritableResource
from service.schemas import ResolvedSchema
from service.schemas.key_forms import REFERS_TO
from service.schemas.keyed_lists import BASE, MERGE_BASE, MERGE_KEY

_AMBIGUOUS: Final = ErrorType.CONFLICT_AMBIGUOUS_KEY
_NOTHING: Final = ResolvedSchema({}, "")
Names: TypeAlias = Mapping[str, Mapping[int, str]]
"""Own keys of records by id, by the name of the target."""


class EntryKey(NamedTuple):
    """Member of entries whose value, or the own key of the record with this id, is their key."""

    member: str
    target: ReferenceTarget | None


@cache
def entry_keys(list_schema: ResolvedSchema) -> tuple[EntryKey, ...]:
    """Return the keys of a list's entries, in the order of precedence; the last one has ids.

    Where entries have none but ``BASE``, there are no keys.
    """
    entry = list_schema.items
    if MERGE_BASE in entry.schema:
        return ()
    natural = [names[0] for names in entry.schema.get(NATURAL_KEY, ()) if len(names) == 1]
    natural = entry.schema.get(MERGE_KEY) or [name for name in natural if name != "*"]
    first = next(iter(entry.properties))
    referred = {name: prop.schema.get(REFERS_TO) for name, prop in entry.properties.items()}
    of_first = None if natural else referred[first] or list_schema.schema.get(REFERS_TO)
    keys = [EntryKey(name, _target(referred[name])) for name in natural]
    return (*keys, EntryKey(first, _target(of_first))) if first not in natural else (*keys,)


def _target(name: str | None) -> ReferenceTarget | None:
    """Return the target of a reference; None if its own key is a reference, no text."""
    target = TARGETS.get(name or "")
    return target if target and not target.key_of else None


async def own_keys(resource: WritableResource, batch: Batch) -> Names:
    """Return the own keys of the records that are keys in the lists that items have as objects.

    The stored writable forms have been read. There is one statement for each target.
    """
    ids, schema = defaultdict[str, set[int]](set), _schema(resource)
    for item in batch.items:
        for name, value in item.items():
            member = schema.properties.get(name, _NOTHING)
            if isinstance(value, dict) and _has_entries(member):
                form = orjson.loads(item.form or b"{}")
                for target, record_id in _referred(member, form.get(name)):
                    ids[target].add(record_id)
    names: dict[str, dict[int, str]] = {}
    for target, target_ids in ids.items():
        table, key = TARGETS[target].table, column_of(TARGETS[target].key)
        if target == "languages":
            text = SHARED["shared_keys_by_id"].fill(list=table, key=key)
        else:
            text = SHARED["keys_by_id"].fill(table=table, key=key)
        rows = await batch.fetch(text, sorted(target_ids))
        names[target] = dict(map(tuple, rows))
    return names


def _schema(resource: WritableResource) -> ResolvedSchema:
    """Return the schema of what a merge leads to."""
    forms = schemas.load()[resource.name]["$defs"]
    return schemas.definition(resource.name, "replace" if "replace" in forms else "item")


def _has_entries(schema: ResolvedSchema) -> bool:
    """Return whether the schema is a list of objects that keys name; key objects are none."""
    entry = schema.items
    return "array" in schema.types and bool(entry.properties) and "anyOf" not in entry.schema


def _referred(list_schema: ResolvedSchema, entries: Any) -> Iterator[tuple[str, int]]:
    """Yield the target and id of each record that is a key in a stored list, or in nested ones."""
    nested = {n: prop for n, prop in list_schema.items.properties.items() if _has_entries(prop)}
    keys = [key for key in entry_keys(list_schema) if key.target]
    for entry in entries or ():
        for member, target in keys:
            if target and entry.get(member) is not None:
                yield target.name, stored_id(entry[member])
        for name, prop in nested.items():
            yield from _referred(prop, entry.get(name))


@dataclass(slots=True)
class KeyedMerge:
    """Merge of a patch into a record: what callers have by key, and the errors of keys."""

    resource: WritableResource
    names: Names = field(default_factory=dict)
    aliases: dict[Path, Path] = field(default_factory=dict)
    """Paths of entries in the patch, by their paths in the result."""
    errors: list[ErrorDetail] = field(default_factory=list)

    def result(self, target: Item, patch: Item) -> Item:
        """Return the record with the patch merged into it (RFC 7396)."""
        return dict(self._merge(_schema(self.resource), target, patch, (), ()))

    def _merge(
        self, schema: ResolvedSchema, target: Any, patch: Any, path: Path, alias: Path
    ) -> Any:
        if not isinstance(patch, dict):
            return patch
        if _has_entries(schema):
            return self._merge_list(schema, target or [], patch, path, alias)
        result = dict(target) if isinstance(target, dict) else {}
        for name, value in patch.items():
            if value is None:
                result.pop(name, None)
            else:
                member, before = schema.properties.get(name, _NOTHING), result.get(name)
                result[name] = self._merge(member, before, value, (*path, name), (*alias, name))
        return result

    def _merge_list(
        self, schema: ResolvedSchema, entries: list[Item], patch: Item, path: Path, alias: Path
    ) -> list[Item]:
        """Return the list with the changes of its entries; new ones are last."""
        ignores_case = any(key.target and key.target.ignores_case for key in entry_keys(schema))
        if ignores_case:
            patch = {key.lower(): patch[key] for key in patch}
        by_key = self._by_key(schema, entries)
        removed = {index for key in patch if patch[key] is None for index in by_key.get(key, ())}
        result = [entry for index, entry in enumerate(entries) if index not in removed]
        for key, change in patch.items():
            indexes = by_key.get(key, [])
            if len(indexes) > 1:
                message = f"{len(indexes)} entries have the key {key}. Use an id."
                self.errors.append(ErrorDetail(_AMBIGUOUS, (*alias, key), message))
            elif change is not None:
                if not indexes or indexes[0] in removed:
                    index = len(result)
                    result.append(self._new(schema, key, (*alias, key)))
                else:
                    index = indexes[0] - sum(each < indexes[0] for each in removed)
                at, here = (*path, index), (*alias, key)
                self.aliases[at] = here
                result[index] = self._merge(schema.items, result[index], change, at, here)
        return result

    def _by_key(self, schema: ResolvedSchema, entries: list[Item]) -> dict[str, list[int]]:
        """Return the indexes of entries by key: those of the first member that has it, then ids."""
        if members := schema.items.schema.get(MERGE_BASE):
            return {BASE: [index for index, each in enumerate(entries) if _is_base(each, members)]}
        keys, by_key = entry_keys(schema), dict[str, list[int]]()
        for member, target in (*keys, *(EntryKey(key.member, None) for key in keys if key.target)):
            indexes = defaultdict[str, list[int]](list)
            names = self.names.get(target.name, {}) if target else None
            for index, entry in enumerate(entries):
                value = entry.get(member)
                text = value if names is None or value is None else names.get(stored_id(value))
                if text is not None:
                    indexes[str(text)].append(index)
            by_key = indexes | by_key
        return by_key

    def _new(self, schema: ResolvedSchema, key: str, alias: Path) -> Item:
        """Return a new entry with a key; add an error if it needs more than a text."""
        if MERGE_BASE in schema.items.schema:
            if key != BASE:
                message = f"No entry has the key {key}. Use {BASE}, or send the whole list."
                self.errors.append(ErrorDetail(ErrorType.UNKNOWN_REFERENCE, alias, message))
            return {}
        *natural, last = entry_keys(schema)
        member, target = natural[-1] if natural else last
        field_schema = schema.items.properties[member]
        if target.parent if target else "integer" in field_schema.types:
            if key.isascii() and key.isdecimal():
                return {member: int(key)}
            message = f"No entry has the key {key}. Use an id for a new one."
            self.errors.append(ErrorDetail(ErrorType.UNKNOWN_REFERENCE, alias, message))
            return {}
        if target and "anyOf" in field_schema.schema:
            return {member: {target.key: key}}
        return {target.key if target else member: key}


def _is_base(entry: Item, members: Iterable[str]) -> bool:
    """Return whether an entry leaves members open: null, or a quantity from one piece."""
    return all(entry.get(member) in (None, 1) for member in members)
