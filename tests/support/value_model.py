"""Model of the values of a style in custom fields: random definitions, entries and their errors."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any, Final, TypeAlias

UNKNOWN, INVALID = "validation_error.unknown_reference", "validation_error.invalid_value"
REQUIRED, TOO_LONG = "validation_error.required_field", "validation_error.too_long"
MEMBERS: Final = {"text": "text", "numeric": "number"}
CHOICE, COLOR, SIZE = "allowedValueId", "styleColorId", "sizeRangeSizeId"
FAR: Final = 2**40
Entry: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[Any, ...]


@dataclass
class Field:
    """Custom field; a child differs per color and size as the first of its parents does."""

    id: int
    type: str
    name: str
    sent: dict[str, Any]
    parent: "Field | None"
    choices: dict[int, int | None]
    """Allowed values, each with the parent's value that it belongs to."""

    @property
    def member(self) -> str:
        return MEMBERS.get(self.type, CHOICE)

    @property
    def differs(self) -> tuple[bool, bool]:
        if self.parent:
            return self.parent.differs
        return self.sent["diffPerColor"], self.sent["diffPerSize"]


@dataclass
class Model:
    """A style, what it refers to, and its stored values."""

    fields: dict[int, Field]
    colors: dict[int, str]
    """States of its style colors, by id."""
    sizes: dict[int, str]
    """Names of the active sizes of its size range, by id."""
    foreign_color: int
    foreign_size: int
    linked: dict[str, set[int]] = field(default_factory=dict)
    """Ids of its brand, groups and style category, by the name of the restriction."""
    stored: dict[Key, Entry] = field(default_factory=dict)

    @property
    def shown(self) -> dict[Key, Entry]:
        """Stored values but those of deleted colors, in the order of documents."""
        keys = [key for key in self.stored if self.colors.get(key[1]) != "deleted"]
        return {
            key: self.stored[key] for key in sorted(keys, key=lambda key: [e or 0 for e in key])
        }

    def applies(self, of: Field) -> bool:
        restrictions = {name: {each["id"] for each in of.sent[name]} for name in self.linked}
        return all(not ids or ids & self.linked[name] for name, ids in restrictions.items())

    def lacking(self) -> set[Key]:
        """Return the keys of the values that the style lacks to be ready for export."""
        lacking = set[Key]()
        for of in self.fields.values():
            if not (of.sent["isMandatory"] and of.sent["state"] == "active" and self.applies(of)):
                continue
            active = [id_ for id_, state in self.colors.items() if state == "active"]
            per_color, per_size = of.differs
            for color in active if per_color else [None]:
                for size in self.sizes if per_size else [None]:
                    key, chosen = (of.id, color, size), None
                    if of.parent:
                        chosen = self.shown.get((of.parent.id, color, size), {}).get(CHOICE)
                    can_choose = of.member != CHOICE or {*of.choices.values()} & {None, chosen}
                    if can_choose and key not in self.shown:
                        lacking.add(key)
        return lacking

    def merged(self, sent: list[Entry]) -> dict[Key, Entry]:
        """Return the entries by key; a number that equals the stored one keeps its digits."""
        entries = dict[Key, Entry]()
        for entry in sent:
            stored, number = self.shown.get(key_of(entry), {}), entry["number"]
            if number is not None and not isinstance(number, str):
                before = stored.get("number")
                number = repr(number)
                number = before if before and Decimal(before) == Decimal(number) else number
            entries[key_of(entry)] = entry | {"number": number}
        return entries

    def errors(self, sent: list[Entry]) -> list[tuple[str, str]]:
        """Return type and field of each error of a replace."""
        keys = [key_of(entry) for entry in sent]
        twice = [index for index, key in enumerate(keys) if key in keys[:index]]
        if twice:
            kind = "validation_error.duplicate"
            return [(kind, f"[{index}].customFieldId") for index in twice]
        entries, errors = self.merged(sent), list[tuple[str, str]]()
        for index, entry in enumerate(sent):
            key = keys[index]
            if self.shown.get(key) == entries[key]:
                continue
            kinds = dict[str, str]()
            for kind, member in self._entry_errors(entry, entries):
                kinds.setdefault(member, kind)
            pairs = {(kind, member) for member, kind in kinds.items()}
            if entry[COLOR] == FAR or self.colors.get(entry[COLOR]) == "deleted":
                pairs.add((UNKNOWN, COLOR))
            errors += [(kind, f"[{index}].{member}") for kind, member in pairs]
        return errors

    def _entry_errors(self, entry: Entry, entries: dict[Key, Entry]) -> Iterator[tuple[str, str]]:
        """Yield the errors of a changed entry; the first one of a member counts."""
        of = self.fields[entry["customFieldId"]]
        per_color, per_size = of.differs
        needed = {COLOR: per_color, SIZE: per_size, of.member: True}
        for member in (COLOR, SIZE, "text", "number", CHOICE):
            if (entry[member] is not None) != needed.get(member, False):
                yield REQUIRED if needed.get(member) else INVALID, member
        value, most, decimals = entry[of.member], of.sent["maxChar"], of.sent["allowedDecimals"]
        if of.type == "text" and most is not None and len(value or "") > most:
            yield TOO_LONG, "text"
        if of.type == "numeric" and decimals is not None and value is not None:
            digits = str(value).partition(".")[2]
            if len(digits if isinstance(value, str) else digits.rstrip("0")) > decimals:
                yield INVALID, "number"
        if of.member == CHOICE and value is not None and value not in of.choices:
            yield UNKNOWN, CHOICE
        if not self.applies(of):
            yield INVALID, "customFieldId"
        parent_value = of.choices.get(value) if of.member == CHOICE else None
        if of.parent and parent_value is not None:
            chosen = entries.get((of.parent.id, entry[COLOR], entry[SIZE]), {})
            if chosen.get(CHOICE) != parent_value:
                yield INVALID, CHOICE
        if entry[COLOR] == self.foreign_color:
            yield INVALID, COLOR
        if entry[SIZE] == FAR:
            yield UNKNOWN, SIZE
        elif entry[SIZE] == self.foreign_size:
            yield INVALID, SIZE

    def generated(self, random: Random) -> list[Entry]:
        """Return entries to send: most are valid, some stored, some wrong in a member."""
        entries = [entry for entry in self.shown.values() if random.random() < 0.6]
        fields = list(self.fields.values())
        for of in random.sample(fields, random.randint(0, len(fields))):
            per_color, per_size = of.differs
            wrong = random.random() < 0.1
            colors = [*self.colors] if per_color is not wrong else [None]
            sizes = [*self.sizes] if per_size is not wrong else [None]
            if random.random() < 0.05:
                colors, sizes = [self.foreign_color, FAR], [self.foreign_size, FAR]
            entry: Entry = {
                "customFieldId": of.id,
                COLOR: random.choice(colors),
                SIZE: random.choice(sizes),
                **dict.fromkeys(("text", "number", CHOICE)),
                of.member: self._value(of, random),
            }
            if random.random() < 0.05:
                entry[random.choice(("text", "number", CHOICE))] = None
            if key_of(entry) not in map(key_of, entries) or random.random() < 0.05:
                entries.append(entry)
        random.shuffle(entries)
        return entries

    def _value(self, of: Field, random: Random) -> Any:
        if of.type == "text":
            return random.choice("aä漢") * random.randint(1, 6)
        if of.type == "numeric":
            return random.choice(("1", "1.5", "1.50", "-0.125", 1, 1.5, 2.25))
        other = random.choice(list(self.fields.values()))
        of = other if random.random() < 0.05 else of
        return random.choice(
            [*of.choices, FAR] if random.random() < 0.05 else [*of.choices] or [FAR]
        )


def key_of(entry: Entry) -> Key:
    return entry["customFieldId"], entry[COLOR], entry[SIZE]
