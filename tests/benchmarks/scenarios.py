"""What is measured: for each scenario the requests of each connection."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import orjson

from tests.benchmarks.data import LANGUAGES, Data
from tests.benchmarks.load import Request

#: Bodies that each writing connection sends in turn.
VARIANTS = 2
BATCH = 200


@dataclass(frozen=True, slots=True)
class Scenario:
    """One kind of request, and how many connections send it."""

    name: str
    title: str
    connections: int
    requests: Callable[[Data, int], list[Request]]
    """The requests of the connection of that number, sent round and round."""
    peers: frozenset[str]
    """Who answers it beside Selvedge."""


def scenarios() -> Iterator[Scenario]:
    """Every scenario, in the order of the report."""
    peers = frozenset({"fastapi", "litestar", "fastify"})
    yield Scenario("relations", "list 30 style relations", 16, _relations, peers)
    yield Scenario("colors", "list 100 colors with groups and names", 16, _colors, peers)
    yield Scenario("put", "bulk PUT of 200 colors, every one changed", 8, _put_all, peers)
    yield Scenario("put-some", "bulk PUT of 200 colors, a tenth changed", 8, _put_some, peers)


def _relations(_: Data, __: int) -> list[Request]:
    return [Request("GET", "/api/style-relations")]


def _colors(_: Data, __: int) -> list[Request]:
    return [Request("GET", "/api/colors?pageSize=100")]


def _put_all(data: Data, connection: int) -> list[Request]:
    return [_put(data, connection, variant, every=1) for variant in range(VARIANTS)]


def _put_some(data: Data, connection: int) -> list[Request]:
    return [_put(data, connection, variant, every=10) for variant in range(VARIANTS)]


def _put(data: Data, connection: int, variant: int, every: int) -> Request:
    """A batch in which every so many colors differ from the other variant's.

    They get another note, and every tenth color of the batch another group and a language less.
    """
    mine = data.colors[connection * BATCH : (connection + 1) * BATCH]
    items = []
    for n, color in enumerate(mine):
        changed = variant if n % every == 0 else 0
        moved = changed if n % 10 == 0 else 0
        items.append(
            {
                "id": color,
                "name": f"Heather {color}",
                "userDefinedId": f"B-{color}",
                "colorReference": f"19-{color} TCX",
                "colorNote": f"Lab dip {changed + 1} requested, runs darker on wool.",
                "state": "active",
                "colorGroupIds": [data.groups[(color + k + moved) % len(data.groups)] for k in range(3)],
                "languageIds": LANGUAGES[moved:],
            }
        )
    return Request("PUT", "/api/colors", orjson.dumps(items))
