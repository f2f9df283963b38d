"""Race tests of what is unique in an assortment: of two writers at once, one gets 409.

``TEST_RACES`` sets the number of races of each kind.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

import asyncpg
import pytest

from service.schemas.formats import check_digit
from tests.resources.test_style_colors import made
from tests.support.api import Answer, Api, replacing
from tests.support.rows import wait_for_waiters
from tests.support.transactions import entry, send

pytestmark = pytest.mark.contract("Transactions")

RACES: Final = int(os.environ.get("TEST_RACES") or "12")
DUPLICATE, OVERLAP = "conflict.duplicate", "conflict.overlap"
_SIZES: Final = 40
_SEED: Final = 38


class Bodies:
    """Bodies of new records; those of one race collide, those of two races do not."""

    def __init__(self, colors: list[int], sizes: list[int]) -> None:
        self._pairs = [
            {"styleColorId": color, "sizeRangeSizeId": size} for color in colors for size in sizes
        ]

    def pair(self, race: int, writer: int) -> dict[str, Any]:
        return {"sku": f"RACE-{race}-{writer}"} | self._pairs[race % len(self._pairs)]

    def sku(self, race: int, writer: int) -> dict[str, Any]:
        return {"sku": f"RACE-{race}"} | self._pairs[(2 * race + writer) % len(self._pairs)]

    def gtin(self, race: int, writer: int) -> dict[str, Any]:
        digits = f"9520{race:07}"
        number = digits + check_digit(digits)
        return {"barcode": number, "isPrimary": None, "type": (None, "gtin12")[writer]}

    def range(self, race: int, writer: int) -> dict[str, Any]:
        """Return ranges of one prefix that have some references in common."""
        first, last = 40 * writer, 50 + 40 * writer
        own = {"name": f"Race {race}", "type": "gtin13", "companyPrefix": f"9{race:06}"}
        return own | {"firstReference": first, "lastReference": last}


_KINDS: Final[Mapping[str, tuple[str, str, str, Callable[..., dict[str, Any]]]]] = {
    "pair": ("style-skus", DUPLICATE, "sizeRangeSizeId", Bodies.pair),
    "sku": ("style-skus", DUPLICATE, "sku", Bodies.sku),
    "gtin": ("barcodes", DUPLICATE, "barcode", Bodies.gtin),
    "range": ("barcode-ranges", OVERLAP, "firstReference", Bodies.range),
}


@pytest.fixture
async def bodies(api: Api) -> Bodies:
    range_id = await made(api, "size-ranges", name="Races")
    names = [{"name": f"Size {number}"} for number in range(_SIZES)]
    sizes = await api.put(f"/api/size-ranges/{range_id}/sizes", names)
    style = await made(api, "styles", number="RACE", name="Race", sizeRangeId=range_id)
    colors = (await api.post("/api/colors", [{"name": f"Race {n}"} for n in range(5)])).data
    pairs = [{"styleId": style, "colorId": color["id"]} for color in colors]
    style_colors = (await api.post("/api/style-colors", pairs)).data
    return Bodies([row["id"] for row in style_colors], [size["id"] for size in sizes.data])


@pytest.mark.parametrize("kind", _KINDS)
async def test_one_of_two_writers_wins(kind: str, api: Api, bodies: Bodies) -> None:
    """The other one gets a conflict, and there is one record, whatever forms the requests have."""
    collection, conflict, member, body = _KINDS[kind]
    path, random, wins = f"/api/{collection}", Random(_SEED), [0, 0]

    async def write(race: int, writer: int) -> Answer:
        await asyncio.sleep(random.uniform(0, 0.004))
        sent = body(bodies, race, writer)
        form = random.choice(("single", "bulk", "by key"))
        if form == "by key" and kind == "pair":
            return await api.put(path, [sent | {"state": "active"}], params={"match": "sku"})
        return await api.post(path, sent if form == "single" else [sent])

    for race in range(RACES):
        answers = await asyncio.gather(write(race, 0), write(race, 1))
        statuses = [answer.status for answer in answers]
        won, lost = answers if statuses[1] == 409 else answers[::-1]
        assert (won.status // 100, lost.status) == (2, 409), [answer.raw for answer in answers]
        [(type_, field)] = lost.details
        assert (type_, str(field).removeprefix("[0].")) == (conflict, member), lost.raw
        wins[answers.index(won)] += 1
        record = won.data[0] if isinstance(won.data, list) else won.data
        same = await api.get(path, _query(kind, body(bodies, race, 0)))
        assert [row["id"] for row in same.data] == [record["id"]]
        if kind != "gtin":
            assert (await api.delete(f"{path}/{record['id']}")).status == 200
    assert RACES < 100 or min(wins) > RACES // 10, wins


def _query(kind: str, sent: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the filter that finds the records that collide with those of a race."""
    name = {"sku": "sku", "gtin": "barcode", "range": "companyPrefix"}.get(kind, "styleColorId")
    names = [name, "sizeRangeSizeId"] if kind == "pair" else [name]
    return [(name, sent[name]) for name in names]


