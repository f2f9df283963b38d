"""Tests of keys of records that the same request writes (contract, References)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.keyed_references import DRY, World, made, text
from tests.support.writers import outcomes

pytestmark = pytest.mark.contract("References")


async def test_keys_within_a_key_are_resolved_before_records_are_found_by_it(
    shared_api: Api, world: World
) -> None:
    """Facilities are named within a sub-supplier, which is named by a key itself."""
    owner, key = world.ids["sub-supplier"], world.keys["sub-supplier"]
    path = "/api/facilities?match=name"
    items = [
        {"name": "Mill", "subSupplierId": key, "state": "active"},
        {"name": "Shed", "subSupplierId": owner, "state": "active"},
    ]
    assert outcomes(await shared_api.put(path, items)) == ["created"] * 2
    assert outcomes(await shared_api.patch(path, items)) == ["unchanged"] * 2
    twins = [items[0], items[0] | {"subSupplierId": owner}, items[1]]
    answer = await shared_api.put(path, twins)
    assert answer.details == [("validation_error.duplicate", "[1].name")]
    skipped = await shared_api.put(path, twins, params={"onError": "skip"})
    assert outcomes(skipped) == ["failed", "failed", "unchanged"]
    unknown = [items[0] | {"subSupplierId": {"customId": "?"}}, items[1]]
    skipped = await shared_api.put(path, unknown, params={"onError": "skip"})
    assert outcomes(skipped) == ["failed", "unchanged"]


async def test_sizes_name_sizes_of_their_own_range_as_the_request_leaves_them(
    shared_api: Api, world: World
) -> None:
    path, own = world.paths["size-range-sizes"], world.keys["own range"]
    sizes = [
        {"name": "S"},
        {"name": "M", "relatedSizeRangeSizeId": {"name": "S"}},
        {"name": "L", "relatedSizeRangeSizeId": {"sizeRangeId": own, "name": "M"}},
    ]
    s, m, large = (await shared_api.put(path, sizes)).data
    assert (m["relatedSizeRangeSizeId"], large["relatedSizeRangeSizeId"]) == (s["id"], m["id"])
    again = await shared_api.put(path, sizes, params=DRY)
    assert outcomes(again) == ["unchanged"]
    # The names after the request count.
    renamed = [
        {"id": m["id"], "name": "S", "relatedSizeRangeSizeId": {"name": "M"}},
        {"id": s["id"], "name": "M"},
    ]
    first, second = (await shared_api.put(path, renamed)).data
    assert (second["name"], first["relatedSizeRangeSizeId"]) == ("M", s["id"])
    # By their own references, too, which may be exchanged at once.
    own_ids = [
        {"id": m["id"], "name": "S", "sizeId": "1", "relatedSizeRangeSizeId": {"sizeId": "2"}},
        {"id": s["id"], "name": "M", "sizeId": "2"},
    ]
    assert (await shared_api.put(path, own_ids)).data[0]["relatedSizeRangeSizeId"] == s["id"]
    own_ids[0]["relatedSizeRangeSizeId"] = {"sizeRangeId": own, "sizeId": "?"}
    missing = [("validation_error.unknown_reference", "[0].relatedSizeRangeSizeId")]
    assert (await shared_api.put(path, own_ids)).details == missing
    for others, type_ in (
        ([], "validation_error.unknown_reference"),
        ([{"name": "X"}, {"name": "X"}], "conflict.ambiguous_key"),
    ):
        body = [{"name": "S", "relatedSizeRangeSizeId": {"name": "X"}}, *others]
        answer = await shared_api.put(path, body)
        assert answer.details == [(type_, "[0].relatedSizeRangeSizeId")]


async def test_an_active_size_goes_before_a_deactivated_one(shared_api: Api, world: World) -> None:
    path = f"/api/size-ranges/{world.ids['range']}/sizes"
    request = {"styleId": world.ids["style"], "sizeRangeSizeIds": [world.keys["M"]]}
    # M is used by a sample request, so that it is deactivated and not removed.
    large = {"id": world.ids["L"], "name": "L"}
    assert (await shared_api.put(path, [large])).status == 200
    gone = await shared_api.post("/api/sample-requests", request | {"name": text()})
    assert gone.details == [("validation_error.unknown_reference", "sizeRangeSizeIds[0]")]
    await shared_api.put(path, [large, {"id": world.ids["M"], "name": "Medium"}])
    await shared_api.put(path, [large, {"name": "M"}])
    new = (await shared_api.get(path)).data
    [m] = [size["id"] for size in new if size["name"] == "M"]
    stored = await made(shared_api, "sample-requests", **request, name=text())
    assert [size["sizeRangeSizeId"] for size in stored["sizes"]] == [m]


FIELDS = "/api/style-custom-fields"
NESTED = {"type": "nestedAllowedValue", "state": "active"}


def nested(key: str, parent: str | None, *values: Any) -> dict[str, Any]:
    above = {"parentCustomFieldId": {"userDefinedId": parent}} if parent else {}
    own = {"name": key, "userDefinedId": key, "allowedValues": values}
    return {**NESTED, **own, **above}


async def test_records_of_the_same_request_can_be_referred_to(shared_api: Api) -> None:
    """Parents come before their children or after them, with values that are new as well."""
    a, b, c = text(), text(), text()
    items = [
        nested(c, b, {"value": "3", "parentAllowedValueId": {"value": "2"}}),
        nested(b, a, {"value": "2", "parentAllowedValueId": {"userDefinedId": "ONE"}}),
        nested(a, None, {"value": "1", "userDefinedId": "ONE"}, {"value": "0"}),
    ]
    created = await shared_api.put(f"{FIELDS}?match=userDefinedId", items)
    assert outcomes(created) == ["created"] * 3
    child, middle, top = [
        (await shared_api.get(f"{FIELDS}/{row['id']}")).data for row in created.data
    ]
    assert (child["parentCustomFieldId"], middle["parentCustomFieldId"]) == (
        middle["id"],
        top["id"],
    )
    by_value = {value["value"]: value["id"] for value in top["allowedValues"]}
    assert middle["allowedValues"][0]["parentAllowedValueId"] == by_value["1"]
    again = await shared_api.put(f"{FIELDS}?match=userDefinedId", items)
    assert outcomes(again) == ["unchanged"] * 3
    # A value that was added, and one that took the name of another.
    items[2]["allowedValues"] = ({"value": "1"}, {"value": "0", "userDefinedId": "ONE"})
    items[1]["allowedValues"] = (
        {"value": "2", "parentAllowedValueId": {"userDefinedId": "ONE"}},
        {"value": "4", "parentAllowedValueId": {"value": "1"}},
    )
    assert outcomes(await shared_api.patch(FIELDS + "?match=userDefinedId", items)) == [
        "unchanged",
        "updated",
        "updated",
    ]
    changed = (await shared_api.get(f"{FIELDS}/{middle['id']}")).data["allowedValues"]
    assert [value["parentAllowedValueId"] for value in changed] != [by_value["1"]] * 2


COMPLIANCE = "/api/compliance-custom-fields"


async def test_keys_mean_records_as_the_request_leaves_them(shared_api: Api) -> None:
    """After its renames, deletes and restores, and what was left out with onError=skip."""
    a, b = text(), text()
    first = await made(shared_api, "compliance-custom-fields", **nested(a, None))
    second = await made(shared_api, "compliance-custom-fields", **nested(b, None))
    third = await made(shared_api, "compliance-custom-fields", **nested(text(), None))
    swap = [
        nested(b, None) | {"id": first["id"]},
        nested(a, None) | {"id": second["id"]},
        nested(text(), a) | {"id": third["id"]},
    ]
    swapped = await shared_api.put(COMPLIANCE, swap)
    assert swapped.data[2]["parentCustomFieldId"] == second["id"]
    deleted = [swap[1] | {"state": "deleted"}, swap[2]]
    answer = await shared_api.put(COMPLIANCE, deleted)
    assert ("validation_error.unknown_reference", "[1].parentCustomFieldId") in answer.details
    # The record that would have taken the key fails, and so does what refers to it.
    z = text()
    renamed = swap[0] | {"userDefinedId": z}
    failing = [renamed | {"type": "text"}, swap[2] | nested("Other", z)]
    skipped = await shared_api.put(COMPLIANCE, failing, params={"onError": "skip"})
    assert outcomes(skipped) == ["failed"] * 2
    assert z in skipped.data[1]["details"][0]["value"]
    assert (
        outcomes(await shared_api.put(COMPLIANCE, [renamed, failing[1]], params=DRY))
        == ["updated"] * 2
    )
    twins = [swap[0] | {"userDefinedId": a}, swap[2]]
    answer = await shared_api.put(COMPLIANCE, twins)
    assert answer.details == [("conflict.ambiguous_key", "[1].parentCustomFieldId")]


async def test_cycles_of_parents_stay_invalid(shared_api: Api) -> None:
    a, b = text(), text()
    items = [nested(a, b), nested(b, a), nested("self", "self")]
    items[2] |= {"userDefinedId": "self"}
    answer = await shared_api.put(f"{COMPLIANCE}?match=userDefinedId", items)
    field_path = "[{}].parentCustomFieldId"
    assert answer.details == [
        ("validation_error.invalid_value", field_path.format(number)) for number in range(3)
    ]
