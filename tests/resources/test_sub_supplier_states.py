"""Tests of deletion and restore of sub-suppliers with their contacts and facilities."""

from typing import Any

import pytest
from asyncpg import Connection

from tests.support.api import Api, replacing
from tests.support.sub_suppliers import BARE, SUPPLIERS, facilities, full
from tests.support.transactions import entry, send, shown

pytestmark = [
    pytest.mark.contract("Sub-suppliers", "Facilities"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]


async def test_deletion_takes_contacts_and_facilities_along(
    api: Api, shared_connection: Connection
) -> None:
    """Contract, Sub-suppliers: deleted softly, contacts and facilities along with it."""
    supplier = await full(api)
    path = f"{SUPPLIERS}/{supplier['id']}"
    deleted = await api.delete(path)
    assert deleted.status == 200
    assert deleted.data == supplier | {"state": "deleted", "contacts": [], "facilityCount": 0}
    assert all(
        gone or state == "deleted"
        for state, gone in await facilities(shared_connection, supplier["id"])
    )
    assert (await api.delete(path)).data == deleted.data
    assert (await api.get(path)).data == deleted.data
    assert supplier["id"] not in [other["id"] for other in (await api.get(SUPPLIERS)).data]


@pytest.mark.parametrize("how", ["patch", "replace", "bulk"])
async def test_restoring_brings_back_what_the_deletion_took(
    api: Api, shared_connection: Connection, how: str
) -> None:
    """Contract, Sub-suppliers: restoring brings contacts and facilities back as they were."""
    supplier = await full(api)
    path = f"{SUPPLIERS}/{supplier['id']}"
    await shared_connection.execute(
        "update facility set state = 'inactive' where id = "
        "(select min(id) from facility where sub_supplier_id = $1)",
        int(supplier["id"]),
    )
    await shared_connection.execute(
        "insert into facility (organization_id, sub_supplier_id, name, state) "
        "select organization_id, id, 'Closed plant', 'deleted' from sub_supplier where id = $1",
        int(supplier["id"]),
    )
    before = await facilities(shared_connection, supplier["id"])
    await api.delete(path)
    live = (await api.get(path, {"form": "writable"})).data | {"state": supplier["state"]}
    if how == "patch":
        answer = await api.patch(path, replacing("/state", supplier["state"]))
    elif how == "replace":
        answer = await api.put(path, live)
    else:
        answer = await api.put(SUPPLIERS, [{"id": supplier["id"], **live}])
    assert answer.status == 200
    assert (await api.get(path)).data == supplier
    assert await facilities(shared_connection, supplier["id"]) == before


async def test_a_facility_that_is_deleted_by_itself_too_stays_deleted(api: Api) -> None:
    """Contract, Facilities: also by the request that deletes its sub-supplier, in any order."""
    key = {"customId": "SUB-1"}
    mill: list[dict[str, Any]] = [{"name": name, "subSupplierId": key} for name in ("Mill", "Shed")]
    written = [entry("sub-suppliers", **key, name="Own", state="active")]
    written += [entry("facilities", **each, state="active") for each in mill]
    assert shown(await send(api, written)) == ["created"] * 3
    deletes = [entry("sub-suppliers", "delete", **key), entry("facilities", "delete", **mill[0])]
    assert "failed" not in shown(await send(api, deletes))
    restored = await send(api, written[:1])
    assert restored.status == 200
    [supplier] = (await api.get(SUPPLIERS, key)).data
    assert supplier["facilityCount"] == 1


@pytest.mark.demo_data
async def test_restoring_by_a_deleted_record_of_the_demo_data(api: Api) -> None:
    """Contacts and facilities that were deleted before the service ran come back as well."""
    supplier = (await api.get(SUPPLIERS, {"state": "deleted"})).data[0]
    shown = (await api.patch(f"{SUPPLIERS}/{supplier['id']}", replacing("/state", "active"))).data
    assert shown["contacts"]
    assert shown["facilityCount"]


async def test_restoring_replace_says_which_contacts_come_back(api: Api) -> None:
    """A replace is full, on a deleted record too: sent twice it does the same as once."""
    supplier = await full(api)
    path = f"{SUPPLIERS}/{supplier['id']}"
    await api.delete(path)
    contact_id = supplier["contacts"][-1]["id"]
    body = BARE | {"contacts": [{"id": contact_id, "role": "Kept"}]}
    shown = (await api.put(path, body)).data
    assert [contact["id"] for contact in shown["contacts"]] == [contact_id]
    assert shown["facilityCount"] == supplier["facilityCount"]
    assert (await api.put(path, body)).data == shown
    await api.delete(path)
    assert (await api.put(path, BARE)).data["contacts"] == []


async def test_patch_of_a_deleted_record_leaves_it_deleted(api: Api) -> None:
    """A patch that does not touch /state: contacts are edited and stay hidden until restored."""
    supplier = await full(api)
    path = f"{SUPPLIERS}/{supplier['id']}"
    await api.delete(path)
    operations = [
        {"op": "replace", "path": "/contacts/0/role", "value": "Edited"},
        {"op": "add", "path": "/contacts/-", "value": {"role": "Added"}},
    ]
    hidden = (await api.patch(path, operations)).data
    assert (hidden["state"], hidden["contacts"], hidden["facilityCount"]) == ("deleted", [], 0)
    restored = (await api.patch(path, replacing("/state", "active"))).data
    roles = [contact["role"] for contact in restored["contacts"]]
    assert (roles[0], roles[-1]) == ("Edited", "Added")
    assert restored["facilityCount"] == supplier["facilityCount"]
