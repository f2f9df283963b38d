"""Scenarios of the benchmarks: the requests of each connection."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, Final

import orjson

from benchmarks.data import LANGUAGES, Data
from benchmarks.load import Request

#: Number of bodies that each writing connection sends in turn.
VARIANTS: Final = 2
BATCH: Final = 200
#: Number of bulk deletes of each connection in a turn; a record is deleted only once.
DELETES: Final = 40
WRITES_PER_SECOND: Final = 10
#: Number of distinct requests of each connection in a turn; far more than a turn can send.
_DISTINCT: Final = 1500
_COPY = count(1)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Kind of request, and the number of connections that send it."""

    name: str
    title: str
    connections: int
    requests: Callable[[Data, int], list[Request]]
    """Function that returns the requests of a connection, which it sends repeatedly."""
    setup: Callable[[int], str] | None = None
    """Function that returns the statement before a turn of so many connections; then every request
    is sent only once."""
    is_own: bool = False
    """Whether only Selvedge has this kind of request."""
    at_rest: bool = False
    """Whether an organization without writers sends the requests."""
    is_changing: bool = False
    """Whether another connection changes a record ``WRITES_PER_SECOND`` times a second."""
    is_distinct: bool = False
    """Whether no request is sent twice, so that no cached response can be used."""

    @property
    def has_pgbench(self) -> bool:
        """Return whether pgbench can repeat the statements of one run of the requests."""
        return not (self.setup or self.is_own or self.is_changing)


def scenarios() -> Iterator[Scenario]:
    """Yield every scenario, in the order of the report."""
    yield from _reads("relations", "list 30 style relations", _relations)
    yield from _reads("colors", "list 100 colors with groups and names", _colors)
    yield from _reads("measurement", "read one measurement", _measurement)
    yield from _reads("products", "list 30 products of a channel", _products)
    yield from _reads("skus", "list 100 SKUs", _skus)
    yield from _reads("prices", "list effective prices of 100 SKUs", _prices)
    yield Scenario(
        *("relations-64", "list 30 style relations, no request twice", 64, _relations),
        is_own=True,
        is_distinct=True,
    )
    every, some = partial(_put_colors, every=1), partial(_put_colors, every=10)
    yield Scenario("put", "bulk PUT of 200 colors, every one changed", 8, every)
    yield Scenario("put-some", "bulk PUT of 200 colors, a tenth changed", 8, some)
    yield Scenario("put-fields", "bulk PUT of 200 style custom fields", 8, _put_fields)
    yield Scenario("patch", "PATCH of a color", 16, _patch)
    yield Scenario("delete", "bulk DELETE of 200 item categories", 8, _delete, setup=_categories)
    for name, title, by_key in (
        ("put-by-id", "bulk PUT of 200 colors by id, one at a time, short answer", False),
        ("put-by-key", "the same by their own keys", True),
    ):
        yield Scenario(name, title, 1, partial(_put_briefly, by_key=by_key), is_own=True)
    following, asking = "follow 1,000 changes with documents", "ask for changes: nothing new"
    yield Scenario("follow", following, 8, _follow, is_own=True, at_rest=True)
    yield Scenario("news", asking, 16, _news, is_own=True, at_rest=True)


def _reads(
    name: str, title: str, requests: Callable[[Data, int], list[Request]]
) -> Iterator[Scenario]:
    """Yield a read whose response can be cached, is outdated by writes, or is of no use again."""
    base = Scenario(name, f"{title}, repeated", 16, requests)
    changing = f"{title}, {WRITES_PER_SECOND} writes a second beside"
    yield base
    yield replace(base, name=f"{name}-changing", title=changing, is_changing=True)
    yield replace(
        base, name=f"{name}-distinct", title=f"{title}, no request twice", is_distinct=True
    )


def distinct(request: Request, copies: int = _DISTINCT) -> list[Request]:
    """Return copies of a read that no cache takes for one another, in this run of the benchmark.

    They differ by a preference that no server knows and all ignore (RFC 7240, section 2), so each
    costs what the read costs.
    """
    return [
        replace(request, headers=(*request.headers, f"Prefer: copy={next(_COPY)}"))
        for _ in range(copies)
    ]


def changes(data: Data) -> list[Request]:
    """Return the writes beside the reads of a changing collection."""
    return _patch(data, 0)


def _relations(_: Data, __: int) -> list[Request]:
    return [Request("GET", "/api/style-relations")]


def _colors(_: Data, __: int) -> list[Request]:
    return [Request("GET", "/api/colors?pageSize=100")]


def _measurement(data: Data, _: int) -> list[Request]:
    return [Request("GET", data.measurement)]


def _products(_: Data, __: int) -> list[Request]:
    return [Request("GET", "/api/products?channelId=1&pageSize=30")]


