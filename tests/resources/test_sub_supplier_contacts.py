"""Tests of contacts of sub-suppliers (contract, Sub-suppliers)."""

import pytest

from tests.support.api import Api
from tests.support.sub_suppliers import BARE, SUPPLIERS, create, full

pytestmark = pytest.mark.contract("Sub-suppliers")


async def test_contacts_keep_their_identity(api: Api) -> None:
    """Contacts with an id are updated, those without are new, those not sent go."""
    path = await create(api, contacts=[{"role": role} for role in ("A", "B", "C")])
    first, second, third = (await api.get(path)).data["contacts"]
    sent = [{"role": "D"}, {"id": third["id"], "email": "c@example.com"}, {"id": first["id"]}]
    shown = (await api.put(path, BARE | {"contacts": sent})).data["contacts"]
    assert shown[:2] == [
        {"id": first["id"], "properties": []},
        {"id": third["id"], "email": "c@example.com", "properties": []},
    ]
    assert shown[2]["role"] == "D"
    assert shown[2]["id"] > third["id"]
    gone = await api.put(path, BARE | {"contacts": [{"id": second["id"]}]})
    assert gone.details == [("validation_error.unknown_reference", "contacts[0].id")]


async def test_contacts_of_others_are_unknown_references(api: Api) -> None:
    """A contact id that is not the sub-supplier's own is `unknown_reference`, all at once."""
    supplier, path = await full(api), await create(api)
    own = [{"id": contact["id"]} for contact in supplier["contacts"]]
    answer = await api.put(path, BARE | {"contacts": [{}, *own]})
    assert (answer.status, answer.details) == (
        400,
        [("validation_error.unknown_reference", f"contacts[{n}].id") for n in (1, 2)][: len(own)],
    )
    created = await api.post(SUPPLIERS, [{"name": "x"}, {"name": "x", "contacts": own[:1]}])
    assert created.details == [("validation_error.unknown_reference", "[1].contacts[0].id")]
    assert (await api.get(f"{SUPPLIERS}/{supplier['id']}")).data == supplier


async def test_one_contact_twice_is_refused(api: Api) -> None:
    """A contact id stands once in an item (`duplicate`)."""
    answer = await api.put(f"{SUPPLIERS}/1", BARE | {"contacts": [{"id": 1}, {}, {"id": 1}]})
    assert answer.details == [("validation_error.duplicate", "contacts[2].id")]


async def test_contacts_are_patched_in_place(api: Api) -> None:
    """Patch documents hold collections: contacts by id, each with its own."""
    path = await create(api, contacts=[{"role": "A"}, {"role": "B"}])
    before = (await api.get(path)).data["contacts"]
    operations = [
        {"op": "replace", "path": "/contacts/1/role", "value": "Quality"},
        {"op": "remove", "path": "/contacts/0"},
        {"op": "add", "path": "/contacts/-", "value": {"role": "Shipping"}},
    ]
    shown = (await api.patch(path, operations)).data["contacts"]
    assert [contact["role"] for contact in shown] == ["Quality", "Shipping"]
    assert shown[0]["id"] == before[1]["id"]
