"""Tests of sub-suppliers (contract, Sub-suppliers)."""

from typing import Any

import pytest
from asyncpg import Connection

from service import schemas
from tests.support.api import Api, replacing
from tests.support.offenders import in_each
from tests.support.openapi_validation import form
from tests.support.sub_suppliers import BARE, SUPPLIERS, create, facilities, full

pytestmark = pytest.mark.contract("Sub-suppliers")

BODY: dict[str, Any] = {
    "name": "Northgate Trims",
    "customId": "SS-0212",
    "relationType": "distributor",
    "address": "Rua Nova 5",
    "zipCode": "4000-001",
    "city": "Porto",
    "stateOrRegion": "Porto",
    "countryCode": "PT",
    "webSite": "https://trims.example.com",
    "vatNumber": "PT500000001",
    "mid": "PTNORTRI5POR",
    "processingTypes": "trims, labels",
    "latitude": 41.1844,
    "longitude": -8.6963,
    "state": "inactive",
}
CONTACT: dict[str, Any] = {
    "firstName": "Order",
    "lastName": "Desk",
    "email": "orders@example.com",
    "phone": "+351 555 1000",
    "role": "Sales",
    "faxNumber": "+351 555 1001",
    "countryCode": "PT",
}


async def test_create_stores_every_field(api: Api) -> None:
    """Sub-supplier fields: what is sent is shown; names, color, count and time are derived."""
    answer = await api.post(SUPPLIERS, {**BODY, "contacts": [CONTACT]})
    assert (answer.status, answer.json["code"]) == (201, "created")
    shown = answer.data
    form("sub-suppliers", "document").validate(shown)
    assert {name: shown[name] for name in BODY} == BODY
    assert isinstance(shown["id"], str)
    assert (shown["organizationId"], shown["facilityCount"]) == (api.organization_id, 0)
    assert (shown["relationTypeName"], shown["countryName"]) == ("Distributor", "Portugal")
    [contact] = shown["contacts"]
    assert {name: contact[name] for name in CONTACT} == CONTACT
    assert (contact["countryName"], contact["properties"]) == ("Portugal", [])
    assert list(shown) == list(schemas.load()["sub-suppliers"]["$defs"]["document"]["properties"])
    assert answer.headers["Location"] == f"{SUPPLIERS}/{shown['id']}"
    assert (await api.get(answer.headers["Location"])).data == shown


@pytest.mark.contract("Presence")
async def test_fields_without_value_are_left_out(api: Api) -> None:
    """Presence: a field that is not nullable is left out while it has no value."""
    shown = (await api.get(await create(api))).data
    assert set(shown) == {
        *("id", "organizationId", "name", "avatarColor", "facilityCount", "state"),
        *("createdAt", "contacts"),
    }
    assert (shown["state"], shown["contacts"]) == ("active", [])


@pytest.mark.demo_data
async def test_documents_of_the_demo_data(api: Api) -> None:
    """Every listed document is valid; contacts are by id; lists hide the deleted.

    Ids are strings in JSON and sort as numbers, and filter as they are shown.
    """
    shown = (await api.get(SUPPLIERS, {"pageSize": 100})).data
    for supplier in shown:
        form("sub-suppliers", "document").validate(supplier)
        contacts = [contact["id"] for contact in supplier["contacts"]]
        assert contacts == sorted(contacts)
    ids = [supplier["id"] for supplier in shown]
    assert ids == sorted(ids, key=int) != sorted(ids)
    order = {"sort[0].property": "id", "sort[0].order": "desc", "pageSize": "100"}
    assert [supplier["id"] for supplier in (await api.get(SUPPLIERS, order)).data] == ids[::-1]
    assert (await api.get(SUPPLIERS, {"id": ids[3]})).data == [shown[3]]
    assert {supplier["relationTypeName"] for supplier in shown} == {
        "Distributor",
        "Manufacturer",
        "Agent",
    }
    deleted = (await api.get(SUPPLIERS, {"state": "deleted"})).data
    assert deleted
    assert all((supplier["contacts"], supplier["facilityCount"]) == ([], 0) for supplier in deleted)


