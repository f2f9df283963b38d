"""Values of styles in custom fields (contract, Custom field values)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import asyncpg
import orjson

from service.batches.batch import Batch
from service.batches.entry import Item
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.records.child_list import ChildList
from service.records.matched_children import MatchedChildren
from service.records.parts import RecordPart
from service.records.scalar_columns import digits_after_point, shortest
from service.resources.assortment.style_entries import COLOR, SIZE, NamedEntry, StyleNames
from service.resources.styles import Styles
from service.writing.key_look_ups import KeyMatches, fail_key

_FIELD: Final = "customFieldId"
_KEY: Final = (_FIELD, COLOR, SIZE)
_CHOICE: Final = "allowedValueId"
_NUMBER: Final = "number"
_MEMBERS: Final = {"text": "text", "numeric": _NUMBER}
"""Members with the value by type of the field; of other types ``_CHOICE``."""
_RESTRICTIONS: Final = ("brand_ids", "group_ids", "category_ids")


class _Values(ChildList):
    def errors(self, entries: Any, *path: str | int) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for entries whose field, color and size an earlier one has, too."""
        keys = set[Any]()
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            key = tuple(map(entry.get, _KEY)) if isinstance(entry, dict) else None
            if key is None or any(isinstance(value, dict | list) for value in key):
                continue
            if key in keys:
                message = "An earlier entry has the same field, color and size."
                yield ErrorDetail(ErrorType.DUPLICATE, (*path, index, _FIELD), message)
            keys.add(key)


@dataclass(frozen=True, slots=True)
class _Field:
    """Custom field, with its allowed values by id."""

    row: asyncpg.Record
    choices: dict[int, asyncpg.Record] = field(default_factory=dict)

    @property
    def member(self) -> str:
        """Member of entries with the value."""
        return _MEMBERS.get(self.row["type"], _CHOICE)

    def named(self, key: Item) -> list[int]:
        """Return the ids of the allowed values that a key object names."""
        column = "user_defined_id" if "userDefinedId" in key else "value"
        text = key.get("userDefinedId", key.get("value"))
        return [id_ for id_, row in self.choices.items() if row[column] == text]

    def errors(self, entry: Item) -> Iterator[ErrorDetail]:
        """Yield the errors of an entry that the field alone shows."""
        yield from self._presence_errors(entry)
        value = entry.get(self.member)
        if value is not None:
            yield from self._value_errors(value)

    def _presence_errors(self, entry: Item) -> Iterator[ErrorDetail]:
        """Yield the errors of members that the field requires, and of those that it has not."""
        needed = {self.member: True}
        needed |= {COLOR: self.row["diff_per_color"], SIZE: self.row["diff_per_size"]}
        for name in (COLOR, SIZE, *_MEMBERS.values(), _CHOICE):
            is_needed, is_given = needed.get(name, False), entry.get(name) is not None
            if is_needed and not is_given:
                message = "The custom field requires it."
                yield ErrorDetail(ErrorType.REQUIRED_FIELD, (name,), message)
            elif is_given and not is_needed:
                message = "Leave it out: values of this custom field have none."
                yield ErrorDetail(ErrorType.INVALID_VALUE, (name,), message)

    def _value_errors(self, value: Any) -> Iterator[ErrorDetail]:
        """Yield the errors of a value: too long, too many decimals, no choice of the field."""
        most, decimals = self.row["max_char"], self.row["allowed_decimals"]
        if self.member == _CHOICE and value not in self.choices:
            message = "The custom field has no such allowed value."
            yield ErrorDetail(ErrorType.UNKNOWN_REFERENCE, (_CHOICE,), message)
        if self.member == "text" and most is not None and len(value) > most:
            message = f"Use at most {most:,} characters."
            yield ErrorDetail(ErrorType.TOO_LONG, (self.member,), message)
        if self.member == _NUMBER and decimals is not None and digits_after_point(value) > decimals:
            message = f"Use at most {decimals} digits after the point."
            yield ErrorDetail(ErrorType.INVALID_VALUE, (self.member,), message)

    def applies_to(self, style: asyncpg.Record) -> bool:
        """Return whether the style meets the restrictions: one of each kind that has any."""
        return all(
            not self.row[name] or {*self.row[name]} & {*style[name]} for name in _RESTRICTIONS
        )

    def belongs(self, entry: Item, entries: Mapping[Any, Item]) -> bool:
        """Return whether an entry's choice belongs to the style's value in the parent field."""
        choice = self.choices.get(entry.get(_CHOICE, 0))
        if choice is None or choice["parent_allowed_value_id"] is None:
            return True
        parent = entries.get((self.row["parent_id"], entry.get(COLOR), entry.get(SIZE)), {})
        return bool(parent.get(_CHOICE) == choice["parent_allowed_value_id"])


