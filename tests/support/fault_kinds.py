"""Faults to plant in a body that is right, and the row that each of them calls for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

import orjson

from tests.fuzz.findings import Check
from tests.fuzz.sites import MISSING, Path, Site, filler

FAR: Final = 2**62
"""Ids from here on are nobody's."""
_DEEP: Final = orjson.Fragment(b"[" * 100 + b"]" * 100)
_VALUES: Final[dict[str, Sequence[Any]]] = {
    "string": ("x", "1", "true", "null"),
    "boolean": (True, False),
    "integer": (0, 1, -7, 2**53 + 1),
    "number": (0.5, -1.25, 1e-9),
    "array": ([], [1], [None], [{}], _DEEP),
    "object": ({}, {"id": 1}, {"a": [0]}),
}
#: How deep a value may be nested at most is the service's own; these are deeper.
_TOO_DEEP: Final = tuple(
    opening * depth + middle + closing * depth
    for depth in (300, 500, 900, 990, 1010, 1020, 1100, 30_000)
    for opening, middle, closing in (
        (b"[", b"", b"]"),
        (b'{"a":', b"1", b"}"),
        (b'[{"":', b"0", b"}]"),
    )
)
_NO_JSON: Final = (
    b"NaN", b"Infinity", b"-Infinity", b"01", b"+1", b".5", b"1.", b"0x1F", b"True", b"undefined",
    b"'x'", b'"\x01"', b'"\n"', b'"\\x41"', b'"\\u12"', b"// 1", b"[1,]", b'{"a":1,}', b"{1:1}",
    b"[" * 2000 + b"]" * 2000, b"1e999", b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\x80"', b"nul",
)  # fmt: skip
_SURROGATES: Final = (b'"\\ud800"', b'"a\\udfffb"', b'"\\udc00\\ud800"', b'"\\uD83D"')
_DISGUISED: Final = (b"1.0", b"7.00", b"1e0", b"2E2", b"20e-1", b"-0.0", b"9007199254740993.0")
_LONGEST: Final = 100_000
"""Characters; longer limits are those of the whole body."""


@dataclass(frozen=True, slots=True)
class Plant:
    """A fault: what stands at a place instead, and the row that names it.

    ``row`` is None where the body as a whole is at fault. ``needs`` are the places that have to
    stay as they are for it to be one fault. ``adds_item`` says that the value is one more item of
    several, with which more may be wrong.
    """

    at: Path
    value: Any
    type: str
    row: Path | None
    needs: tuple[Path, ...] = ()
    adds_item: bool = False

    @property
    def places(self) -> tuple[Path, ...]:
        """All that other faults have to leave alone."""
        return (self.row or (), *self.needs, *(() if self.adds_item else (self.at,)))


