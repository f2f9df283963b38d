"""Tests of the generation of SKUs (contract, SKUs)."""

from typing import Any

import pytest

from tests.resources.test_barcode_allocations import new_range, numbers
from tests.resources.test_style_colors import made, now
from tests.resources.test_style_skus import Style
from tests.resources.test_style_skus import style as style  # a fixture
from tests.support.api import Answer, Api, replacing
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("SKU generations")

PATH = "/api/style-skus/generate"
INVALID = "validation_error.invalid_value"
INCOMPLETE = "conflict.incomplete"


def rows(answer: Answer) -> list[tuple[str, str]]:
    assert answer.status in (200, 201), answer.raw
    return [(row["outcome"], row["key"]) for row in answer.data]


async def test_makes_what_is_missing(api: Api, style: Style) -> None:
    """All active colors and sizes; again it changes nothing; a dry run creates nothing."""
    sage = await made(api, "colors", name="Sage", userDefinedId="SK-SGE")
    first = await made(api, "style-colors", styleId=style.style, colorId=sage, sortOrder=1)
    await made(
        api, "style-colors", styleId=style.style, colorId=await made(api, "colors", name="Off"),
        state="inactive",
    )  # fmt: skip
    body = [{"styleId": {"number": "SK-1"}}]
    keys = [f"SK-1-{color}-{size}" for color in ("SK-SGE", "SK-NVY") for size in "SM"]
    dry = await api.post(PATH, body, params={"dryRun": "true"})
    assert rows(dry) == [("created", key) for key in keys]
    assert {row["id"] for row in dry.data} == {None}
    cursor = await now(api)
    answer = await api.post(PATH, body, headers={"Idempotency-Key": "SK-G"})
    assert answer.status == 201
    assert rows(answer) == rows(dry)
    assert answer.data[0] == {
        "outcome": "created", "id": answer.data[0]["id"], "key": keys[0], "styleColorId": first,
        "sizeRangeSizeId": style.small, "barcode": None, "details": [],
    }  # fmt: skip
    repeated = await api.post(PATH, body, headers={"Idempotency-Key": "SK-G"})
    assert repeated.data == answer.data
    entries = (await api.get("/api/changes", {"cursor": cursor})).data
    assert [(row["collection"], row["operation"]) for row in entries] == [
        ("style-skus", "created")
    ] * 4
    assert len({row["n"] for row in entries}) == 1
    again = await api.post(PATH, body)
    assert (again.status, rows(again)) == (200, [("unchanged", key) for key in keys])
    assert (await api.get("/api/changes", {"cursor": cursor})).data == entries


@pytest.mark.contract("Changes")
async def test_skus_and_their_numbers_are_one_change(api: Api, style: Style) -> None:
    """Whether SKUs are created, restored, or only get a number: each has one entry."""
    range_id, body = (await new_range(api))["id"], [{"styleId": style.style}]
    first = await api.post(PATH, body)
    restored, numbered = [row["id"] for row in first.data]
    assert (await api.delete(f"/api/style-skus/{restored}")).status == 200
    color = await made(api, "colors", name="Sage", userDefinedId="SK-ONE")
    await made(api, "style-colors", styleId=style.style, colorId=color)
    cursor = await now(api)
    body[0]["barcodeRangeId"] = range_id
    answer = await api.post(PATH, body)
    assert sorted(rows(answer))[0][0] == "created"
    created = [row["id"] for row in answer.data if row["outcome"] == "created"]
    entries = (await api.get("/api/changes", {"cursor": cursor})).data
    assert len({row["n"] for row in entries}) == 1
    changed = [(row["collection"], row["recordId"], row["operation"]) for row in entries]
    assert len({*changed}) == len(changed)
    of_skus = [(id_, operation) for name, id_, operation in changed if name == "style-skus"]
    updated = [(id_, "updated") for id_ in (restored, numbered)]
    assert sorted(of_skus) == sorted([*updated, *((id_, "created") for id_ in created)])
    assert [name for name, *_ in changed].count("barcodes") == len(created) + 2