class CustomFieldValues(RecordPart):
    """Values of a style in custom fields; a write replaces them as a whole.

    Entries have ids in the database alone: field, color and size identify them. Those of deleted
    style colors are hidden. Those that equal the stored ones are not checked.
    """

    name = "custom-field-values"
    owner = Styles
    scope_field = "id"
    sizes_of = "size_ranges_of_style"
    below = "/custom-field-values"
    list_name = "values"
    children: ClassVar[ChildList] = _Values(
        noun="value",
        order="entry.custom_field_id, entry.style_color_id, entry.size_range_size_id",
    )

    async def _match(self, batch: Batch) -> list[MatchedChildren]:
        """Match the entries; report errors of those that change."""
        fields = await self._fields(batch)
        _resolve(batch, fields)
        lists, changed = await super()._match(batch), list[NamedEntry]()
        for children in lists:
            for child_id, entry in children.all.items():
                stored = children.stored.all.get(child_id)
                if self.children.row(entry, stored) != stored:
                    changed.append((children, children.request_indexes[child_id], entry))
        if changed:
            await self._check(batch, fields, changed)
        return lists

    async def _fields(self, batch: Batch) -> Mapping[int, _Field]:
        """Lock the fields of the entries, and return them by id."""
        ids = sorted({entry[_FIELD] for item in batch.items for entry in item[self.list_name]})
        if not ids:
            return {}
        await self._fetch(batch, "hold_fields", ids)
        rows = await self._fetch(batch, "fields", ids)
        fields = {row["id"]: _Field(row) for row in rows}
        for row in await self._fetch(batch, "choices", ids):
            fields[row["custom_field_id"]].choices[row["id"]] = row
        return fields

    async def _check(
        self, batch: Batch, fields: Mapping[int, _Field], changed: Iterable[NamedEntry]
    ) -> None:
        """Report the errors of entries that differ from the stored ones."""
        named = [entry for *_, entry in changed]
        names = await StyleNames.find(batch, named, batch.ids)
        rows = await self._fetch(batch, "styles", batch.ids)
        styles = {row["id"]: row for row in rows}
        entries = defaultdict[int, dict[Any, Item]](dict)
        for item in batch.items:
            entries[item["id"]] = {tuple(map(e.get, _KEY)): e for e in item[self.list_name]}
        for children, index, entry in changed:
            style, custom_field = styles[children.owner_id], fields.get(entry[_FIELD])
            details = [*custom_field.errors(entry)] if custom_field else []
            if custom_field and not custom_field.applies_to(style):
                message = "The custom field is for other brands, groups or style categories."
                details.append(ErrorDetail(ErrorType.INVALID_VALUE, (_FIELD,), message))
            if custom_field and not custom_field.belongs(entry, entries[children.owner_id]):
                message = "The value does not belong to the style's value in the parent field."
                details.append(ErrorDetail(ErrorType.INVALID_VALUE, (_CHOICE,), message))
            details += names.errors(style["id"], entry)
            for detail in {detail.path: detail for detail in reversed(details)}.values():
                path = (index, *detail.path)
                children.fail(batch, detail.type, *path, message=detail.message or "")


def _resolve(batch: Batch, fields: Mapping[int, _Field]) -> None:
    """Replace key objects of allowed values by ids; report those of none and of several.

    Numbers such as 100.0 become 100. Changed entries become copies: a repeated transaction starts
    from the request's own.
    """
    name = CustomFieldValues.list_name
    for item_index, item in enumerate(batch.items):
        item[name] = [*item[name]]
        for index, entry in enumerate(item[name]):
            key, custom_field = entry.get(_CHOICE), fields.get(entry[_FIELD])
            if isinstance(entry.get(_NUMBER), float):
                item[name][index] = entry | {_NUMBER: shortest(entry[_NUMBER])}
            if isinstance(key, dict):
                ids = custom_field.named(key) if custom_field else []
                item[name][index] = entry | {_CHOICE: ids[0] if len(ids) == 1 else 0}
                if custom_field and custom_field.member == _CHOICE and len(ids) != 1:
                    sent, path = orjson.dumps(key).decode(), (name, index, _CHOICE)
                    fail_key(batch, item_index, path, KeyMatches("allowed value", sent, ids))
                    batch.errors.close(batch.items[item_index].index, path)
