"""Kinds of faults that are injected into valid bodies, and the error that each must cause."""

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from enum import IntEnum
from random import Random
from typing import Any, Final, TypeAlias

import orjson

from service.schemas.formats import FORMATS
from tests.support.fault_sites import MISSING, Path, Site, filler

FAR: Final = 2**62
"""Smallest id that no record has."""
_DEEP: Final = orjson.Fragment(b"[" * 100 + b"]" * 100)
_VALUES: Final[dict[str, Sequence[Any]]] = {
    "string": ("x", "1", "true", "null"),
    "boolean": (True, False),
    "integer": (0, 1, -7, 2**53 + 1),
    "number": (0.5, -1.25, 1e-9),
    "array": ([], [1], [None], [{}], _DEEP),
    "object": ({}, {"id": 1}, {"a": [0]}),
}
#: Values that are nested deeper than the service allows.
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
"""Number of characters; longer limits are those of the whole body."""


class Check(IntEnum):
    """Checks in their order: an item goes no further than the first check that it fails."""

    REQUEST = 0
    """Check of a bulk request as a whole; its errors are reported alone."""
    ITEM = 1
    """Check of the item by itself; of a single write also of path, query and headers."""
    RECORD = 2
    """Check that the record exists and is the caller's."""
    STATE = 3
    """Check of the preconditions."""
    DATA = 4
    """Check of the item against stored data."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault: a value that replaces the one at a path, and the error that names it.

    ``row`` is the path that the error names, None if the body as a whole is at fault. ``needs`` are
    the paths that must stay unchanged for it to be one fault. ``adds_item`` says that the value is
    one more item of a list, in which there may be more faults.
    """

    at: Path
    value: Any
    type: str
    row: Path | None
    needs: tuple[Path, ...] = ()
    adds_item: bool = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the paths that other faults must not change."""
        return (self.row or (), *self.needs, *(() if self.adds_item else (self.at,)))


def inject(body: Any, fault: Fault) -> Any:
    """Return a copy of the body with the fault, which shares all else with the body."""
    if not fault.at:
        return fault.value
    *parents, last = fault.at
    faulty = holder = copy(body)
    for part in parents:
        holder[part] = copy(holder[part])
        holder = holder[part]
    if fault.value is MISSING:
        del holder[last]
    elif isinstance(holder, list) and last == len(holder):
        holder.append(fault.value)
    else:
        holder[last] = fault.value
    return faulty


def field_name(path: Path | None) -> str | None:
    """Return a path in the notation of responses (contract, Errors)."""
    text = ""
    for part in path or ():
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text if path else None


Injector: TypeAlias = Callable[[Site, Random], Fault]


@dataclass(frozen=True, slots=True)
class FaultKind:
    """Kind of fault: the sites that it fits, and the function that makes one for a site."""

    name: str
    fits: Callable[[Site], bool]
    make: Injector
    check: Check = Check.ITEM
    """Check that finds it, unless the whole body is at fault."""


def invalid(site: Site, kind: str, value: Any) -> Fault:
    """Return the fault of a value at its own path."""
    return Fault(site.path, value, f"validation_error.{kind}", site.path or None)


def one_of(kind: str, *values: Any) -> Injector:
    """Return the injector of one of the values."""
    return lambda site, random: invalid(site, kind, random.choice(values))


def _no_json(*texts: bytes) -> Injector:
    """Return the injector of a text that makes the body malformed JSON."""

    def make(site: Site, random: Random) -> Fault:
        value = orjson.Fragment(random.choice(texts))
        return Fault(site.path, value, "validation_error.malformed_json", None)

    return make


def _unknown_field(site: Site, random: Random) -> Fault:
    properties = [name for name, _ in site.located.properties.items()]
    near = random.choice(properties)
    names = {near.upper(), f"{near} ", f"{near}s", "colour", "a.b", "", "0", "__proto__", "$ref"}
    name = random.choice(sorted(names - {*properties} - site.value.keys()))
    value = random.choice([None, *_VALUES[random.choice(sorted(_VALUES))], orjson.Fragment(b"1.0")])
    path = (*site.path, name)
    return Fault(path, value, "validation_error.unknown_field", path)


def _other_type(site: Site, random: Random) -> Fault:
    taken = {"null", *site.types}
    if taken & {"integer", "number"}:
        taken |= {"integer", "number"}
    if "anyOf" in site.schema:
        taken.add("object")
    values = _VALUES[random.choice(sorted(_VALUES.keys() - taken))]
    return invalid(site, "invalid_type", random.choice(values))


def _read_only(site: Site, random: Random) -> Fault:
    values = _VALUES[random.choice(sorted(_VALUES))]
    return invalid(site, "read_only_field", random.choice(values))


def _other_choice(site: Site, random: Random) -> Fault:
    first = next(choice for choice in site.schema["enum"] if choice)
    wrong = ["", "unheard of", first.upper(), f"{first} ", f"\ufeff{first}"]
    return invalid(site, "invalid_value", random.choice(wrong))


def _too_long(site: Site, random: Random) -> Fault:
    length = site.schema["maxLength"] + random.choice([1, 1, 2, 100])
    return invalid(site, "too_long", random.choice("xé漢𝄞") * length)


def _out_of_range(site: Site, random: Random) -> Fault:
    low, high = site.schema["minimum"], site.schema["maximum"]
    wrong = [low - 1, -(2**31) - 1, -(2**63)]
    if high < 2**63 - 1:
        wrong += [high + 1, 2**63 - 1]
    if "number" in site.types:
        wrong += [math.nextafter(high, math.inf), math.nextafter(low, -math.inf), 1e300]
    beyond = [number for number in wrong if not low <= number <= high]
    return invalid(site, "out_of_range", random.choice(beyond))


def _beyond_64_bits(site: Site, random: Random) -> Fault:
    number = random.choice([2**63, 2**64 - 1, 2**64, 10**25, 10**300, -(2**63) - 1, -(10**25)])
    return invalid(site, "out_of_range", orjson.Fragment(str(number).encode()))


def _repeated(site: Site, random: Random) -> Fault:
    row = (*site.path, len(site.value))
    return Fault(row, random.choice(site.value), "validation_error.duplicate", row, (site.path,))


def _too_many(site: Site, _: Random) -> Fault:
    numbers = range(1, site.schema["maxItems"] + 2)
    return invalid(site, "too_many_items", [filler(site.located.items, n) for n in numbers])


def _integer(site: Site) -> bool:
    return "integer" in site.types


def _can_overflow(site: Site) -> bool:
    """Return whether a list may be too long and nothing else: its choices need no repetition."""
    most, items = site.schema.get("maxItems"), site.located.items.schema
    choices = () if "format" in items else items.get("enum", range((most or 0) + 1))
    return most is not None and len(choices) > most


def _is_reference(site: Site) -> bool:
    """Return whether the site takes an id or an object with an own key, and no list."""
    return "anyOf" in site.schema and "array" not in site.types


def _free_text(site: Site) -> bool:
    return "string" in site.types and "enum" not in site.schema


def _needed(site: Site) -> bool:
    return site.required and isinstance(site.name, str) and bool(site.path)


NESTED: Final = FaultKind("nested too deeply", lambda site: bool(site.path), _no_json(*_TOO_DEEP))
#: Kinds that the schema alone shows.
KINDS: Final = (
    FaultKind("missing", _needed, one_of("required_field", MISSING)),
    FaultKind(
        "null for a required field",
        lambda site: _needed(site) and "null" not in site.types,
        one_of("required_field", None),
    ),
    FaultKind(
        "null among members", lambda site: isinstance(site.name, int), one_of("invalid_type", None)
    ),
    FaultKind(
        "unknown field",
        lambda site: (
            site.schema.get("additionalProperties") is False and isinstance(site.value, dict)
        ),
        _unknown_field,
    ),
    FaultKind("read-only field", lambda site: site.read_only, _read_only),
    FaultKind("wrong type", lambda site: bool(site.types), _other_type),
    FaultKind(
        "object without the own key", _is_reference, one_of("invalid_value", *_VALUES["object"])
    ),
    FaultKind("fraction", _integer, one_of("invalid_type", 0.5, 1.5, -2.000001, 1e-7)),
    FaultKind(
        "integer in disguise", _integer, one_of("invalid_type", *map(orjson.Fragment, _DISGUISED))
    ),
    FaultKind("beyond 64 bits", _integer, _beyond_64_bits),
    FaultKind("out of range", lambda site: "minimum" in site.schema, _out_of_range),
    FaultKind("no allowed value", lambda site: "enum" in site.schema, _other_choice),
    FaultKind(
        "text of no format",
        lambda site: site.schema.get("format") in FORMATS,
        one_of("invalid_value", "", " ", "x", "2027-02-30", "DEM", "zz"),
    ),
    FaultKind(
        "state that the operation cannot set",
        lambda site: site.name == "state" and "deleted" not in site.schema["enum"],
        one_of("state_not_allowed", "deleted"),
    ),
    FaultKind(
        "too short", lambda site: bool(site.schema.get("minLength")), one_of("too_short", "")
    ),
    FaultKind(
        "white space alone",
        lambda site: "pattern" in site.schema,
        one_of("invalid_value", " ", "\t\n", "\u00a0\u2003", "\u3000"),
    ),
    FaultKind(
        "too long", lambda site: site.schema.get("maxLength", _LONGEST) < _LONGEST, _too_long
    ),
    FaultKind(
        "U+0000 in a text", _free_text, one_of("invalid_value", "\0", "a\0", "\0b", "a\0b\0")
    ),
    FaultKind(
        "member twice", lambda site: bool(site.schema.get("uniqueItems") and site.value), _repeated
    ),
    FaultKind("too many members", _can_overflow, _too_many),
    FaultKind(
        "too few members", lambda site: "minItems" in site.schema, one_of("too_few_items", [])
    ),
    FaultKind("lone surrogate", _free_text, _no_json(*_SURROGATES)),
    FaultKind("no JSON", lambda site: bool(site.path), _no_json(*_NO_JSON)),
    NESTED,
)
