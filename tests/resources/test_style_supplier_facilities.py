"""Tests of the steps in which styles are made (contract, Supplier facilities of styles)."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.changes import Follower
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Supplier facilities of styles")

UNKNOWN, INVALID = "validation_error.unknown_reference", "validation_error.invalid_value"
REQUIRED = "validation_error.required_field"


@dataclass
class Chain:
    """A style, and who makes it."""

    style: int
    supplier: int
    mill: str
    plant: int

    @property
    def path(self) -> str:
        return f"/api/styles/{self.style}/supplier-facilities"


async def made(api: Api, collection: str, **fields: Any) -> Any:
    answer = await api.post(f"/api/{collection}", {"name": "Made", **fields})
    assert answer.status == 201, answer.raw
    return answer.data["id"]


@pytest.fixture
async def chain(api: Api) -> Chain:
    supplier = await made(api, "suppliers", customId="T-S", countryCode="PT")
    mill = await made(api, "sub-suppliers", customId="T-M", countryCode="ES")
    plant = await made(api, "facilities", subSupplierId=mill)
    return Chain(await made(api, "styles", number="T-1"), supplier, mill, plant)


async def test_steps_match_by_process_and_place(api: Api, chain: Chain) -> None:
    """A facility brings its sub-supplier, and key objects take the place of ids."""
    sent: list[dict[str, Any]] = [
        {"process": "dyeing", "facilityId": chain.plant, "tier": 2},
        {"process": "assembly", "supplierId": {"customId": "T-S"}, "tier": 1},
        {"process": "other", "processName": "Lamination", "countryCode": "IT"},
    ]
    steps = (await api.put(chain.path, sent)).data
    none = dict.fromkeys(
        ("processName", "tier", "supplierId", "subSupplierId", "facilityId", "countryCode")
    )
    assert [step | {"id": 0} for step in steps] == [
        none | sent[0] | {"subSupplierId": chain.mill, "effectiveCountryCode": "ES", "id": 0},
        none | sent[1] | {"supplierId": chain.supplier, "effectiveCountryCode": "PT", "id": 0},
        none | sent[2] | {"effectiveCountryCode": "IT", "id": 0},
    ]
    ids = [step["id"] for step in steps]
    by_key = {"subSupplierId": {"customId": "T-M"}, "name": "Made"}
    sent[0] |= {"facilityId": by_key, "tier": 3}
    again = await api.put(chain.path, [*sent[::-1], sent[1] | {"process": "packing"}])
    assert [step["id"] for step in again.data][:3] == ids
    assert again.data[0]["tier"] == 3
    form = (await api.get(chain.path, {"form": "writable"})).data
    follower = Follower(api)
    await follower.begin()
    assert (await api.put(chain.path, form)).data == again.data
    assert await follower.entries() == []


@pytest.mark.contract("Part collections")
@in_each(
    ("step", "error", "field"),
    [
        ({"process": "dyeing"}, REQUIRED, "countryCode"),
        ({"process": "other", "countryCode": "PT"}, REQUIRED, "processName"),
        ({"process": "dyeing", "processName": "x", "countryCode": "PT"}, INVALID, "processName"),
        ({"process": "dyeing", "supplierId": 2**40}, UNKNOWN, "supplierId"),
        ({"process": "dyeing", "subSupplierId": "07"}, UNKNOWN, "subSupplierId"),
        ({"process": "dyeing", "facilityId": 2**40}, UNKNOWN, "facilityId"),
        ({"process": "sewing", "countryCode": "PT"}, INVALID, "process"),
        (
            {"process": "dyeing", "countryCode": "PT", "tier": 5},
            "validation_error.out_of_range",
            "tier",
        ),
    ],
)
async def test_errors(api: Api, chain: Chain, step: Any, error: str, field: str) -> None:
    assert (await api.put(chain.path, [step])).details == [(error, f"[0].{field}")]
    item = {"styleId": chain.style, "steps": [step]}
    answer = await api.put("/api/style-supplier-facilities", [item])
    assert answer.details == [(error, f"[0].steps[0].{field}")]


async def test_a_facility_is_one_of_its_sub_supplier(api: Api, chain: Chain) -> None:
    """A stored step stays as it is when its facility moves."""
    other = await made(api, "sub-suppliers")
    step = {"process": "dyeing", "subSupplierId": other, "facilityId": chain.plant}
    refused = await api.put(chain.path, [step])
    assert refused.details == [(INVALID, "[0].facilityId")]
    step["subSupplierId"] = chain.mill
    stored = (await api.put(chain.path, [step])).data
    moved = replacing("/subSupplierId", other)
    assert (await api.patch(f"/api/facilities/{chain.plant}", moved)).status == 200
    again = await api.put(chain.path, [stored[0] | {"tier": 4, "effectiveCountryCode": None}])
    assert again.data == [stored[0] | {"tier": 4}]


@pytest.mark.contract("States")
async def test_sub_suppliers_and_facilities_are_deletable_and_suppliers_are_not(
    api: Api, chain: Chain
) -> None:
    steps: list[dict[str, Any]] = [
        {"process": "dyeing", "facilityId": chain.plant},
        {"process": "assembly", "supplierId": chain.supplier},
    ]
    stored = (await api.put(chain.path, steps)).data
    assert (await api.delete(f"/api/sub-suppliers/{chain.mill}")).status == 200
    assert (await api.get(chain.path)).data == stored
    form = (await api.get(chain.path, {"form": "writable"})).data
    assert (await api.put(chain.path, form)).data == stored
    new = await api.put(chain.path, [*form, {"process": "washing", "facilityId": chain.plant}])
    assert new.details == [(UNKNOWN, "[2].facilityId")]
    supplier, style = f"/api/suppliers/{chain.supplier}", f"/api/styles/{chain.style}"
    refused = await api.delete(supplier)
    assert refused.details == [("conflict.in_use", "id")]
    text = f'Used by style supplier facilities: 1 ({chain.style} "T-1").'
    assert refused.json["error"]["details"][0]["value"] == text
    assert (await api.delete(style)).status == 200
    assert (await api.delete(supplier)).status == 200
    restore = replacing("/state", "active")
    assert (await api.patch(style, restore)).details == [(UNKNOWN, "state")]
    assert (await api.patch(supplier, restore)).status == 200
    assert (await api.patch(style, restore)).status == 200


@pytest.mark.contract("Changes")
async def test_the_country_of_a_place_changes_the_steps(api: Api, chain: Chain) -> None:
    """Each place that is nearer to the step hides the ones behind it."""
    step = {"process": "dyeing", "supplierId": chain.supplier, "facilityId": chain.plant}
    step["subSupplierId"] = chain.mill
    await api.put(chain.path, [step])
    follower = Follower(api, collection="style-supplier-facilities")
    await follower.begin()
    places = [
        (f"/api/suppliers/{chain.supplier}", "FR", "ES"),
        (f"/api/sub-suppliers/{chain.mill}", None, "FR"),
        (f"/api/suppliers/{chain.supplier}", "IT", "IT"),
        (f"/api/sub-suppliers/{chain.mill}", "TR", "TR"),
        (f"/api/facilities/{chain.plant}", "IN", "IN"),
        (f"/api/sub-suppliers/{chain.mill}", "PL", "IN"),
    ]
    effective = "ES"
    for path, country, expected in places:
        assert (await api.patch(path, replacing("/countryCode", country))).status == 200
        entries = await follower.entries()
        assert bool(entries) == (expected != effective), (path, country)
        [shown] = (await api.get(chain.path)).data
        assert shown["effectiveCountryCode"] == (effective := expected)