async def test_avatar_colors_are_of_a_palette(api: Api) -> None:
    """Field avatarColor: given at creation, read-only, one of a few."""
    made = (await api.post(SUPPLIERS, [{"name": f"Mill {n}"} for n in range(14)])).data
    assert len({supplier["avatarColor"] for supplier in made}) == 7
    path = f"{SUPPLIERS}/{made[0]['id']}"
    assert (await api.put(path, BARE)).data["avatarColor"] == made[0]["avatarColor"]


@in_each(
    ("relation", "name"),
    [
        ("manufacturer", "Manufacturer"),
        ("dye_house", "Dye house"),
        ("Trim-and-label", "Trim and label"),
        ("überlieferer", "Überlieferer"),
        ("", ""),
    ],
)
async def test_relation_type_name_is_its_readable_form(api: Api, relation: str, name: str) -> None:
    """Fields relationType and relationTypeName: any text, and its form for people."""
    path = await create(api, relationType=relation)
    shown = (await api.get(path)).data
    assert (shown["relationType"], shown["relationTypeName"]) == (relation, name)
    response = await api.get(SUPPLIERS, {"relationTypeName": name})
    assert shown in response.data


async def test_unknown_country_has_no_name(api: Api) -> None:
    """Field countryName: left out where the code is none; contacts too."""
    path = await create(api, countryCode="ZZ", contacts=[{"countryCode": "ZZ"}])
    shown = (await api.get(path)).data
    assert shown["countryCode"] == shown["contacts"][0]["countryCode"] == "ZZ"
    assert "countryName" not in shown
    assert "countryName" not in shown["contacts"][0]


@pytest.mark.contract("Presence")
@in_each(
    "name",
    [
        *("organizationId", "relationTypeName", "countryName", "avatarColor", "facilityCount"),
        "createdAt",
    ],
)
async def test_read_only_fields(api: Api, name: str) -> None:
    """Response-only fields are tolerated as null and otherwise refused, in patches too."""
    path = await create(api)
    refused = [("validation_error.read_only_field", name)]
    assert (await api.put(path, BARE | {name: "x"})).details == refused
    assert (await api.post(SUPPLIERS, BARE | {name: "x"})).details == refused
    assert (await api.put(path, BARE | {name: None})).status == 200
    patched = await api.patch(path, replacing(f"/{name}", "x"))
    assert patched.details == [("validation_error.read_only_field", "[0].path")]


async def test_replace_clears_what_is_omitted(api: Api) -> None:
    """Full replace of sub-suppliers needs name and state; other omitted fields are cleared."""
    path = await create(api, **{**BODY, "contacts": [CONTACT]})
    missing = await api.put(path, {})
    assert missing.details == [
        ("validation_error.required_field", "name"),
        ("validation_error.required_field", "state"),
    ]
    shown = (await api.put(path, BARE)).data
    assert not set(shown) & (set(BODY) - {"name", "state"})
    assert (shown["name"], shown["state"], shown["contacts"]) == ("Bare", "active", [])


@pytest.mark.contract("Patches")
async def test_patch_preserves_what_is_untouched(api: Api) -> None:
    """PATCH: touched fields are written, the others stay, contacts included."""
    path = await create(api, **{**BODY, "contacts": [CONTACT]})
    before = (await api.get(path)).data
    shown = (await api.patch(path, replacing("/city", "Braga"))).data
    assert shown == before | {"city": "Braga"}
    assert (await api.patch(path, [{"op": "remove", "path": "/name"}])).status == 400


@in_each("number", [0, -8.6963, 41, 1e-7, -90, 90])
async def test_coordinates_are_numbers(api: Api, number: float) -> None:
    """Fields latitude and longitude: numbers, filtered as numbers."""
    path = await create(api, latitude=number, longitude=number)
    shown = (await api.get(path)).data
    assert (shown["latitude"], shown["longitude"]) == (number, number)
    assert shown in (await api.get(SUPPLIERS, {"latitude": repr(number)})).data
    beyond = await api.patch(path, replacing("/latitude", 90.5))
    assert beyond.details == [("validation_error.out_of_range", "latitude")]


