"""Tests of SKUs (contract, SKUs)."""

import asyncio
from typing import Any

import pytest

from tests.resources.test_style_colors import made, now
from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("SKUs")

PATH = "/api/style-skus"
MATCH = {"match": "sku"}
TAKEN, IN_USE = "conflict.duplicate", "conflict.in_use"
INVALID = "validation_error.invalid_value"


class Style:
    """A style in one color, with a size range of sizes S and M."""

    async def fill(self, api: Api) -> None:
        self.range = await made(api, "size-ranges", name="Alpha", userDefinedId="SK-R")
        sizes = await api.put(
            f"/api/size-ranges/{self.range}/sizes", [{"name": "S"}, {"name": "M"}]
        )
        self.small, self.medium = (size["id"] for size in sizes.data)
        self.style = await made(api, "styles", number="SK-1", name="Jacket", sizeRangeId=self.range)
        self.path = f"/api/styles/{self.style}"
        self.color = await made(api, "colors", name="Navy", userDefinedId="SK-NVY")
        self.style_color = await made(
            api, "style-colors", styleId=self.style, colorId=self.color, name="Midnight"
        )

    def sku(self, sku: str = "SK-1-NVY-S", **fields: Any) -> dict[str, Any]:
        pair = {"styleColorId": self.style_color, "sizeRangeSizeId": self.small}
        return {"sku": sku} | pair | fields


@pytest.fixture
async def style(api: Api) -> Style:
    filled = Style()
    await filled.fill(api)
    return filled


async def test_fields(api: Api, style: Style) -> None:
    """Style, color and size show their names, and renames show in the feed."""
    answer = await api.post(PATH, style.sku(netWeight="412.50"))
    location, record = answer.headers["Location"], answer.data["id"]
    shown = {"styleId": style.style, "styleNumber": "SK-1", "colorId": style.color}
    shown |= {"colorName": "Navy", "sizeName": "S", "gtin": None}
    assert answer.data == {
        "id": record,
        **style.sku(),
        **shown,
        "netWeight": 412.5,
        "state": "active",
    }
    queries = (
        "style.number=SK-1",
        "color.userDefinedId=SK-NVY",
        "q=sk-1-nvy",
        "sku=SK-1-NVY-S&sizeName=S",
    )
    for query in (*queries, f"styleColor.id={style.style_color}"):
        assert [row["id"] for row in (await api.get(f"{PATH}?{query}")).data] == [record], query
    bare = {"sku": "SK-NEW", "state": "inactive"}
    replaced = (await api.put(location, bare)).data
    assert replaced == {"id": record, **style.sku(), **shown, "netWeight": None} | bare
    cursor = await now(api)
    await api.patch(style.path, replacing("/number", "SK-2"))
    await api.patch(f"/api/colors/{style.color}", replacing("/name", "Ink"))
    sizes = [{"id": style.small, "name": "Small"}, {"id": style.medium, "name": "M"}]
    await api.put(f"/api/size-ranges/{style.range}/sizes", sizes)
    changes = (await api.get("/api/changes", {"cursor": cursor})).data
    of_skus = [row["recordId"] for row in changes if row["collection"] == "style-skus"]
    assert of_skus == [record] * 3
    renamed = (await api.get(location)).data
    assert [renamed[name] for name in ("styleNumber", "colorName", "sizeName")] == [
        *("SK-2", "Ink", "Small")
    ]


@pytest.mark.contract("Own keys", "References")
async def test_by_keys_alone(api: Api, style: Style) -> None:
    """The style color is named by two key objects, and unknown ones are errors at the field."""
    color = {"styleId": {"number": "SK-1"}, "colorId": {"userDefinedId": "SK-NVY"}}
    size = {"sizeRangeId": {"userDefinedId": "SK-R"}, "name": "M"}
    item = {"sku": "SK-K", "styleColorId": color, "sizeRangeSizeId": size, "state": "active"}
    for expected in ("created", "unchanged"):
        [row] = (await api.put(PATH, [item], params=MATCH)).data
        assert (row["outcome"], row["key"]) == (expected, "SK-K")
    ids = [{"styleId": style.style}, {"colorId": style.color}]
    for mixed in ids:
        again = item | {"styleColorId": color | mixed}
        assert (await api.put(PATH, [again], params=MATCH)).data[0]["outcome"] == "unchanged"
    stored = (await api.get(f"{PATH}/sku=SK-K")).data
    assert (stored["styleColorId"], stored["sizeRangeSizeId"]) == (style.style_color, style.medium)
    other = await made(api, "colors", name="Sage", userDefinedId="SK-SAGE")
    unknown = [("validation_error.unknown_reference", "[0].styleColorId")]
    for wrong in ({"colorId": {"userDefinedId": "?"}}, {"styleId": {"number": "?"}},
                  {"colorId": other}, {"colorId": {"userDefinedId": "SK-SAGE"}}):  # fmt: skip
        answer = await api.put(
            PATH, [item | {"sku": "X", "styleColorId": color | wrong}], params=MATCH
        )
        assert answer.details == unknown, wrong


