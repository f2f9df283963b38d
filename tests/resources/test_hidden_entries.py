"""Tests of entries that a deleted style color hides: they count for nothing (contract, States)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from tests.support.api import Api
from tests.support.changes import Follower
from tests.support.judged_style import made

pytestmark = pytest.mark.contract("States", "Style colors")

UNKNOWN: Final = "validation_error.unknown_reference"
STYLE: Final = {"number": "HID-1", "name": "Jacket", "state": "active"}
ACTIVE: Final = {"state": "active"}


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry of a part that names a style color, and a record that only this entry needs."""

    target: str
    """Path of the record."""
    part: str
    """Path of the part, below the style."""
    body: Any
    count: str = ""
    """Field of the record that counts styles, if it has one."""


async def price(api: Api, color: int) -> Entry:
    price_list = await made(api, "price-lists", name="RRP", type="retail", currencyCode="EUR")
    body = {"prices": [{"styleColorId": color, "amount": "1"}]}
    return Entry(f"price-lists/{price_list}", f"prices/{price_list}", body, "usedInPrices")


async def value(api: Api, color: int) -> Entry:
    field = await made(api, "style-custom-fields", name="Note", type="text", diffPerColor=True)
    body = [{"customFieldId": field, "styleColorId": color, "text": "soft"}]
    return Entry(f"style-custom-fields/{field}", "custom-field-values", body)


async def icon(api: Api, color: int) -> Entry:
    icon_id = await made(api, "care-instruction-icons", text="Wash")
    body = [{"styleColorId": color, "careInstructionIconIds": [icon_id]}]
    return Entry(f"care-instruction-icons/{icon_id}", "care-instructions", body)


async def material(api: Api, color: int) -> Entry:
    layer = await made(api, "care-instruction-layers", text="Shell")
    material_id = await made(api, "care-instruction-materials", text="Cotton")
    materials = [{"careInstructionMaterialId": material_id, "percentage": "100"}]
    layers = [{"careInstructionLayerId": layer, "materials": materials}]
    body = [{"styleColorId": color, "layers": layers}]
    return Entry(f"care-instruction-materials/{material_id}", "care-instructions", body)


async def layer(api: Api, color: int) -> Entry:
    layer_id = await made(api, "care-instruction-layers", text="Shell")
    body = [{"styleColorId": color, "layers": [{"careInstructionLayerId": layer_id}]}]
    return Entry(f"care-instruction-layers/{layer_id}", "care-instructions", body)


async def color_of_line(api: Api, color: int) -> Entry:
    item = await made(api, "items", number="HID-1", name="Snap")
    color_id = await made(api, "colors", name="Silver")
    body = [{"itemId": item, "colors": [{"styleColorId": color, "colorId": color_id}]}]
    return Entry(f"colors/{color_id}", "items", body)


async def item_of_line(api: Api, color: int) -> Entry:
    items = [await made(api, "items", number=f"HID-{n}", name="Snap") for n in (1, 2)]
    body = [{"itemId": items[0], "colors": [{"styleColorId": color, "itemId": items[1]}]}]
    return Entry(f"items/{items[1]}", "items", body, "usedInStyles")


KINDS: Final = [price, value, icon, material, layer, color_of_line, item_of_line]
CHECKED: Final = [kind for kind in KINDS if kind is not item_of_line]
"""Kinds whose records a restore needs; lines keep deleted items."""
Kind = Callable[[Api, int], Awaitable[Entry]]


class Hidden:
    """A style with a color that an entry names."""

    def __init__(self, api: Api) -> None:
        self.api = api

    async def create(self, kind: Kind) -> None:
        number, name = STYLE["number"], STYLE["name"]
        style = await made(self.api, "styles", number=number, name=name)
        navy = await made(self.api, "colors", name="Navy")
        color = await made(self.api, "style-colors", styleId=style, colorId=navy)
        self.style, self.color = f"/api/styles/{style}", f"/api/style-colors/{color}"
        self.entry = await kind(self.api, color)
        self.target = f"/api/{self.entry.target}"
        self.part = f"{self.style}/{self.entry.part}"
        assert (await self.api.put(self.part, self.entry.body)).status == 200

    async def delete(self, path: str) -> None:
        answer = await self.api.delete(path)
        assert answer.status == 200, answer.raw

    async def restore_target(self) -> None:
        merge = {"content_type": "application/merge-patch+json"}
        assert (await self.api.patch(self.target, ACTIVE, **merge)).status == 200

    async def count(self) -> Any:
        return (await self.api.get(self.target)).data[self.entry.count]


@pytest.fixture
async def hidden(api: Api, kind: Kind) -> Hidden:
    style = Hidden(api)
    await style.create(kind)
    return style


@pytest.mark.parametrize("kind", KINDS)
async def test_hidden_entries_do_not_protect(hidden: Hidden) -> None:
    refused = await hidden.api.delete(hidden.target)
    assert (refused.status, refused.details) == (409, [("conflict.in_use", "id")])
    await hidden.delete(hidden.color)
    await hidden.delete(hidden.target)
    await hidden.delete(hidden.style)
    assert (await hidden.api.put(hidden.style, STYLE)).status == 200


@pytest.mark.parametrize("kind", CHECKED)
async def test_a_restored_color_shows_nothing_that_is_deleted(hidden: Hidden) -> None:
    before = (await hidden.api.get(hidden.part)).data
    await hidden.delete(hidden.color)
    await hidden.delete(hidden.target)
    refused = await hidden.api.put(hidden.color, ACTIVE)
    assert (refused.status, refused.details) == (400, [(UNKNOWN, "state")])
    await hidden.restore_target()
    assert (await hidden.api.put(hidden.color, ACTIVE)).status == 200
    assert (await hidden.api.get(hidden.part)).data == before


@pytest.mark.parametrize("kind", [price, item_of_line])
@pytest.mark.contract("Changes")
async def test_hidden_entries_do_not_count(hidden: Hidden) -> None:
    """The count changes with the color, and the feed says so; not with the style then."""
    entry = tuple(hidden.entry.target.split("/"))
    follower = Follower(hidden.api)

    async def changes() -> bool:
        rows = await follower.entries()
        return entry in [(row["collection"], str(row["recordId"])) for row in rows]

    await follower.begin()
    assert await hidden.count() == 1
    await hidden.delete(hidden.color)
    assert (await hidden.count(), await changes()) == (0, True)
    await hidden.delete(hidden.style)
    assert (await hidden.count(), await changes()) == (0, False)
    assert (await hidden.api.put(hidden.style, STYLE)).status == 200
    assert (await hidden.count(), await changes()) == (0, False)
    assert (await hidden.api.put(hidden.color, ACTIVE)).status == 200
    assert (await hidden.count(), await changes()) == (1, True)


@pytest.mark.parametrize("kind", [price])
async def test_prices_beside_hidden_ones_count(hidden: Hidden) -> None:
    await hidden.delete(hidden.color)
    follower = Follower(hidden.api)
    for prices, count in (([{"amount": "1"}], 1), ([], 0)):
        await follower.begin()
        assert (await hidden.api.put(hidden.part, {"prices": prices})).status == 200
        assert await hidden.count() == count
        assert "price-lists" in {row["collection"] for row in await follower.entries()}