@pytest.mark.contract("Surface")
@in_each(
    "wrong", ["007", "x", "0", "-1", "1.0", "+1", " 1", "9223372036854775808", "1" * 40, "\u0661"]
)
async def test_inexact_ids_are_not_found(api: Api, wrong: str) -> None:
    """Path id (string): what is no known id's exact form is 404, never 400, in bulk too."""
    path = f"{SUPPLIERS}/{wrong}"
    for answer in (
        await api.get(path),
        await api.put(path, BARE),
        await api.patch(path, replacing("/name", "x")),
        await api.delete(path),
    ):
        assert (answer.status, answer.details) == (404, [("not_found", "id")])
    existing = (await create(api)).rpartition("/")[2]
    replaced = await api.put(SUPPLIERS, [{"id": existing, **BARE}, {"id": wrong, **BARE}])
    assert (replaced.status, replaced.details) == (404, [("not_found", "[1].id")])
    deleted = await api.delete(SUPPLIERS, [("ids", existing), ("ids", wrong)])
    assert (deleted.status, deleted.details) == (404, [("not_found", "ids[1]")])


@pytest.mark.contract("Tenancy")
async def test_foreign_is_the_same_as_unknown(api: Api, other_api: Api) -> None:
    """Another organization's sub-supplier: 404 with the bytes of an unknown one."""
    foreign = (await create(other_api)).rpartition("/")[2]
    unknown = await api.delete(f"{SUPPLIERS}/987654321")
    answer = await api.delete(f"{SUPPLIERS}/{foreign}")
    assert (answer.status, answer.raw) == (404, unknown.raw)
    assert (await other_api.get(f"{SUPPLIERS}/{foreign}")).data["state"] != "deleted"


async def test_facility_count_filters_and_counts_live_ones(
    api: Api, shared_connection: Connection
) -> None:
    """Field facilityCount: counts live facilities; it filters and does not sort."""
    supplier = await full(api)
    stored = await facilities(shared_connection, supplier["id"])
    live = [state for state, gone in stored if state != "deleted" and not gone]
    assert supplier["facilityCount"] == len(live)
    records = (await api.get(SUPPLIERS, {"facilityCount": supplier["facilityCount"]})).data
    assert {other["facilityCount"] for other in records} == {supplier["facilityCount"]}
    sorting = await api.get(SUPPLIERS, {"sort[0].property": "facilityCount"})
    assert sorting.details == [("validation_error.invalid_value", "sort[0].property")]


async def test_bulk_replace_deletes_and_updates_together(api: Api) -> None:
    """Bulk with state=deleted deletes that item; ids are strings; answers in request order."""
    made = (await api.post(SUPPLIERS, [{"name": "A", "contacts": [{}]}, {"name": "B"}])).data
    items = [
        {"id": made[1]["id"], "name": "B2", "state": "inactive", "contacts": [{"role": "New"}]},
        {"id": made[0]["id"], "name": "ignored", "state": "deleted"},
    ]
    shown = (await api.put(SUPPLIERS, items)).data
    assert [
        (supplier["name"], supplier["state"], len(supplier["contacts"])) for supplier in shown
    ] == [("B2", "inactive", 1), ("A", "deleted", 0)]
    repeated = await api.put(SUPPLIERS, [items[0], items[0]])
    assert repeated.details == [("validation_error.duplicate", "[1].id")]
    number = await api.put(SUPPLIERS, [items[0] | {"id": int(made[1]["id"])}])
    assert number.details == [("validation_error.invalid_type", "[0].id")]


@pytest.mark.shared_demo_data
@pytest.mark.contract("Writable form")
async def test_own_writable_form_changes_nothing(api: Api) -> None:
    """Property: replace by the own writable form, and the empty patch, change nothing."""
    for supplier in (await api.get(SUPPLIERS)).data[:5]:
        path = f"{SUPPLIERS}/{supplier['id']}"
        before = (await api.get(path)).headers["ETag"]
        writable = (await api.get(path, {"form": "writable"})).data
        form("sub-suppliers", "writable").validate(writable)
        assert (await api.put(path, writable)).headers["ETag"] == before
        assert (await api.patch(path, [])).headers["ETag"] == before
