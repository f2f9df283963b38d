"""Tests of lists that are merged entry by entry (contract, Merges)."""

from typing import Any

import pytest

from service import schemas
from tests.support.api import MERGE_PATCH, Answer, Api
from tests.support.judged_style import made
from tests.support.keyed_references import World, text

pytestmark = pytest.mark.contract("Merges")


async def merge(api: Api, path: str, body: Any) -> Answer:
    return await api.patch(path, body, content_type=MERGE_PATCH)


async def writable(api: Api, path: str) -> Any:
    return (await api.get(path, {"form": "writable"})).data


async def test_a_measured_value_is_merged_and_all_others_stay(
    shared_api: Api, world: World
) -> None:
    """In a part, its collection and a transaction, by the names of sizes and lines or their ids."""
    path = world.paths["measurements"]
    request_id = int(path.split("/")[5])
    lines = [
        {"lineId": world.ids[name], "companyMeasurement": "1.50", "supplierMeasurement": "2.50"}
        for name in ("chest", "hem")
    ]
    assert (await shared_api.put(path, {"designerComment": "Good.", "lines": lines})).status == 200
    before, (chest, hem) = await writable(shared_api, path), lines

    async def expect(**changes: str | None) -> None:
        after = await writable(shared_api, path)
        measured = {line["lineId"]: line for line in after["lines"]}
        assert measured.pop(hem["lineId"]) == before["lines"][1]
        assert measured == {chest["lineId"]: before["lines"][0] | changes}
        assert after | {"lines": []} == before | {"lines": []}

    change: Any = {"lines": {"Chest": {"supplierMeasurement": "42.26"}}}
    assert (await merge(shared_api, path, change)).status == 200
    await expect(supplierMeasurement="42.26")
    collected = {"sampleRequestId": request_id, "sizes": {"M": change}}
    change["lines"]["Chest"] = {"supplierMeasurement": None}
    assert (await merge(shared_api, "/api/measurements", [collected])).status == 200
    await expect(supplierMeasurement=None)
    by_id = {str(world.ids["chest"]): {"companyMeasurement": "3"}}
    item = collected | {"sizes": {str(world.ids["M"]): {"lines": by_id}}}
    entry = {"collection": "measurements", "operation": "merge", "item": item}
    assert (await shared_api.post("/api/transaction", [entry])).status == 200
    await expect(supplierMeasurement=None, companyMeasurement="3")
    cleared = await merge(shared_api, path, {"lines": {"Chest": None}})
    assert cleared.status == 200
    await expect(supplierMeasurement=None, companyMeasurement=None)


async def test_entries_are_added_changed_and_removed(shared_api: Api, world: World) -> None:
    """Nested lists, too; entries that are not named stay as they are, in their order."""
    path, sizes = world.paths["measurement-charts"], [world.ids["M"], world.ids["L"]]
    chart = await writable(shared_api, path)
    change = {
        "Chest": {
            "tolerance": "0.50",
            "requested": {"M": {"value": "53"}, str(sizes[1]): {"value": 9}},
        },
        "Sleeve": {"requested": [{"sizeRangeSizeId": sizes[0], "value": "7"}]},
        "Unknown": None,
    }  # fmt: skip
    merged = await merge(shared_api, path, {"lines": change})
    assert merged.status == 200, merged.raw
    chest, hem, sleeve = (await writable(shared_api, path))["lines"]
    assert (chest["lineId"], chest["tolerance"]) == (world.ids["chest"], "0.50")
    assert [entry["value"] for entry in chest["requested"]] == ["53", "9"]
    assert (hem, sleeve["name"]) == (chart["lines"][1], "Sleeve")
    assert (await merge(shared_api, path, {"lines": change})).raw == merged.raw
    change = {"Sleeve": None, "Chest": {"requested": {"L": None}}}
    await merge(shared_api, path, {"lines": change})
    chest, after = (await writable(shared_api, path))["lines"]
    assert ([entry["value"] for entry in chest["requested"]], after) == (["53"], hem)