Planter: TypeAlias = Callable[[Site, Random], Plant]


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to be wrong: where it can be, and what plants one of its kind there."""

    name: str
    fits: Callable[[Site], bool]
    plant: Planter
    check: Check = Check.ITEM
    """What finds it, unless the whole body is at fault."""


def invalid(site: Site, kind: str, value: Any) -> Plant:
    """A fault that the value itself is, at its place."""
    return Plant(site.path, value, f"validation_error.{kind}", site.path or None)


def one_of(kind: str, *values: Any) -> Planter:
    """What plants one of the values."""
    return lambda site, random: invalid(site, kind, random.choice(values))


def _no_json(*texts: bytes) -> Planter:
    """What plants a text that makes the body as a whole no JSON."""

    def plant(site: Site, random: Random) -> Plant:
        value = orjson.Fragment(random.choice(texts))
        return Plant(site.path, value, "validation_error.malformed_json", None)

    return plant


def _unknown_field(site: Site, random: Random) -> Plant:
    known = [name for name, _ in site.located.properties.items()]
    near = random.choice(known)
    names = {
        near.upper(),
        f"{near} ",
        f"{near}s",
        "colour",
        "a.b",
        "",
        "0",
        "__proto__",
        "$ref",
        "Ähnlich",
    }
    name = random.choice(sorted(names - {*known} - site.value.keys()))
    value = random.choice([None, *_VALUES[random.choice(sorted(_VALUES))], orjson.Fragment(b"1.0")])
    path = (*site.path, name)
    return Plant(path, value, "validation_error.unknown_field", path)


def _other_type(site: Site, random: Random) -> Plant:
    taken = {"null", *site.types}
    if taken & {"integer", "number"}:
        taken |= {"integer", "number"}
    values = _VALUES[random.choice(sorted(_VALUES.keys() - taken))]
    return invalid(site, "invalid_type", random.choice(values))


def _read_only(site: Site, random: Random) -> Plant:
    values = _VALUES[random.choice(sorted(_VALUES))]
    return invalid(site, "read_only_field", random.choice(values))


def _other_choice(site: Site, random: Random) -> Plant:
    first = next(choice for choice in site.schema["enum"] if choice)
    wrong = ["", "unheard of", first.upper(), f"{first} ", f"\ufeff{first}"]
    return invalid(site, "invalid_value", random.choice(wrong))


def _too_long(site: Site, random: Random) -> Plant:
    length = site.schema["maxLength"] + random.choice([1, 1, 2, 100])
    return invalid(site, "too_long", random.choice("xé漢𝄞") * length)


def _out_of_range(site: Site, random: Random) -> Plant:
    low, high = site.schema["minimum"], site.schema["maximum"]
    wrong = [low - 1, -(2**31) - 1, -(2**63)]
    if high < 2**63 - 1:
        wrong += [high + 1, 2**63 - 1]
    if "number" in site.types:
        wrong += [math.nextafter(high, math.inf), math.nextafter(low, -math.inf), 1e300]
    beyond = [number for number in wrong if not low <= number <= high]
    return invalid(site, "out_of_range", random.choice(beyond))


def _beyond_64_bits(site: Site, random: Random) -> Plant:
    number = random.choice([2**63, 2**64 - 1, 2**64, 10**25, 10**300, -(2**63) - 1, -(10**25)])
    return invalid(site, "out_of_range", orjson.Fragment(str(number).encode()))


def _repeated(site: Site, random: Random) -> Plant:
    row = (*site.path, len(site.value))
    return Plant(row, random.choice(site.value), "validation_error.duplicate", row, (site.path,))


def _too_many(site: Site, _: Random) -> Plant:
    numbers = range(1, site.schema["maxItems"] + 2)
    return invalid(site, "too_many_items", [filler(site.located.items, n) for n in numbers])


def _integer(site: Site) -> bool:
    return "integer" in site.types


def _free_text(site: Site) -> bool:
    return "string" in site.types and "enum" not in site.schema


def _needed(site: Site) -> bool:
    return site.required and isinstance(site.name, str) and bool(site.path)


NESTED: Final = Kind("nested too deeply", lambda site: bool(site.path), _no_json(*_TOO_DEEP))
#: What the schema alone tells.
KINDS: Final = (
    Kind("missing", _needed, one_of("required_field", MISSING)),
    Kind(
        "null for a required field",
        lambda site: _needed(site) and "null" not in site.types,
        one_of("required_field", None),
    ),
    Kind(
        "null among members",
        lambda site: isinstance(site.name, int),
        one_of("invalid_type", None),
    ),
    Kind(
        "unknown field",
        lambda site: (
            site.schema.get("additionalProperties") is False and isinstance(site.value, dict)
        ),
        _unknown_field,
    ),
    Kind("read-only field", lambda site: site.read_only, _read_only),
    Kind("wrong type", lambda site: bool(site.types), _other_type),
    Kind("fraction", _integer, one_of("invalid_type", 0.5, 1.5, -2.000001, 1e-7)),
    Kind(
        "integer in disguise",
        _integer,
        one_of("invalid_type", *map(orjson.Fragment, _DISGUISED)),
    ),
    Kind("beyond 64 bits", _integer, _beyond_64_bits),
    Kind("out of range", lambda site: "minimum" in site.schema, _out_of_range),
    Kind("no allowed value", lambda site: "enum" in site.schema, _other_choice),
    Kind(
        "state that the operation cannot set",
        lambda site: site.name == "state" and "deleted" not in site.schema["enum"],
        one_of("state_not_allowed", "deleted"),
    ),
    Kind("too short", lambda site: bool(site.schema.get("minLength")), one_of("too_short", "")),
    Kind(
        "white space alone",
        lambda site: "pattern" in site.schema,
        one_of("invalid_value", " ", "\t\n", "\u00a0\u2003", "\u3000"),
    ),
    Kind("too long", lambda site: site.schema.get("maxLength", _LONGEST) < _LONGEST, _too_long),
    Kind(
        "U+0000 in a text",
        _free_text,
        one_of("invalid_value", "\0", "a\0", "\0b", "a\0b\0"),
    ),
    Kind(
        "member twice", lambda site: bool(site.schema.get("uniqueItems") and site.value), _repeated
    ),
    Kind("too many members", lambda site: "maxItems" in site.schema, _too_many),
    Kind("too few members", lambda site: "minItems" in site.schema, one_of("too_few_items", [])),
    Kind("lone surrogate", _free_text, _no_json(*_SURROGATES)),
    Kind("no JSON", lambda site: bool(site.path), _no_json(*_NO_JSON)),
    NESTED,
)
