"""Tests of facilities (contract, Facilities)."""

import pytest

from tests.support.api import Api, replacing
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Facilities")

FACILITIES, SUPPLIERS = "/api/facilities", "/api/sub-suppliers"
NEWER = dict.fromkeys(
    (
        *("address", "zipCode", "city", "stateOrRegion", "countryCode"),
        *("latitude", "longitude", "gln", "osId"),
    )
) | {"processes": []}
"""Fields since 1.1, without values."""
UNKNOWN = [("validation_error.unknown_reference", "subSupplierId")]


async def supplier(api: Api) -> str:
    return str((await api.post(SUPPLIERS, {"name": "Mill"})).data["id"])


async def test_fields(api: Api) -> None:
    """A name, a state and the sub-supplier, by the text that its id is."""
    sent = {"name": "Dye house", "subSupplierId": await supplier(api)}
    made = await api.post(FACILITIES, sent)
    assert made.data == {"id": made.data["id"], **sent, "state": "active"} | NEWER
    assert (await api.get(FACILITIES, {"subSupplierId": sent["subSupplierId"]})).data == [made.data]
    moved = sent | {"subSupplierId": await supplier(api), "state": "inactive"}
    replaced = (await api.put(made.headers["Location"], moved)).data
    assert replaced == {"id": made.data["id"], **moved} | NEWER


@pytest.mark.contract("Presence", "Values")
async def test_newer_fields_are_shown_found_and_cleared(api: Api) -> None:
    old = {"name": "Dye house", "subSupplierId": await supplier(api)}
    sent = {
        "address": "Rua da Fonte 12",
        "zipCode": "4450-001",
        "city": "Matosinhos",
        "stateOrRegion": "Porto",
        "countryCode": "PT",
        "latitude": 41.5,
        "longitude": -8.5,
        "gln": "4006381333931",
        "osId": "PT2021085A1B2C3",
        "processes": ["dyeing", "finishing"],
    }
    made = await api.post(FACILITIES, old | sent | {"processes": ["finishing", "dyeing"]})
    path, shown = made.headers["Location"], sent | {"countryName": "Portugal"}
    assert {name: made.data[name] for name in shown} == shown
    query = {"countryName": "Portugal", "osId": sent["osId"]}
    assert (await api.get(FACILITIES, query)).data == [made.data]
    csv = await api.get(FACILITIES, query, headers={"Accept": "text/csv"})
    assert b',"dyeing;finishing"' in csv.raw
    cleared = (await api.put(path, old | NEWER | {"state": "active"})).data
    assert cleared == {"id": made.data["id"], **old, "state": "active"} | NEWER


@pytest.mark.contract("Values")
async def test_wrong_newer_fields_are_reported(api: Api) -> None:
    old = {"name": "Dye house", "subSupplierId": await supplier(api)}
    wrong = {"countryCode": "XX", "latitude": 91, "gln": "4006381333932", "osId": "x" * 51}
    twice = {"processes": ["dyeing", "dyeing"]}
    assert (await api.post(FACILITIES, old | twice)).details == [
        ("validation_error.duplicate", "processes[1]")
    ]
    assert (await api.post(FACILITIES, old | wrong)).details == [
        ("validation_error.invalid_value", "countryCode"),
        ("validation_error.out_of_range", "latitude"),
        ("validation_error.invalid_value", "gln"),
        ("validation_error.too_long", "osId"),
    ]


