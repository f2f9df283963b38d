"""Tests of the largest styles: a bill of 200 lines in 30 colors, and 5,000 custom field values."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.valued_styles import Valued, valued_style

COLORS, LINES, FIELDS, VALUES = 30, 200, 84, 5000


@pytest.fixture
async def large(api: Api) -> Valued:
    """A style in 30 colors and two sizes, with 84 fields that differ per color and size."""
    style = await valued_style(api)
    names = [{"name": f"Color {n}"} for n in range(COLORS - 2)]
    colors = (await api.post("/api/colors", names)).data
    added = [{"styleId": style.style, "colorId": color["id"]} for color in colors]
    made = await api.post("/api/style-colors", added)
    style.colors = [*style.colors[:2], *(color["id"] for color in made.data)]
    style.sizes = style.sizes[:2]
    for n in range(FIELDS):
        await style.field(f"F{n}", "text", diffPerColor=True, diffPerSize=True)
    return style


@pytest.mark.contract("Items of styles")
async def test_a_bill_of_200_lines_in_30_colors(large: Valued) -> None:
    """It is written, read, written again without a change, and patched by key."""
    item = await large.made("items", number="I-1", name="Thread", unit="m")
    color = (await large.api.get("/api/colors", {"pageSize": 1})).data[0]["id"]
    lines: list[dict[str, Any]] = [
        {
            "itemId": item,
            "placement": f"Seam {n}",
            "quantity": "1.5",
            "colors": [{"styleColorId": each, "colorId": color} for each in large.colors],
            "sizes": [{"sizeRangeSizeId": each, "quantity": "2"} for each in large.sizes],
        }
        for n in range(LINES)
    ]
    path = f"/api/styles/{large.style}/items"
    stored = await large.api.put(path, lines)
    assert stored.status == 200, stored.raw[:300]
    assert sum(len(line["colors"]) for line in stored.data) == LINES * COLORS
    assert (await large.api.get(path)).data == stored.data
    again = await large.api.put(path, lines)
    assert (again.status, again.headers["ETag"]) == (200, stored.headers["ETag"])
    merge = {"styleId": large.style, "lines": {str(stored.data[7]["id"]): {"comment": "Twice"}}}
    [merged] = (await large.api.patch("/api/style-items", [merge])).data
    assert merged["lines"] == [
        line | {"comment": "Twice"} if index == 7 else line
        for index, line in enumerate(stored.data)
    ]
    whole = {"styleId": large.style, "lines": lines}
    for sent in (
        await large.api.put("/api/style-items", [whole]),
        await large.api.post("/api/transaction", [{"collection": "style-items", "item": whole}]),
    ):
        assert sent.status == 200, sent.raw[:300]
    assert (await large.api.get(path)).data == stored.data


@pytest.mark.contract("Custom field values")
async def test_5_000_values_of_custom_fields(large: Valued) -> None:
    """They are written, read, written again, and merged into; one more is too many."""
    places = [(color, size) for color in large.colors for size in large.sizes]
    entries = [
        {"field": f"F{n}", "styleColorId": color, "sizeRangeSizeId": size, "text": f"{n}"}
        for n in range(FIELDS)
        for color, size in places
    ]
    more = await large.put(*entries[: VALUES + 1])
    assert more.details == [("validation_error.too_many_items", None)]
    stored = await large.put(*entries[:VALUES])
    assert (stored.status, len(stored.data)) == (200, VALUES), stored.raw[:300]
    assert (await large.api.get(large.path)).data == stored.data
    again = await large.put(*entries[:VALUES])
    assert (again.status, again.headers["ETag"]) == (200, stored.headers["ETag"])
    merge = {"styleId": large.style, "values": stored.data[:-1]}
    [merged] = (await large.api.patch("/api/custom-field-values", [merge])).data
    assert merged["values"] == stored.data[:-1]