async def test_restores_the_last_deleted_one(api: Api, style: Style) -> None:
    """It keeps its ``sku`` and weight; other pairs follow the format of the item."""
    record = 0
    for sku in ("OLD", "NEWER"):
        record = await made(api, "style-skus", **style.sku(sku, netWeight="12.50"))
        await api.delete(f"/api/style-skus/{record}")
    body = [{"styleId": style.style, "skuFormat": "{sizeName}/{colorUserDefinedId}"}]
    answer = await api.post(PATH, body)
    assert rows(answer) == [("updated", "NEWER"), ("created", "M/SK-NVY")]
    assert answer.data[0]["id"] == record
    restored = (await api.get(f"/api/style-skus/{record}")).data
    assert (restored["state"], restored["netWeight"]) == ("active", 12.5)


async def test_what_a_style_lacks(api: Api, style: Style) -> None:
    sizeless = await made(api, "styles", number="SK-2", name="Bare")
    colorless = await made(api, "styles", number="SK-3", name="Bare", sizeRangeId=style.range)
    answer = await api.post(PATH, [{"styleId": sizeless}, {"styleId": colorless}])
    assert answer.details == [
        (INCOMPLETE, "[0].styleId"), (INCOMPLETE, "[0].styleId"), (INCOMPLETE, "[1].styleId"),
    ]  # fmt: skip
    formats = [
        "{sizeId}{colorUserDefinedId}",
        "{seasonUserDefinedId}{sizeName}{colorUserDefinedId}",
    ]
    for text in formats:
        lacking = await api.post(PATH, [{"styleId": style.style, "skuFormat": text}])
        assert {*lacking.details} == {(INCOMPLETE, "[0].skuFormat")}
    assert (await api.get("/api/style-skus", {"styleColorId": style.style_color})).data == []


@in_each(
    "text",
    ["{sizeName}", "{colorUserDefinedId}", "{sizeName}{colorUserDefinedId}{x}",
     "{sizeName}{colorUserDefinedId}}", " {sizeName}{colorUserDefinedId}",
     "{sizeName}{colorUserDefinedId}" + 100 * "x"],
)  # fmt: skip
async def test_formats_that_are_none(api: Api, style: Style, text: str) -> None:
    answer = await api.post(PATH, [{"styleId": style.style, "skuFormat": text}])
    assert {*answer.details} == {(INVALID, "[0].skuFormat")}


async def test_numbers_for_skus(api: Api, style: Style) -> None:
    """In the order of pairs, to new, restored and older SKUs that have none; again none."""
    barcode_range = await new_range(api, lastReference=2)
    small = await made(api, "style-skus", **style.sku())
    body = [{"styleId": style.style, "barcodeRangeId": barcode_range["id"]}]
    dry = await api.post(PATH, body, params={"dryRun": "true"})
    answer = await api.post(PATH, body)
    assert rows(answer) == [("updated", "SK-1-NVY-S"), ("created", "SK-1-SK-NVY-M")]
    assert [row["barcode"] for row in answer.data] == numbers(barcode_range, 0, 1)
    assert [row["barcode"] for row in dry.data] == numbers(barcode_range, 0, 1)
    assert (await api.get(f"/api/style-skus/{small}")).data["gtin"] == numbers(barcode_range, 0)[0]
    again = await api.post(PATH, body)
    assert rows(again) == [("unchanged", key) for _, key in rows(answer)]
    assert [row["barcode"] for row in again.data] == numbers(barcode_range, 0, 1)
    await api.put(
        f"/api/size-ranges/{style.range}/sizes", [{"name": name} for name in ("L", "S", "M", "XL")]
    )
    short = await api.post(PATH, body)
    assert short.details == [("conflict.exhausted", "[0].barcodeRangeId")]
    await api.patch(f"/api/barcode-ranges/{barcode_range['id']}", replacing("/state", "inactive"))
    inactive = await api.post(PATH, body)
    assert inactive.details == [(INVALID, "[0].barcodeRangeId")]
    unknown = await api.post(PATH, [{"styleId": style.style, "barcodeRangeId": 2**62}])
    assert unknown.details == [("validation_error.unknown_reference", "[0].barcodeRangeId")]
    made_without = await api.post(PATH, [{"styleId": style.style}])
    assert [key for _, key in rows(made_without)] == [
        "SK-1-SK-NVY-L", "SK-1-NVY-S", "SK-1-SK-NVY-M", "SK-1-SK-NVY-XL",
    ]  # fmt: skip