@pytest.mark.contract("Own keys")
async def test_a_name_is_an_own_key_within_its_sub_supplier(api: Api) -> None:
    """The same name elsewhere is another facility; both fields name the item's record."""
    first, second = await supplier(api), await supplier(api)
    items = [
        {"name": "Dye house", "subSupplierId": owner, "state": "active"}
        for owner in (first, second)
    ]
    match = {"match": "name"}
    made = await api.put(FACILITIES, items, params=match)
    assert [(row["outcome"], row["key"]) for row in made.data] == [("created", "Dye house")] * 2
    items[1]["state"] = "inactive"
    again = await api.put(FACILITIES, items[::-1], params=match)
    assert [row["outcome"] for row in again.data] == ["updated", "unchanged"]
    assert [row["id"] for row in again.data] == [row["id"] for row in made.data[::-1]]
    twice = await api.put(FACILITIES, [items[0]] * 2, params=match)
    assert twice.details == [("validation_error.duplicate", "[1].name")]
    nameless = await api.patch(FACILITIES, [{"name": "Dye house"}], params=match)
    assert nameless.details == [("validation_error.required_field", "[0].subSupplierId")]
    twin = await api.post(FACILITIES, items[0])
    refused = await api.put(FACILITIES, items, params=match)
    assert refused.details == [("conflict.ambiguous_key", "[0].name")]
    message = f"Records {made.data[0]['id']}, {twin.data['id']} have this key."
    assert refused.json["error"]["details"][0]["value"] == message
    unknown = await api.put(FACILITIES, [items[0] | {"subSupplierId": "007"}], params=match)
    assert unknown.details == [("validation_error.unknown_reference", "[0].subSupplierId")]


@in_each("text", ["007", "x", "", "987654321", "1.0", "9" * 19])
async def test_sub_suppliers_are_named_exactly(api: Api, text: str) -> None:
    """Other spellings of a known id are unknown references."""
    refused = await api.post(FACILITIES, {"name": "Dye house", "subSupplierId": text})
    assert refused.status == 400
    assert refused.details in (UNKNOWN, [("validation_error.too_short", "subSupplierId")])


async def test_the_sub_supplier_counts_live_ones(api: Api) -> None:
    """Deleted and moved ones are not counted, restored ones are."""
    first, second = await supplier(api), await supplier(api)
    made = await api.post(FACILITIES, {"name": "Dye house", "subSupplierId": first})
    location = made.headers["Location"]
    for write, counts in (
        (api.get(location), (1, 0)),
        (api.patch(location, replacing("/subSupplierId", second)), (0, 1)),
        (api.delete(location), (0, 0)),
        (api.patch(location, replacing("/state", "inactive")), (0, 1)),
    ):
        assert (await write).status == 200
        paths = [f"{SUPPLIERS}/{each}" for each in (first, second)]
        assert tuple([(await api.get(path)).data["facilityCount"] for path in paths]) == counts


async def test_they_go_with_their_sub_supplier_and_come_back(api: Api) -> None:
    """Facilities deleted before their sub-supplier stay deleted."""
    owner = await supplier(api)
    items = [{"name": name, "subSupplierId": owner} for name in ("Active", "Idle", "Closed")]
    ids = [facility["id"] for facility in (await api.post(FACILITIES, items)).data]
    paths = [f"{FACILITIES}/{facility_id}" for facility_id in ids]
    await api.patch(paths[1], replacing("/state", "inactive"))
    await api.delete(paths[2])
    path = f"{SUPPLIERS}/{owner}"
    assert (await api.delete(path)).status == 200
    assert [(await api.get(path)).data["state"] for path in paths] == ["deleted"] * 3
    # Deleting again, and a patch that changes nothing, leave it to come back.
    assert (await api.delete(paths[0])).data["state"] == "deleted"
    assert (await api.patch(paths[1], [])).data["state"] == "deleted"
    assert (await api.patch(paths[0], replacing("/state", "active"))).details == UNKNOWN
    assert (await api.patch(path, replacing("/state", "active"))).data["facilityCount"] == 2
    states = [(await api.get(path)).data["state"] for path in paths]
    assert states == ["active", "inactive", "deleted"]


async def test_moved_facilities_are_not_restored(api: Api) -> None:
    """Neither with its former sub-supplier nor with its present one."""
    former, present = await supplier(api), await supplier(api)
    made = await api.post(FACILITIES, {"name": "Dye house", "subSupplierId": former})
    location = made.headers["Location"]
    await api.delete(f"{SUPPLIERS}/{former}")
    moved = await api.patch(location, replacing("/subSupplierId", present))
    assert moved.data["state"] == "deleted"
    for owner in (former, present):
        await api.patch(f"{SUPPLIERS}/{owner}", replacing("/state", "active"))
        await api.patch(f"{SUPPLIERS}/{owner}", replacing("/name", "Other"))
        assert (await api.get(location)).data["state"] == "deleted"
    assert (await api.patch(location, replacing("/state", "active"))).data["state"] == "active"