_FILE: Final = {"category": "image", "url": "https://example.com/a.jpg"}
_WRITTEN: Final = {
    "files": ("styleId", "fileName", "category", "url"),
    "barcodes": ("barcode", "type", "styleSkuId"),
}
_CHOICES: Final = ("replace", "patch", "bulk", "by key", "transaction")


async def _chosen(kind: str, api: Api, bodies: Bodies) -> tuple[str, str, str, str, dict[str, Any]]:
    """Return two tables and a path, the field of the choice, and a record that is not chosen."""
    if kind == "files":
        style = await made(api, "styles", number="CHOICE", name="Vest")
        bodies_of = [{"styleId": style, "fileName": name} | _FILE for name in ("a.jpg", "b.jpg")]
        _, second = (await api.post("/api/style-files", bodies_of)).data
        assert not second["isMain"]
        return "style", "style_file", "style-files", "isMain", second
    sku = await made(api, "style-skus", **bodies.sku(0, 0))
    numbers = ("96385074", "4006381333931")
    given = [{"barcode": number, "styleSkuId": sku} for number in numbers]
    first, second = (await api.post("/api/barcodes", given)).data
    assert (first["isPrimary"], second["isPrimary"]) == (True, False)
    return "style_sku", "barcode", "barcodes", "isPrimary", second


@pytest.mark.parametrize("form", _CHOICES)
@pytest.mark.parametrize("kind", ["files", "barcodes"])
async def test_the_parent_of_a_choice_is_locked_before_its_records(
    kind: str, form: str, api: Api, bodies: Bodies, shared_dsn: str
) -> None:
    """Two writers of one style or SKU would else wait for each other's records."""
    parent, table, path, field, record = await _chosen(kind, api, bodies)
    parent_id = record["styleId" if kind == "files" else "styleSkuId"]
    whole = {name: value for name, value in record.items() if name in _WRITTEN[kind]}
    whole |= {field: True, "state": "active"}
    key = "fileName" if kind == "files" else "barcode"
    by_id = whole | {"id": record["id"]}
    requests: dict[str, Callable[[], Any]] = {
        "replace": lambda: api.put(f"/api/{path}/{record['id']}", whole),
        "patch": lambda: api.patch(f"/api/{path}/{record['id']}", replacing(f"/{field}", True)),
        "bulk": lambda: api.put(f"/api/{path}", [by_id]),
        "by key": lambda: api.put(f"/api/{path}", [whole], params={"match": key}),
        "transaction": lambda: send(api, [entry(path, **whole)]),
    }
    holder = await asyncpg.connect(shared_dsn)
    async with holder.transaction():
        lock = f"select id from {parent} where organization_id = $1 and id = $2 for no key update"
        await holder.execute(lock, api.organization_id, parent_id)
        writer = asyncio.create_task(requests[form]())
        await wait_for_waiters(shared_dsn)
        free = f"select id from {table} where organization_id = $1 and id = $2 for update nowait"
        assert await holder.fetchval(free, api.organization_id, record["id"]) == record["id"]
    await holder.close()
    answer = await writer
    assert answer.status == 200, answer.raw
    assert (await api.get(f"/api/{path}/{record['id']}")).data[field] is True
