"""Tests of the contacts of styles (contract, Contacts of styles)."""

import pytest

from tests.support.api import Api

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
    refused = await api.put(path, [first | {"type": "x", "role": "x" * 101}, {"name": "C"}])
    assert refused.details == [
        ("validation_error.too_long", "[0].role"),
        ("validation_error.invalid_value", "[0].type"),
        ("validation_error.required_field", "[1].role"),
        ("validation_error.required_field", "[1].type"),
    ]
    many = await api.put(path, [first | {"id": None}] * 101)
    assert many.details == [("validation_error.too_many_items", None)]
