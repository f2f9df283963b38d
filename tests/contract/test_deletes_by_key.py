"""Tests of deletes by own key (contract, Own keys)."""

import pytest

from service.records.master_record import MasterRecord
from tests.contract.test_own_keys import COLORS, bodies, shown
from tests.support import generate
from tests.support.api import Api
from tests.support.parametrize import of_each_resource, of_each_with_simple_key

pytestmark = pytest.mark.contract("Own keys")

DELETED = {"state": "deleted"}


@pytest.mark.demo_data
@of_each_resource
async def test_an_item_with_its_key_alone_deletes(resource: MasterRecord, api: Api) -> None:
    """In replaces and in merges, whether records have a state or not."""
    root, match = f"/api/{resource.name}", {"match": str(resource.own_key)}
    for seed, send in ((3, api.put), (4, api.patch)):
        created = await api.post(root, await bodies(api, resource, "create", seed))
        assert created.status == 201, created.raw
        named = [generate.key_of(resource, record) | DELETED for record in created.data]
        first, *gone = named
        assert shown(await send(root, gone, params={**match, "dryRun": "true"})) == ["deleted"] * 2
        deleted = await send(root, gone, params=match)
        assert shown(deleted) == ["deleted"] * 2
        assert [row["id"] for row in deleted.data] == [row["id"] for row in created.data[1:]]
        reads = [await api.get(f"{root}/{record['id']}") for record in created.data[1:]]
        states = {read.data["state"] if read.status == 200 else "deleted" for read in reads}
        assert states == {"deleted"}
        assert (await api.get(f"{root}/{created.data[0]['id']}")).status == 200
        assert shown(await send(root, [first], params=match)) == ["deleted"]


@pytest.mark.contract("Sample requests", "Style relations")
@pytest.mark.parametrize("root", ["/api/style-relations", "/api/sample-requests"])
async def test_records_without_a_state_are_deleted_by_it(shared_api: Api, root: str) -> None:
    key, other = ("name", "Proto") if "sample" in root else ("relatedStyleId", 2)
    items = [{"styleId": 1, key: other, "state": state} for state in ("active", None, 1)]
    for send in (shared_api.put, shared_api.patch):
        details = [
            detail
            for item in items
            for detail in (await send(root, [item], params={"match": key})).details
        ]
        assert details == [
            ("validation_error.invalid_value", "[0].state"),
            ("validation_error.required_field", "[0].state"),
            ("validation_error.invalid_type", "[0].state"),
        ]
        by_id = await send(root, [{"id": 1, "styleId": 1, key: other, "state": "deleted"}])
        assert by_id.details == [("validation_error.unknown_field", "[0].state")]


@pytest.mark.demo_data
@of_each_with_simple_key
async def test_records_are_deleted_by_keys_in_the_query(resource: MasterRecord, api: Api) -> None:
    root, match = f"/api/{resource.name}", ("match", str(resource.own_key))
    created = await api.post(root, await bodies(api, resource, "create", 6))
    query = [match, ("keys", "OWN-1"), ("keys", "nobody & = %"), ("keys", "OWN-0")]
    dry_run = await api.delete(root, [*query, ("dryRun", "true")])
    deleted = await api.delete(root, query)
    assert shown(deleted) == shown(dry_run) == ["deleted", "absent", "deleted"]
    ids = [record["id"] for record in created.data]
    assert [row["id"] for row in deleted.data] == [ids[1], None, ids[0]]
    assert [row["key"] for row in deleted.data] == ["OWN-1", "nobody & = %", "OWN-0"]
    again = await api.delete(root, [match, ("keys", "OWN-0")])
    assert shown(again) == ["absent" if "purge" in resource.statements else "unchanged"]
    assert (await api.get(f"{root}/{ids[2]}")).data.get("state") != "deleted"


@pytest.mark.parametrize(
    ("query", "details"),
    [
        ("match=userDefinedId", [("required_field", "keys")]),
        ("keys=A", [("required_field", "match")]),
        ("match=name&keys=A", [("invalid_value", "match")]),
        ("match=userDefinedId&keys=A&ids=1", [("exclusive_parameters", "ids")]),
        (
            f"match=userDefinedId&keys=A&keys=&keys={'x' * 501}&keys=A&keys=a%00b",
            [
                ("too_short", "keys[1]"),
                ("too_long", "keys[2]"),
                ("duplicate", "keys[3]"),
                ("invalid_value", "keys[4]"),
            ],
        ),
        ("match=userDefinedId" + "&keys=A" * 201, [("too_many_items", "keys")]),
    ],
)
async def test_wrong_keys_in_the_query_are_reported(
    api: Api, query: str, details: list[tuple[str, str]]
) -> None:
    answer = await api.delete(f"{COLORS}?{query}")
    assert (answer.status, answer.json["error"]["operation"]) == (400, "bulk_delete")
    assert answer.details == [(f"validation_error.{kind}", field) for kind, field in details]


async def test_an_ambiguous_key_in_the_query_deletes_nothing(api: Api) -> None:
    await api.post(COLORS, [{"name": "Sage", "userDefinedId": key} for key in ("A", "T", "T")])
    query = [("match", "userDefinedId"), ("keys", "A"), ("keys", "T")]
    refused = await api.delete(COLORS, query)
    assert (refused.status, refused.details) == (409, [("conflict.ambiguous_key", "keys[1]")])
    skipped = await api.delete(COLORS, [*query, ("onError", "skip")])
    assert shown(skipped) == ["deleted", "failed"]
    assert skipped.data[1]["key"] == "T"


async def test_keys_of_other_organizations_are_absent(api: Api, other_api: Api) -> None:
    await other_api.post(COLORS, {"name": "Sage", "userDefinedId": "THEIRS"})
    query = [("match", "userDefinedId"), ("keys", "THEIRS")]
    assert shown(await api.delete(COLORS, query)) == ["absent"]
    assert shown(await other_api.delete(COLORS, query)) == ["deleted"]
