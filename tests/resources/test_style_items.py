"""Tests of the items of styles (contract, Items of styles)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.changes import Follower
from tests.support.offenders import in_each
from tests.support.valued_styles import Valued, valued_style

pytestmark = pytest.mark.contract("Items of styles")

UNKNOWN, INVALID = "validation_error.unknown_reference", "validation_error.invalid_value"
DUPLICATE, OUT = "validation_error.duplicate", "validation_error.out_of_range"
IN_USE = "conflict.in_use"
NONE = {
    **dict.fromkeys(("placement", "careInstructionLayerId", "quantity", "unit", "wastagePercent")),
    **dict.fromkeys(("effectiveUnit", "grossQuantity", "supplierId", "sortOrder", "comment")),
    "isPrimary": False,
}


class Bill(Valued):
    """A style, and the items of which it is made."""

    items: list[int]

    @property
    def path(self) -> str:
        return f"/api/styles/{self.style}/items"

    async def read(self) -> Any:
        return (await self.api.get(self.path)).data

    async def item(self, index: int) -> Any:
        return (await self.api.get(f"/api/items/{self.items[index]}")).data


@pytest.fixture
async def bill(api: Api) -> Bill:
    valued = await valued_style(api)
    made = Bill(api, valued.style, valued.colors, valued.sizes)
    made.items = [
        await made.made("items", number=f"I-{n}", name=f"Item {n}", unit="m") for n in range(3)
    ]
    return made


async def test_lines_match_by_item_and_placement(bill: Bill) -> None:
    """A writable form changes nothing, and gross quantities are exact."""
    shell, button, _ = bill.items
    sent: list[dict[str, Any]] = [
        {"itemId": shell, "quantity": "1.2345", "wastagePercent": "5.25", "isPrimary": True},
        {"itemId": {"number": "I-1"}, "placement": "Cuff", "quantity": 4, "unit": "pc"},
        {"itemId": button, "placement": "Front", "sortOrder": 1, "comment": "Sewn by hand"},
    ]
    stored = (await bill.api.put(bill.path, sent)).data
    ids = [line["id"] for line in stored]
    shown = {"itemNumber": "I-1", "itemName": "Item 1", "colors": [], "sizes": []}
    assert stored == [
        {**NONE, "id": ids[0], **sent[2], **shown, "effectiveUnit": "m"},
        {
            **NONE,
            **sent[0],
            **shown,
            "id": ids[1],
            "itemNumber": "I-0",
            "itemName": "Item 0",
            "effectiveUnit": "m",
            "quantity": 1.2345,
            "wastagePercent": 5.25,
            "grossQuantity": 1.29931125,
        },
        {
            **NONE,
            "id": ids[2],
            **sent[1],
            **shown,
            "itemId": button,
            "effectiveUnit": "pc",
            "grossQuantity": 4,
        },
    ]
    follower = Follower(bill.api)
    await follower.begin()
    form = (await bill.api.get(bill.path, {"form": "writable"})).data
    assert form[1]["quantity"] == "1.2345"
    assert (await bill.api.put(bill.path, form[::-1])).data == stored
    assert await follower.entries() == []
    moved = [{"itemId": button, "placement": "Hem"}, {"itemId": button, "placement": "Cuff"}]
    again = (await bill.api.put(bill.path, moved)).data
    assert [(line["id"], line["placement"]) for line in again] == [
        (ids[2], "Cuff"),
        (ids[0], "Hem"),
    ]
    merge = {"styleId": bill.style, "lines": {str(ids[2]): {"quantity": 2, "colors": None}}}
    [merged] = (await bill.api.patch("/api/style-items", [merge])).data
    assert [line["quantity"] for line in merged["lines"]] == [2, None]
    change = {"styleId": {"number": "T-1"}, "lines": {"I-1": {"quantity": 3}}}
    answer = await bill.api.patch("/api/style-items", [change])
    assert answer.details == [("conflict.ambiguous_key", "[0].lines.I-1")]


@pytest.mark.contract("Part collections")
@in_each(
    ("line", "error", "member"),
    [
        ({"itemId": 2**40}, UNKNOWN, "itemId"),
        ({"quantity": -1}, OUT, "quantity"),
        ({"quantity": "0.00001"}, INVALID, "quantity"),
        ({"wastagePercent": 100.01}, OUT, "wastagePercent"),
        ({"wastagePercent": "0.001"}, INVALID, "wastagePercent"),
        ({"placement": "x" * 201}, "validation_error.too_long", "placement"),
        ({"supplierId": 2**40}, UNKNOWN, "supplierId"),
        ({"careInstructionLayerId": {"userDefinedId": "?"}}, UNKNOWN, "careInstructionLayerId"),
        ({"colors": [{"styleColorId": 2}]}, INVALID, "colors[0].styleColorId"),
        ({"colors": [{"styleColorId": 9}]}, UNKNOWN, "colors[0].styleColorId"),
        ({"colors": [{"styleColorId": 0}] * 2}, DUPLICATE, "colors[1].styleColorId"),
        (
            {"colors": [{"styleColorId": 0, "isOmitted": True, "colorId": 2**40}]},
            INVALID,
            "colors[0].isOmitted",
        ),
        ({"colors": [{"styleColorId": 0, "itemId": 2**40}]}, UNKNOWN, "colors[0].itemId"),
        ({"sizes": [{"size": 2, "quantity": 1}]}, INVALID, "sizes[0].sizeRangeSizeId"),
        ({"sizes": [{"size": 9, "quantity": 1}]}, UNKNOWN, "sizes[0].sizeRangeSizeId"),
        ({"sizes": [{"size": 0, "quantity": 1}] * 2}, DUPLICATE, "sizes[1].sizeRangeSizeId"),
        ({"sizes": [{"size": 0}]}, "validation_error.required_field", "sizes[0].quantity"),
    ],
)
async def test_errors(bill: Bill, line: Any, error: str, member: str) -> None:
    """Style colors and sizes are named by their position, a size in ``size``."""
    sent = {"itemId": bill.items[0], **line}
    if "colors" in sent:
        colors = [*bill.colors, *[2**40] * 6]
        sent["colors"] = [e | {"styleColorId": colors[e["styleColorId"]]} for e in sent["colors"]]
    if "sizes" in sent:
        sizes = [*bill.sizes, *[2**40] * 6]
        sent["sizes"] = [{**e, "sizeRangeSizeId": sizes[e["size"]]} for e in sent["sizes"]]
        for entry in sent["sizes"]:
            del entry["size"]
    answer = await bill.api.put(bill.path, [sent])
    assert answer.details == [(error, f"[0].{member}")]
    answer = await bill.api.put("/api/style-items", [{"styleId": bill.style, "lines": [sent]}])
    assert answer.details == [(error, f"[0].lines[0].{member}")]


async def test_a_bill_has_one_primary_line(bill: Bill) -> None:
    lines = [{"itemId": item, "isPrimary": True} for item in bill.items[:2]]
    answer = await bill.api.put(bill.path, lines)
    assert answer.details == [(DUPLICATE, "[1].isPrimary")]
    flags: dict[str, Any] = {"0": {"isPrimary": False}, "1": {"isPrimary": True}, ".": {}}
    for sent, primary in (("01", "01"), ("..", "01"), ("1.", "10"), ("..", "10"), ("0.", "00")):
        lines = [{"itemId": item} | flags[f] for item, f in zip(bill.items, sent, strict=False)]
        assert (await bill.api.put(bill.path, lines)).status == 200
        assert [line["isPrimary"] for line in await bill.read()] == [f == "1" for f in primary]


async def test_lines_differ_by_color_and_size(bill: Bill) -> None:
    """Sizes that have become inactive stay in the line that has them, in no other one."""
    navy, red = bill.colors[:2]
    color = await bill.made("colors", name="Gold")
    line = {
        "itemId": bill.items[0],
        "colors": [
            {"styleColorId": red, "isOmitted": True},
            {"styleColorId": navy, "colorId": color, "itemId": {"number": "I-2"}},
        ],
        "sizes": [
            {"sizeRangeSizeId": bill.sizes[1], "quantity": "2.50"},
            {"sizeRangeSizeId": bill.sizes[0], "quantity": 2},
        ],
    }
    [stored] = (await bill.api.put(bill.path, [line])).data
    assert stored["colors"] == [
        {"styleColorId": navy, "colorId": color, "itemId": bill.items[2], "isOmitted": False},
        {"styleColorId": red, "colorId": None, "itemId": None, "isOmitted": True},
    ]
    assert stored["sizes"] == [
        {"sizeRangeSizeId": bill.sizes[0], "quantity": 2},
        {"sizeRangeSizeId": bill.sizes[1], "quantity": 2.5},
    ]
    style = (await bill.api.get(f"/api/styles/{bill.style}")).data
    sizes = f"/api/size-ranges/{style['sizeRangeId']}/sizes"
    [left] = [s for s in (await bill.api.get(sizes)).data if s["id"] == bill.sizes[1]]
    remaining = {s["id"]: s["isDeactivated"] for s in (await bill.api.put(sizes, [left])).data}
    assert remaining == {bill.sizes[0]: True, bill.sizes[1]: False}
    lines = [line | {"id": stored["id"], "comment": "x"}, line]
    answer = await bill.api.put(bill.path, lines)
    assert answer.details == [(INVALID, "[1].sizes[1].sizeRangeSizeId")]
    assert (await bill.api.put(bill.path, lines[:1])).status == 200
    answer = await bill.api.delete(f"/api/size-ranges/{style['sizeRangeId']}")
    assert answer.details == [(IN_USE, "id")]
    assert f'style items: 1 ({bill.style} "T-1")' in answer.raw.decode().replace('\\"', '"')


@pytest.mark.contract("Changes")
async def test_the_feed_has_changes_of_entries_and_of_counts(bill: Bill) -> None:
    """Items count the live styles that use them, in lines or in some color of these."""
    follower = Follower(bill.api)
    await follower.begin()

    async def changes() -> list[tuple[str, Any, str]]:
        entries = await follower.entries()
        return sorted((e["collection"], e["recordId"], e["operation"]) for e in entries)

    parts, (first, second, third) = "style-items", bill.items
    line: dict[str, Any] = {"itemId": first}
    await bill.api.put(bill.path, [line, line | {"placement": "Hem"}])
    assert await changes() == [("items", first, "updated"), (parts, bill.style, "created")]
    color = {"styleColorId": bill.colors[0], "itemId": third}
    line["sizes"] = [{"sizeRangeSizeId": bill.sizes[0], "quantity": 1}]
    await bill.api.put(bill.path, [line | {"colors": [color]}, {"itemId": second}])
    assert await changes() == [
        ("items", second, "updated"),
        ("items", third, "updated"),
        (parts, bill.style, "updated"),
    ]
    line["sizes"][0]["quantity"] = 2
    await bill.api.put(bill.path, [line | {"colors": [color]}, {"itemId": second}])
    assert await changes() == [(parts, bill.style, "updated")]
    assert [(await bill.item(n))["usedInStyles"] for n in range(3)] == [1, 1, 1]
    assert (await bill.api.get("/api/items", {"usedInStyles": 1, "number": "I-2"})).data
    await bill.api.patch(f"/api/items/{second}", replacing("/name", "Zipper"))
    assert await changes() == [("items", second, "updated"), (parts, bill.style, "updated")]
    assert "Zipper" in [shown["itemName"] for shown in await bill.read()]
    style = f"/api/styles/{bill.style}"
    await bill.api.delete(style)
    items = [entry[1] for entry in await changes() if entry[0] == "items"]
    assert items == [first, second, third]
    assert [(await bill.item(n))["usedInStyles"] for n in range(3)] == [0, 0, 0]
    await bill.api.put(bill.path, [line])
    assert await changes() == [(parts, bill.style, "updated")], "items count live styles"
    await bill.api.patch(style, replacing("/state", "active"))
    items = [entry[1] for entry in await changes() if entry[0] == "items"]
    assert items == [first]
    await bill.api.put(bill.path, [])
    assert await changes() == [("items", first, "updated"), (parts, bill.style, "deleted")]


async def test_a_deleted_style_color_hides_what_differs_in_it(bill: Bill) -> None:
    color = {"styleColorId": bill.colors[0], "isOmitted": True}
    line: dict[str, Any] = {"itemId": bill.items[0], "colors": [color]}
    [stored] = (await bill.api.put(bill.path, [line])).data
    follower = Follower(bill.api, collection="style-items")
    await follower.begin()
    navy = f"/api/style-colors/{bill.colors[0]}"
    await bill.api.delete(navy)
    assert [shown["colors"] for shown in await bill.read()] == [[]]
    assert (await bill.api.put(bill.path, [line])).details == [
        (UNKNOWN, "[0].colors[0].styleColorId")
    ]
    await bill.api.put(bill.path, [line | {"colors": None, "comment": "x"}])
    await bill.api.patch(navy, replacing("/state", "active"))
    assert await bill.read() == [stored | {"comment": "x"}]
    assert [entry["operation"] for entry in await follower.entries()] == ["updated"] * 3


@pytest.mark.contract("States")
async def test_live_styles_protect_what_lines_refer_to(bill: Bill) -> None:
    """A stored reference to a deleted item may stay; a restore needs the others."""
    supplier = await bill.made("suppliers", name="Mill")
    layer = await bill.made("care-instruction-layers", text="Lining")
    color = await bill.made("colors", name="Gold")
    differs = {"styleColorId": bill.colors[0], "colorId": color, "itemId": bill.items[1]}
    line = {
        "itemId": bill.items[0],
        "supplierId": supplier,
        "careInstructionLayerId": layer,
        "colors": [differs],
    }
    await bill.api.put(bill.path, [line, line | {"placement": "Hem"}])
    style = f"/api/styles/{bill.style}"
    used = [
        *(f"/api/items/{item}" for item in bill.items[:2]),
        *(f"/api/suppliers/{supplier}", f"/api/colors/{color}"),
        f"/api/care-instruction-layers/{layer}",
    ]
    for path in used:
        answer = await bill.api.delete(path)
        assert answer.details == [(IN_USE, "id")], path
        assert (
            f'style items: 1 ({bill.style} "T-1").' in answer.json["error"]["details"][0]["value"]
        )
    assert (await bill.api.delete(style)).status == 200
    for path in used:
        assert (await bill.api.delete(path)).status == 200, path
    restore = replacing("/state", "active")
    for path in used[2:]:
        assert (await bill.api.patch(style, restore)).details == [(UNKNOWN, "state")]
        assert (await bill.api.patch(path, restore)).status == 200
    assert (await bill.api.patch(style, restore)).status == 200
    form = (await bill.api.get(bill.path, {"form": "writable"})).data
    form[0]["comment"] = "x"
    assert (await bill.api.put(bill.path, form)).status == 200
    answer = await bill.api.put(bill.path, [{"itemId": bill.items[0], "placement": "New"}])
    assert answer.status == 200
    answer = await bill.api.put(bill.path, [{"itemId": bill.items[1]}])
    assert answer.details == [(UNKNOWN, "[0].itemId")]