def _skus(_: Data, __: int) -> list[Request]:
    return [Request("GET", "/api/style-skus?pageSize=100")]


def _prices(_: Data, __: int) -> list[Request]:
    return [Request("GET", "/api/effective-prices?priceListId=1&pageSize=100")]


def _put_colors(data: Data, connection: int, every: int) -> list[Request]:
    """Return batches in which every n-th color differs from the other variant's, n = `every`.

    It gets another note, and every tenth color of the batch another group and a language less.
    """
    mine = list(enumerate(data.colors[connection * BATCH : (connection + 1) * BATCH]))
    return [
        _put("colors", [_color(data, color, v * (n % every == 0), n) for n, color in mine])
        for v in range(VARIANTS)
    ]


def _put_briefly(data: Data, connection: int, *, by_key: bool) -> list[Request]:
    """Return batches that change every color, with `Prefer: return=minimal`."""
    own = replace(data, colors=data.keyed)
    batches = [orjson.loads(request.body) for request in _put_colors(own, connection, every=1)]
    for item in (item for batch in batches for item in batch):
        item["userDefinedId"] = f"K-{item['id']}"
        if by_key:
            del item["id"]
    path = "colors?match=userDefinedId" if by_key else "colors"
    return [replace(_put(path, batch), headers=("Prefer: return=minimal",)) for batch in batches]


def _color(data: Data, color: int, variant: int, n: int) -> dict[str, Any]:
    moved = variant if n % 10 == 0 else 0
    indexes = [(color + k + moved) % len(data.groups) for k in range(3)]
    return {
        "id": color,
        "name": f"Heather {color}",
        "userDefinedId": f"B-{color}",
        "colorReference": f"19-{color} TCX",
        "colorNote": f"Lab dip {variant + 1} requested, runs darker on wool.",
        "state": "active",
        "colorGroupIds": [data.groups[index] for index in indexes],
        "languageIds": LANGUAGES[moved:],
    }


def _put_fields(data: Data, connection: int) -> list[Request]:
    mine = [*data.fields][connection * BATCH : (connection + 1) * BATCH]
    return [
        _put("style-custom-fields", [_field(data, field, v) for field in mine])
        for v in range(VARIANTS)
    ]


def _field(data: Data, field: int, variant: int) -> dict[str, Any]:
    """Return a field whose flag differs by variant; every tenth differs in a value and brands."""
    moved = variant if field % 10 == 0 else 0
    values = [
        {
            "id": value,
            "value": f"Option {n} {'revised' * (moved and n == 0)}",
            "userDefinedId": f"O-{n}",
        }
        for n, value in enumerate(data.fields[field])
    ]
    return {
        "id": field,
        "name": f"Trim detail {field}",
        "state": "active",
        "isMandatory": bool(variant),
        "allowedValues": values,
        "associatedBrands": [{"id": data.brands[moved]}, {"id": data.brands[2]}],
        "associatedGroups": [{"id": data.style_groups[field % 2]}],
    }


def _put(collection: str, items: list[dict[str, Any]]) -> Request:
    return Request("PUT", f"/api/{collection}", orjson.dumps(items))


def _patch(data: Data, connection: int) -> list[Request]:
    # From the end, so that in mixed load patches do not wait for batches, which begin at the start.
    path = f"/api/colors/{data.colors[-1 - connection]}"
    notes = [f"Lab dip {variant + 1} approved." for variant in range(VARIANTS)]
    bodies = [
        orjson.dumps([{"op": "replace", "path": "/colorNote", "value": note}]) for note in notes
    ]
    return [Request("PATCH", path, body, "application/json-patch+json") for body in bodies]


def _follow(_: Data, __: int) -> list[Request]:
    return [Request("GET", "/api/changes?limit=1000&documents=true")]


def _news(data: Data, _: int) -> list[Request]:
    return [Request("GET", f"/api/changes?cursor={data.now}")]


#: Ids far from those of the demo data, the same in every turn.
_FIRST_CATEGORY: Final = 10_000_000


def _categories(connections: int) -> str:
    return f"""
        insert into item_category (organization_id, id, name)
        select 1, {_FIRST_CATEGORY} + n, 'Category ' || n
        from generate_series(0, {connections * DELETES * BATCH - 1}) as n
        on conflict do nothing
    """


def _delete(_: Data, connection: int) -> list[Request]:
    first = _FIRST_CATEGORY + connection * DELETES * BATCH
    return [
        Request(
            "DELETE",
            f"/api/item-categories?{'&'.join(f'ids={n}' for n in range(low, low + BATCH))}",
        )
        for low in range(first, first + DELETES * BATCH, BATCH)
    ]