async def test_the_format_of_the_organization(api: Api, style: Style) -> None:
    path = f"/api/organizations/{(await api.get('/api/organizations')).data[0]['id']}"
    wrong = await api.patch(path, replacing("/skuFormat", "{sizeName}"))
    assert wrong.details == [(INVALID, "skuFormat")]
    text = "{sizeName}/{colorUserDefinedId}"
    await api.patch(path, replacing("/skuFormat", text))
    answer = await api.post(PATH, [{"styleId": style.style}])
    assert [key for _, key in rows(answer)] == ["S/SK-NVY", "M/SK-NVY"]


async def test_colors_and_sizes_by_name(api: Api, style: Style) -> None:
    """Of the style alone; inactive colors are taken, deactivated sizes not; all or nothing."""
    other = await made(api, "styles", number="SK-2", name="Other", sizeRangeId=style.range)
    theirs = await made(api, "style-colors", styleId=other, colorId=style.color)
    color = {"styleId": {"number": "SK-1"}, "colorId": {"userDefinedId": "SK-NVY"}}
    size = {"sizeRangeId": {"userDefinedId": "SK-R"}, "name": "M"}
    item: dict[str, Any] = {"styleId": style.style, "styleColorIds": [color]}
    wrong = [item | {"styleColorIds": [color, theirs]}, {"styleId": other}]
    answer = await api.post(PATH, wrong)
    assert answer.details == [(INVALID, "[0].styleColorIds[1]")]
    assert (await api.get("/api/style-skus", {"style.number": "SK-2"})).data == []
    await api.patch(f"/api/style-colors/{style.style_color}", replacing("/state", "inactive"))
    taken = await api.post(PATH, [item | {"sizeRangeSizeIds": [size]}])
    assert rows(taken) == [("created", "SK-1-SK-NVY-M")]
    await api.put(f"/api/size-ranges/{style.range}/sizes", [{"name": "S"}])
    gone = await api.post(PATH, [item | {"sizeRangeSizeIds": [style.small, style.medium]}])
    assert gone.details == [(INVALID, "[0].sizeRangeSizeIds[1]")]
    assert gone.json["error"]["details"][0]["value"] == "M is deactivated."


async def test_errors_of_the_request(api: Api, style: Style) -> None:
    twice = await api.post(PATH, [{"styleId": style.style}, {"styleId": {"number": "SK-1"}}])
    assert twice.details == [("validation_error.duplicate", "[1].styleId")]
    unknown = await api.post(PATH, [{"styleId": {"number": "?"}}])
    assert unknown.details == [("validation_error.unknown_reference", "[0].styleId")]
    for name in ("onError=skip", "preview=true"):
        answer = await api.post(f"{PATH}?{name}", [{"styleId": style.style}])
        assert answer.details == [("validation_error.unknown_parameter", name.partition("=")[0])]
    other = await made(api, "styles", number="SK-2", name="Other", sizeRangeId=style.range)
    color = await made(api, "style-colors", styleId=other, colorId=style.color)
    await made(
        api, "style-skus", sku="SK-1-SK-NVY-S", styleColorId=color, sizeRangeSizeId=style.small
    )
    taken = await api.post(PATH, [{"styleId": style.style}])
    assert taken.details == [("conflict.duplicate", "[0].skuFormat")]
    assert "SK-1-SK-NVY-S" in taken.json["error"]["details"][0]["value"]
    alike = "{sizeName}{colorUserDefinedId}"
    bodies = [{"styleId": each, "skuFormat": alike} for each in (style.style, other)]
    same = await api.post(PATH, bodies)
    assert same.details == [("validation_error.duplicate", "[1].skuFormat")]
    first, second = style.style_color, color
    assert same.json["error"]["details"][0]["value"] == (
        f"MSK-NVY would be the sku of style color {first} (SK-NVY) in size {style.medium} (M)"
        f" and of style color {second} (SK-NVY) in size {style.medium} (M)."
    )


async def test_more_pairs_than_a_request_makes(
    api: Api, style: Style, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.resources.assortment.sku_generation.MAX_PAIRS", 1)
    answer = await api.post(PATH, [{"styleId": style.style}])
    assert answer.details == [("validation_error.too_many_items", None)]
