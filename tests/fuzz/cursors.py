"""Forged cursors: with a valid digest, and content that no list made."""

import zlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final, TypeAlias

import orjson

from service.limits import MAX_CONDITIONS, MAX_PAGE_SIZE
from service.listing import cursor
from service.listing.operators import OPERATORS, names_of
from service.listing.properties import Properties, Property
from service.records.resource import Resource
from service.routes import Route
from tests.fuzz.cases import Case, Request, RowKey
from tests.fuzz.queries import right_value, wrong_value

Path: TypeAlias = tuple[int, ...]
"""Path in the payload, which consists of nested lists."""
#: Kind of fault, and payloads that have it: JSON values, or bytes.
Wrong: TypeAlias = tuple[str, Sequence[Any]]

_DEEP: Final = tuple(
    orjson.Fragment(opening * depth + b"0" + closing * depth)
    for depth in (100, 500, 900, 1000, 1100, 20_000)
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}"))
)
_OTHERS: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 30, 1.5, 1.0, 2**63, 2**64 - 1, "", "x", "1", "id", "\0",
    [], {}, [[]], {"id": 1}, [None], *_DEEP,
)  # fmt: skip
_VERSION, _CONDITIONS, _SORT, _SIZE, _LAST = range(5)


def forged(route: Route, path: str, resource: Resource, random: Random, organization: int) -> Case:
    """Return the case of a cursor as the list makes it, or with one fault."""
    payload = _right(resource.properties, random)
    chosen: Any = payload
    rows, kind = list[RowKey](), "forged as it is made"
    if random.random() < 0.9:
        kind, payloads = random.choice([*_wrong(payload, resource.properties, random)])
        kind, chosen = f"forged: {kind}", random.choice(payloads)
        rows.append(("validation_error.invalid_cursor", "cursor"))
    raw = chosen if isinstance(chosen, bytes) else orjson.dumps(chosen)
    text = cursor.seal(raw, cursor.scope(path, organization))
    request = Request("GET", path, params=[("cursor", text)])
    return Case(route, organization, request, (f"cursor, {kind}",), tuple(rows))


def _right(properties: Properties, random: Random) -> list[Any]:
    """Return the payload of a cursor that the list accepts."""
    filtered = random.sample([*properties.values()], random.randint(1, min(3, len(properties))))
    sortable = [
        prop for prop in properties.values() if prop.sortable and prop.name != properties.key
    ]
    keys = random.sample(sortable, random.randint(0, min(3, len(sortable))))
    keys.append(properties[properties.key])
    return [
        cursor.VERSION,
        [_condition(prop, random) for prop in filtered],
        [[prop.name, random.random() < 0.5] for prop in keys],
        random.randint(1, MAX_PAGE_SIZE),
        [_stored(prop, random) for prop in keys],
    ]


def _condition(prop: Property, random: Random) -> list[Any]:
    operator = OPERATORS[random.choice(names_of(prop)).lower()]
    number = random.choice([1, 2, 40]) if operator.takes_several else 1
    values = [right_value(operator.compared(prop), random) for _ in range(number)]
    return [prop.name, operator.name, values]


def _stored(prop: Property, random: Random) -> Any:
    """Return a sort value as the database has it."""
    if prop.nullable and random.random() < 0.3:
        return None
    text = "7" if prop.name == "id" else right_value(prop, random)
    return text if prop.stored_kind in ("string", "date", "date-time") else orjson.loads(text)


def _wrong(payload: list[Any], properties: Properties, random: Random) -> Iterator[Wrong]:
    yield "no array of five", [*_not(list), [], payload[:4], [*payload, 1], {"a": payload}]
    yield "version", _each(payload, (_VERSION,), [2, 0, -1, *_not(int), 1.0])
    yield "page size", _each(payload, (_SIZE,), [0, -1, 101, 2**63, *_not(int)])
    for index in (_CONDITIONS, _SORT, _LAST):
        yield "wrong type", _each(payload, (index,), _not(list))
    yield from _wrong_conditions(payload, properties, random)
    yield from _wrong_sorts(payload, properties, random)
    yield from _wrong_last(payload, properties)
    yield "no JSON", [*_no_json(orjson.dumps(payload))]