@pytest.mark.parametrize(
    ("collection", "field", "entries", "change", "expected"),
    [
        (
            "sub-suppliers", "contacts", [{"email": "a@example.com", "role": "A"}],
            {"a@example.com": {"role": "B"}, "b@example.com": {"role": "C"}},
            [("a@example.com", "B"), ("b@example.com", "C")],
        ),
        (
            "care-instructions", "languages", [{"languageId": {"code": "de"}, "text": "Kalt"}],
            {"DE": {"text": "Warm"}, "en": {"text": "Warm"}}, ["Warm", "Warm"],
        ),
        (
            "compliance-custom-fields", "allowedValues",
            [{"value": "A", "userDefinedId": "1"}, {"value": "B"}],
            {"1": {"value": "C"}, "B": None, "D": {}}, [("C", "1"), ("D", None)],
        ),
    ],
)  # fmt: skip
async def test_each_list_has_its_keys(
    collection: str, field: str, entries: Any, change: Any, expected: Any, shared_api: Api
) -> None:
    """Own references, texts and codes of languages in any case; bulk writes by key create, too."""
    body = {
        "name": text(),
        "text": text(),
        "type": "allowedValue",
        "userDefinedId": text(),
        "customId": text(),
    }
    allowed = schemas.definition(collection, "create").properties
    body = {name: body[name] for name in body if name in allowed and name in body}
    members = {"contacts": ["email", "role"], "languages": ["text"]}
    names = members.get(field, ["value", "userDefinedId"])
    made = await shared_api.post(f"/api/{collection}", body | {field: entries})
    assert made.status == 201, made.raw
    path = made.headers["Location"]
    merged = await merge(shared_api, path, {field: change})
    assert merged.status == 200, merged.raw
    shown = [[entry[name] for name in names] for entry in (await writable(shared_api, path))[field]]
    assert shown == [[*value] if isinstance(value, tuple) else [value] for value in expected]


async def test_the_base_price_is_merged_and_all_others_stay(shared_api: Api) -> None:
    """That of all colors, sizes, quantities and days, in a list with prices and in a new one."""
    style = await made(shared_api, "styles", number=text(), name="Coat")
    keys = [text(), text()]
    for key in keys:
        priced = {"userDefinedId": key, "type": "retail", "currencyCode": "EUR"}
        await made(shared_api, "price-lists", name=key, **priced)
    tier = {"minimumQuantity": 10, "amount": "70.00"}
    lists = [{"priceListId": {"userDefinedId": keys[0]}, "prices": [tier]}]
    stored = await shared_api.put("/api/style-prices", [{"styleId": style, "priceLists": lists}])
    assert stored.status == 200, stored.raw

    def changing(change: Any) -> list[Any]:
        return [{"styleId": style, "priceLists": {key: {"prices": change} for key in keys}}]

    for amount in ("79.90", "77.00"):
        items = changing({"base": {"amount": amount}})
        merged = await merge(shared_api, "/api/style-prices", items)
        assert merged.status == 200, merged.raw
        shown = (await shared_api.get(f"/api/styles/{style}/prices")).data
        amounts = [[price["amount"] for price in each["prices"]] for each in shown]
        assert sorted(amounts) == [[float(amount)], [float(amount), 70.0]]
    missing = await merge(shared_api, "/api/style-prices", changing({"M": {"amount": "1"}}))
    field = f"[0].priceLists.{keys[0]}.prices.M"
    assert missing.details[0] == ("validation_error.unknown_reference", field)


async def test_errors_are_at_the_keys(shared_api: Api, world: World) -> None:
    """Whichever check finds them; entries are judged as in a replace."""
    path = world.paths["measurement-charts"]
    lines = [{"name": "Chest"}, {"name": "Hem"}, {"name": "Twice"}, {"name": "Twice"}]
    assert (await shared_api.put(path, {"lines": lines})).status == 200
    unknown, missing = "validation_error.unknown_reference", "validation_error.required_field"
    for change, type_, field in (
        ({"Twice": {"tolerance": 1}}, "conflict.ambiguous_key", "Twice"),
        ({"Hem": {"tolerances": 1}}, "validation_error.unknown_field", "Hem.tolerances"),
        ({"Hem": {"tolerance": "x"}}, "validation_error.invalid_value", "Hem.tolerance"),
        ({"Hem": 5}, "validation_error.invalid_type", "Hem"),
        ({"Hem": {"requested": {"XXL": {"value": 1}}}}, unknown, "Hem.requested.XXL"),
        (
            {"New": {"requested": {str(2**62): {"value": 1}}}},
            unknown,
            f"New.requested.{2**62}.sizeRangeSizeId",
        ),
        ({"Chest": {"requested": {str(world.ids['L']): {}}}}, missing,
         f"Chest.requested.{world.ids['L']}.value"),
    ):  # fmt: skip
        answer = await merge(shared_api, path, {"lines": change})
        assert answer.details == [(type_, f"lines.{field}")], answer.raw
    item = {"styleId": world.ids["style"], "lines": {"Hem": {"tolerances": 1}}}
    answer = await merge(shared_api, "/api/measurement-charts", [item])
    assert answer.details == [("validation_error.unknown_field", "[0].lines.Hem.tolerances")]
