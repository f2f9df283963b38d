"""Tests of the contacts of styles (contract, Contacts of styles)."""

from typing import Any

import pytest

from tests.support.api import Answer, Api

pytestmark = pytest.mark.contract("Contacts of styles")


async def test_contacts_match_by_role_and_email_or_name(api: Api) -> None:
    style = (await api.post("/api/styles", {"number": "T-1", "name": "Vest"})).data["id"]
    path = f"/api/styles/{style}/contacts"
    first = {"role": "Design", "type": "brand", "name": "A", "email": "a@example.com"}
    second = {"role": "Quality", "type": "agent", "name": "B", "phone": "+351 555"}
    made = (await api.put(path, [first, second])).data
    ids = [contact["id"] for contact in made]
    assert made == [{"id": ids[0], "phone": None} | first, {"id": ids[1], "email": None} | second]
    sent = [
        second | {"type": "other", "email": "b@example.com"},
        second | {"name": "Other"},
        first | {"name": "Renamed"},
    ]
    stored = (await api.put(path, sent)).data
    assert [(each["id"], each["name"]) for each in stored[:2]] == [
        (ids[0], "Renamed"),
        (ids[1], "B"),
    ]
    assert stored[2]["id"] not in ids


async def test_wrong_contacts_are_refused(api: Api) -> None:
    style = (await api.post("/api/styles", {"number": "T-1", "name": "Vest"})).data["id"]
    path = f"/api/styles/{style}/contacts"
    first = {"role": "Design", "type": "brand", "name": "A", "email": "a@example.com"}
    refused = await api.put(path, [first | {"type": "x", "role": "x" * 101}, {"name": "C"}])
    assert refused.details == [
        ("validation_error.too_long", "[0].role"),
        ("validation_error.invalid_value", "[0].type"),
        ("validation_error.required_field", "[1].role"),
        ("validation_error.required_field", "[1].type"),
    ]
    many = await api.put(path, [first | {"id": None}] * 101)
    assert many.details == [("validation_error.too_many_items", None)]


@pytest.mark.contract("Merges")
async def test_contacts_are_merged_by_their_email(api: Api) -> None:
    """One of several roles is ambiguous; a new one gets the email."""
    style = (await api.post("/api/styles", {"number": "T-1", "name": "Vest"})).data["id"]
    path = f"/api/styles/{style}/contacts"
    contact = {"role": "Design", "type": "brand", "name": "A", "email": "a@example.com"}
    [first] = (await api.put(path, [contact])).data

    async def merge(change: Any) -> Answer:
        item = {"styleId": style, "contacts": change}
        return await api.patch("/api/style-contacts", [item])

    new = {"role": "Quality", "type": "agent", "name": "B"}
    answer = await merge({"a@example.com": {"name": "Renamed"}, "b@example.com": new})
    renamed, added = answer.data[0]["contacts"]
    assert renamed == first | {"name": "Renamed"}
    assert (added["email"], added["phone"]) == ("b@example.com", None)
    assert (await merge({str(added["id"]): {"email": "a@example.com"}})).status == 200
    ambiguous = await merge({"a@example.com": None})
    assert ambiguous.details == [("conflict.ambiguous_key", "[0].contacts.a@example.com")]
