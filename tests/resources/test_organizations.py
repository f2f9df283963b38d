"""Tests of the caller's own organization (contract, Organizations)."""

from argparse import Namespace
from typing import Any

import asyncpg
import pytest

from service import schemas
from service.extras.commands import administration
from tests.support.api import Api, replacing
from tests.support.changes import Follower

pytestmark = [
    pytest.mark.demo_data,
    pytest.mark.contract("Organizations"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

ORGANIZATIONS, OWN = "/api/organizations", "/api/organizations/1"
FEATURES = {"multipleLanguage": True, "pro": True, "uniqueKeys": False}
[EXAMPLE] = schemas.definition("organizations", "document").schema["examples"]
FIELDS = {name: EXAMPLE[name] for name in EXAMPLE if name not in ("id", "name", "features")}


async def test_the_own_record_is_all_that_a_caller_sees(api: Api, other_api: Api) -> None:
    """A replace clears what it omits; a language is named by its code, too."""
    [before] = (await api.get(ORGANIZATIONS)).data
    assert before == (await api.get(OWN)).data
    assert (before["id"], before["features"]) == (1, FEATURES)
    sent = FIELDS | {"defaultLanguageId": {"code": "en"}}
    replaced = (await api.put(OWN, sent)).data
    assert replaced == {"id": 1, "name": before["name"], "features": FEATURES, **FIELDS}
    assert (await api.get(OWN, {"form": "writable"})).data == FIELDS
    patched = await api.patch(OWN, replacing("/city", "Oslo"))
    assert patched.data == replaced | {"city": "Oslo"}
    assert (await api.get(ORGANIZATIONS, {"city": "Oslo", "countryCode": "NO"})).data == [
        patched.data
    ]
    for name, value in (("defaultLanguage.id", "1"), ("defaultLanguage.code", "en")):
        assert (await api.get(ORGANIZATIONS, {name: value})).data == [patched.data]
        assert (await other_api.get(ORGANIZATIONS, {name: value})).data == []
    cleared = (await api.put(OWN, {})).data
    assert cleared == replaced | dict.fromkeys(FIELDS)
    [theirs] = (await other_api.get(ORGANIZATIONS)).data
    assert theirs["id"] == 2
    for answer in (await other_api.get(OWN), await other_api.put(OWN, FIELDS)):
        assert answer.status == 404
    assert (await api.get(OWN)).data == cleared


async def test_an_organization_is_only_replaced_and_patched(api: Api) -> None:
    for method, path in (
        ("POST", ORGANIZATIONS),
        ("PUT", ORGANIZATIONS),
        ("PATCH", ORGANIZATIONS),
        ("DELETE", ORGANIZATIONS),
        ("DELETE", OWN),
    ):
        assert (await api.call(method, path, {})).status == 405
    entry = {"collection": "organizations", "item": {"id": 1}}
    refused = await api.post("/api/transaction", [entry])
    assert refused.details == [("validation_error.invalid_value", "[0].collection")]


async def test_an_organization_gets_valid_fields(api: Api) -> None:
    faults: dict[str, tuple[Any, str]] = {
        "name": ("Other", "read_only_field"),
        "legalName": ("x" * 501, "too_long"),
        "countryCode": ("ZZ", "invalid_value"),
        "eoriNumber": ("x" * 18, "too_long"),
        "gln": ("4006381333930", "invalid_value"),
        "defaultCurrencyCode": ("XAU", "invalid_value"),
        "skuFormat": ("x" * 201, "too_long"),
        "passportBaseUrl": ("https://example.com/?a=1", "invalid_value"),
    }
    answer = await api.put(OWN, {name: value for name, (value, _) in faults.items()})
    expected = [(f"validation_error.{kind}", name) for name, (_, kind) in faults.items()]
    assert sorted(answer.details) == sorted(expected)
    unknown = await api.put(OWN, {"defaultLanguageId": 987654321})
    assert unknown.details == [("validation_error.unknown_reference", "defaultLanguageId")]


@pytest.mark.contract("Changes", "Exports")
async def test_changes_of_callers_and_operators_are_in_the_feed(api: Api, demo_dsn: str) -> None:
    follower = Follower(api)
    await follower.begin()
    for _ in range(2):  # The second one changes nothing.
        await api.put(OWN, FIELDS)
    assert [(e["collection"], e["recordId"]) for e in await follower.entries()] == [
        ("organizations", 1)
    ]
    settings = Namespace(id=1, name="Renamed", multiple_language=None, pro=None, unique_keys=None)
    connection = await asyncpg.connect(demo_dsn)
    try:
        for _ in range(2):
            await administration._set_organization(connection, settings)
    finally:
        await connection.close()
    [entry] = await follower.entries()
    assert (entry["collection"], entry["operation"]) == ("organizations", "updated")
    assert (await api.get(OWN)).data["name"] == "Renamed"
    exported = await api.get("/api/export", {"collection": "organizations"})
    assert b'"Renamed"' in exported.raw