def _wrong_conditions(
    payload: list[Any], properties: Properties, random: Random
) -> Iterator[Wrong]:
    index = random.randrange(len(payload[_CONDITIONS]))
    at = (_CONDITIONS, index)
    name, operator, values = condition = payload[_CONDITIONS][index]
    prop, used = properties[name], OPERATORS[operator.lower()]
    shapes = [condition[:2], [*condition, "x"], [condition], {"a": 1, "b": 2, "c": 3}]
    yield "condition", _each(payload, at, [*_not(list), [], *shapes])
    names = ["colour", f"{name} ", f"{name}\0", "name; --", "record.id"]
    yield "property", _each(payload, (*at, 0), [*_not(str), *names])
    unfit = [other.name for other in OPERATORS.values() if not other.fits(prop)]
    yield "operator", _each(payload, (*at, 1), [*_not(str), *unfit, "like", "=", "eq ", "\0"])
    yield "values", _each(payload, (*at, 2), [*_not(list), []])
    texts = [*_not(str), "a\0"]
    if (bad := wrong_value(used.compared(prop), random)) is not None:
        texts.append(bad)
    yield "value", _each(payload, (*at, 2, random.randrange(len(values))), texts)
    if not used.takes_several:
        yield "values", _each(payload, (*at, 2), [values * 2, values * 300])
    yield (
        "too many conditions",
        _each(payload, (_CONDITIONS,), [[condition] * (MAX_CONDITIONS + 1)]),
    )


def _wrong_sorts(payload: list[Any], properties: Properties, random: Random) -> Iterator[Wrong]:
    keys, last = payload[_SORT], payload[_LAST]
    index = random.randrange(len(keys))
    at, key = (_SORT, index), keys[index]
    shapes = [key[:1], [*key, 1], [key], {"id": 1, "name": 2}]
    yield "sort key", _each(payload, at, [*_not(list), [], *shapes])
    counted = [prop.name for prop in properties.values() if not prop.sortable]
    names = ["colour", f"{key[0]} ", "ID; --", *counted]
    yield "sort key", _each(payload, (*at, 0), [*_not(str), *names])
    yield "direction", _each(payload, (*at, 1), ["desc", "false", *_not(bool)])
    yield "no tie-break", [_sorted(payload, keys[:-1], last[:-1])]
    again = random.choice([[key[0], not key[1]], key, [key[0].upper(), key[1]]])
    yield "field sorts twice", [_sorted(payload, [again, *keys], [last[index], *last])]
    number = random.choice([len(properties), 50, 500, 2000])
    many = [[name, False] for name in [*properties] * number][:number]
    yield (
        "hundreds of sort keys",
        [
            _sorted(payload, [*many, *keys], [0] * number + last),
            _sorted(payload, [key] * number + keys, [last[index]] * number + last),
        ],
    )


def _wrong_last(payload: list[Any], properties: Properties) -> Iterator[Wrong]:
    last = payload[_LAST]
    numbers = [[*last, 1], last[:-1], [], last * 300, [last]]
    yield "number of sort values", _each(payload, (_LAST,), numbers)
    for index, (name, _) in enumerate(payload[_SORT]):
        prop = properties[name]
        wrong = _not(*_TYPES[prop.stored_kind], *([type(None)] if prop.nullable else []))
        texts = ["a\0"] if prop.stored_kind == "string" else ["now", "2026-02-30T00:00:00Z", "7"]
        beyond = _BEYOND if prop.stored_kind == "integer" else []
        yield "sort value", _each(payload, (_LAST, index), [*wrong, *texts, *beyond])


_BEYOND: Final = (2**63, *map(orjson.Fragment, (b"-9223372036854775809", b"1" + b"0" * 30)))
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "string": (str,),
    "date": (),
    "date-time": (),
}


def _no_json(raw: bytes) -> Iterator[bytes]:
    yield from (raw[:-1], raw[1:], raw + b"]", raw + b"\0", b"", b"[", b"\xff", b"NaN")
    yield from (raw.replace(b",", b";"), raw[:-1] + b',"\xff"]', raw[:-1] + b',"\\ud800"]')
    yield from (b"[" * 2_000_000, raw + b" " * 2_000_000, b" " * 2_000_000 + raw)
    packed = zlib.compress(raw)
    yield from (packed[:-1], packed[: len(packed) // 2], zlib.compress(packed))


def _not(*types: type) -> list[Any]:
    """Return values of every other type; booleans are no numbers here."""
    return [value for value in _OTHERS if type(value) not in types]


def _sorted(payload: list[Any], keys: list[Any], last: list[Any]) -> list[Any]:
    version, conditions, _, size, _ = payload
    return [version, conditions, keys, size, last]


def _each(payload: list[Any], path: Path, values: Sequence[Any]) -> list[Any]:
    """Return the payload with each of the values at the path."""
    return [_with(payload, path, value) for value in values]


def _with(payload: list[Any], path: Path, value: Any) -> list[Any]:
    first, *rest = path
    changed = [*payload]
    changed[first] = _with(payload[first], tuple(rest), value) if rest else value
    return changed