async def test_sku_and_pair_are_always_unique(api: Api, style: Style) -> None:
    """Reported at the field, of a restore at ``state`` for the pair."""
    first = await made(api, "style-skus", **style.sku("A"))
    both = await api.post(PATH, style.sku("A"))
    assert both.details == [(TAKEN, "sku"), (TAKEN, "sizeRangeSizeId")]
    twice = [style.sku(sku, sizeRangeSizeId=style.medium) for sku in ("B", "C")]
    duplicate = "validation_error.duplicate"
    assert (await api.post(PATH, twice)).details == [(duplicate, "[1].sizeRangeSizeId")]
    spaced = await api.post(PATH, style.sku(" B", sizeRangeSizeId=style.medium))
    assert spaced.details == [(INVALID, "sku")]
    await api.delete(f"{PATH}/{first}")
    second = await made(api, "style-skus", **style.sku("A"))
    restored = await api.patch(f"{PATH}/{first}", replacing("/state", "active"))
    assert restored.details == [(TAKEN, "sku"), (TAKEN, "state")]
    fixed = await api.put(
        f"{PATH}/{second}", style.sku("A", sizeRangeSizeId=style.medium, state="active")
    )
    assert fixed.details == [("validation_error.read_only_field", "sizeRangeSizeId")]


async def test_two_writers_make_one(api: Api, style: Style) -> None:
    """Of two requests with one pair or one sku, one is 201 and the other 409."""
    bodies = [
        (style.sku("P"), style.sku("Q")),
        (style.sku("P"), style.sku("P", sizeRangeSizeId=style.medium)),
    ]
    for number in range(30):
        answers = await asyncio.gather(*(api.post(PATH, body) for body in bodies[number % 2]))
        assert sorted(answer.status for answer in answers) == [201, 409]
        [record] = [answer.data["id"] for answer in answers if answer.status == 201]
        await api.delete(f"{PATH}/{record}")


async def test_the_size_is_an_active_one_of_the_styles_range(api: Api, style: Style) -> None:
    other = await made(api, "size-ranges", name="Other")
    [foreign] = (await api.put(f"/api/size-ranges/{other}/sizes", [{"name": "L"}])).data
    wrong = await api.post(PATH, style.sku(sizeRangeSizeId=foreign["id"]))
    assert wrong.details == [(INVALID, "sizeRangeSizeId")]
    message = "L is not a size of the style's size range."
    assert wrong.json["error"]["details"][0]["value"] == message
    unknown = await api.post(PATH, style.sku(sizeRangeSizeId=2**40))
    assert unknown.details == [("validation_error.unknown_reference", "sizeRangeSizeId")]
    record = await made(api, "style-skus", **style.sku())
    await api.delete(f"{PATH}/{record}")
    # A deleted SKU keeps its size, as a deactivated one, with which it is not restored.
    sizes = f"/api/size-ranges/{style.range}/sizes"
    left = (await api.put(sizes, [{"name": "M"}])).data
    assert [(size["name"], size["isDeactivated"]) for size in left] == [("S", True), ("M", False)]
    deactivated = await api.post(PATH, style.sku())
    assert deactivated.details == [(INVALID, "sizeRangeSizeId")]
    assert deactivated.json["error"]["details"][0]["value"] == "S is deactivated."
    restored = await api.patch(f"{PATH}/{record}", replacing("/state", "active"))
    assert restored.details == [(INVALID, "state")]
    await api.patch(style.path, replacing("/sizeRangeId", None))
    without = await api.post(PATH, style.sku(sizeRangeSizeId=style.medium))
    assert without.details == [("conflict.incomplete", "sizeRangeSizeId")]


async def test_what_live_skus_protect(api: Api, style: Style) -> None:
    """Their style, style color and size range; the style's size range stays, too."""
    record = await made(api, "style-skus", **style.sku())
    color = f"/api/style-colors/{style.style_color}"
    for path in (style.path, color):
        refused = await api.delete(path)
        assert refused.details == [(IN_USE, "id")]
        message = f'Used by style skus: 1 ({record} "SK-1-NVY-S").'
        assert refused.json["error"]["details"][0]["value"] == message
    refused = await api.delete(f"/api/size-ranges/{style.range}")
    assert f'style skus: 1 ({record} "SK-1-NVY-S")' in refused.json["error"]["details"][0]["value"]
    for value in (None, await made(api, "size-ranges", name="Other")):
        changed = await api.patch(style.path, replacing("/sizeRangeId", value))
        assert changed.details == [(IN_USE, "sizeRangeId")]
    assert (await api.patch(style.path, replacing("/name", "Coat"))).status == 200
    sizes = (await api.put(f"/api/size-ranges/{style.range}/sizes", [{"name": "M"}])).data
    assert [(size["name"], size["isDeactivated"]) for size in sizes] == [("S", True), ("M", False)]
    assert (await api.put(f"{PATH}/{record}", {"sku": "SK-N", "state": "inactive"})).status == 200
    await api.delete(f"{PATH}/{record}")
    assert (await api.patch(style.path, replacing("/sizeRangeId", None))).status == 200
    assert [(await api.delete(path)).status for path in (color, style.path)] == [200, 200]
    restored = await api.patch(f"{PATH}/{record}", replacing("/state", "active"))
    unknown = "validation_error.unknown_reference"
    assert (unknown, "state") in restored.details


async def test_a_size_range_does_not_change_beside_a_new_sku(api: Api, style: Style) -> None:
    """Of two concurrent writes, one is refused."""
    for _ in range(10):
        answers = await asyncio.gather(
            api.post(PATH, style.sku()), api.patch(style.path, replacing("/sizeRangeId", None))
        )
        created, changed = (answer.status for answer in answers)
        assert (created, changed) in {(201, 409), (409, 200)}
        if created == 201:
            await api.delete(f"{PATH}/{answers[0].data['id']}")
        await api.patch(style.path, replacing("/sizeRangeId", style.range))
