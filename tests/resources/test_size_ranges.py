"""Size ranges (specification, Size range and Size ranges; contract, section 6)."""

import asyncio
from typing import Any

import asyncpg
import pytest

from tests.support.api import Api
from tests.support.published import form

RANGES = "/api/size-ranges"


async def default_ids(api: Api) -> list[int]:
    return [one["id"] for one in (await api.get(RANGES, {"isDefault": "true"})).data]


async def create(api: Api, **fields: Any) -> str:
    """The path of a new size range."""
    answer = await api.post(RANGES, {"name": "Kids 98-164", **fields})
    assert answer.status == 201
    form("size-ranges", "document").validate(answer.data)
    return str(answer.headers["Location"])


def replacing(path: str, value: Any) -> list[dict[str, Any]]:
    return [{"op": "replace", "path": path, "value": value}]


async def test_documents_show_sizes_and_the_default_grading_size(api: Api) -> None:
    """Size range fields: sizes by id, defaultGradingSizeName joined."""
    shown = (await api.get(RANGES, {"pageSize": 100})).data
    for one in shown:
        form("size-ranges", "document").validate(one)
        ids = [size["id"] for size in one["sizes"]]
        assert ids == sorted(ids)
        names = {size["id"]: size["name"] for size in one["sizes"]}
        assert names[one["defaultGradingSizeId"]] == one["defaultGradingSizeName"]
    by_name = {"defaultGradingSizeName": shown[0]["defaultGradingSizeName"]}
    assert shown[0] in (await api.get(RANGES, by_name)).data


async def test_touched_fields_are_written_omitted_ones_preserved(api: Api) -> None:
    """Endpoints, Size ranges PATCH: touched fields are written; omitted fields are preserved."""
    before = (await api.get(f"{RANGES}/1")).data
    answer = await api.patch(f"{RANGES}/1", replacing("/name", "Women Alpha"))
    assert (answer.status, answer.data) == (200, before | {"name": "Women Alpha"})
    cleared = await api.patch(f"{RANGES}/1", replacing("/userDefinedId", None))
    assert cleared.data == before | {"name": "Women Alpha", "userDefinedId": None}


async def test_name_cannot_be_cleared_and_state_cannot_be_removed(api: Api) -> None:
    """Errors, 400: name cleared, state removed on a size range."""
    before = (await api.get(f"{RANGES}/1")).data
    for patch, row in (
        (replacing("/name", ""), ("validation_error.too_short", "name")),
        (replacing("/name", None), ("validation_error.required_field", "name")),
        ([{"op": "remove", "path": "/name"}], ("validation_error.required_field", "name")),
        ([{"op": "remove", "path": "/state"}], ("validation_error.required_field", "state")),
        (replacing("/state", None), ("validation_error.required_field", "state")),
        (replacing("/state", "deleted"), ("validation_error.state_not_allowed", "state")),
    ):
        answer = await api.patch(f"{RANGES}/1", patch)
        assert (answer.status, answer.details) == (400, [row])
    assert (await api.get(f"{RANGES}/1")).data == before


@pytest.mark.parametrize("name", ["defaultGradingSizeId", "defaultGradingSizeName", "sizes"])
async def test_sizes_are_not_part_of_the_patch_document(api: Api, name: str) -> None:
    """Endpoints, Size ranges: defaultGradingSizeId and sizes are read-only."""
    assert name not in (await api.get(f"{RANGES}/1", {"form": "writable"})).data
    patched = await api.patch(f"{RANGES}/1", replacing(f"/{name}", 1))
    assert patched.details == [("validation_error.read_only_field", "[0].path")]
    body = {"name": "x", "state": "active", name: 1}
    replaced = await api.put(f"{RANGES}/1", body)
    assert replaced.details == [("validation_error.read_only_field", name)]
    assert (await api.put(f"{RANGES}/1", body | {name: None})).status == 200


async def test_failed_test_and_inapplicable_operation(api: Api) -> None:
    """Errors, 409 and 422: a failed test; an operation that cannot be applied."""
    failed = await api.patch(f"{RANGES}/1", [{"op": "test", "path": "/name", "value": "?"}])
    assert (failed.status, failed.json["code"]) == (409, "conflict.test_failed")
    operations = [
        {"op": "remove", "path": "/userDefinedId"},
        {"op": "remove", "path": "/userDefinedId"},
    ]
    inapplicable = await api.patch(f"{RANGES}/1", operations)
    assert (inapplicable.status, inapplicable.json["code"]) == (422, "unprocessable.patch")


async def test_another_organizations_record_is_403_everywhere(api: Api, other_api: Api) -> None:
    """Errors, 403: a size range of another organization, bulk included; a missing id is 404."""
    foreign = (await other_api.get(RANGES)).data[0]["id"]
    body = {"name": "Mine now", "state": "active"}
    for number, status, kind in (
        (foreign, 403, "forbidden.organization"),
        (987654321, 404, "not_found"),
    ):
        path = f"{RANGES}/{number}"
        for answer in (
            await api.get(path),
            await api.put(path, body),
            await api.patch(path, replacing("/name", "Mine now")),
            await api.delete(path),
        ):
            assert (answer.status, answer.details) == (status, [(kind, "id")])
        bulk = await api.put(RANGES, [{"id": 1, **body}, {"id": number, **body}])
        assert (bulk.status, bulk.details) == (status, [(kind, "[1].id")])
        gone = await api.delete(RANGES, [("ids", 2), ("ids", number)])
        assert (gone.status, gone.details) == (status, [(kind, "ids[1]")])
    assert (await api.get(f"{RANGES}/1")).data["name"] != "Mine now"
    assert (await other_api.get(f"{RANGES}/{foreign}")).data["name"] != "Mine now"


async def test_forbidden_speaks_before_missing(api: Api, other_api: Api) -> None:
    """Of several failures 403 decides the status; every row is there (contract, section 4)."""
    foreign = (await other_api.get(RANGES)).data[0]["id"]
    answer = await api.delete(RANGES, [("ids", 987654321), ("ids", foreign)])
    assert (answer.status, answer.json["code"]) == (403, "forbidden.organization")
    assert answer.details == [("not_found", "ids[0]"), ("forbidden.organization", "ids[1]")]


async def test_advanced_grading_needs_pro(api: Api, other_api: Api, demo_dsn: str) -> None:
    """Endpoints, Size ranges: isAdvancedGrading is silently cleared without the Pro module."""
    assert (await api.post(RANGES, {"name": "P", "isAdvancedGrading": True})).data[
        "isAdvancedGrading"
    ]
    path = await create(other_api, isAdvancedGrading=True)
    body = {"name": "Kids", "state": "active", "isAdvancedGrading": True}
    for answer in (
        await other_api.get(path),
        await other_api.put(path, body),
        await other_api.patch(path, replacing("/isAdvancedGrading", True)),
        await other_api.get(path, {"form": "writable"}),
    ):
        assert (answer.status, answer.data["isAdvancedGrading"]) == (200, False)
    assert await stored_grading(demo_dsn, path) is False


async def test_own_writable_form_changes_nothing_after_pro_ends(api: Api, demo_dsn: str) -> None:
    """Law: replace by the own writable form changes nothing, also with the module gone."""
    path = await create(api, isAdvancedGrading=True)
    connection = await asyncpg.connect(demo_dsn)
    await connection.execute("update organization set pro = false")
    await connection.close()
    before = await api.get(path)
    assert before.data["isAdvancedGrading"] is False
    writable = (await api.get(path, {"form": "writable"})).data
    assert (await api.put(path, writable)).headers["ETag"] == before.headers["ETag"]
    assert await stored_grading(demo_dsn, path) is False


async def stored_grading(dsn: str, path: str) -> bool:
    connection = await asyncpg.connect(dsn)
    try:
        text = "select is_advanced_grading from size_range where id = $1"
        return bool(await connection.fetchval(text, int(path.rpartition("/")[2])))
    finally:
        await connection.close()


async def test_promoting_demotes_the_previous_default(api: Api) -> None:
    """Endpoints, Size ranges: promoting isDefault demotes the previous default."""
    [first] = await default_ids(api)
    others = [one["id"] for one in (await api.get(RANGES)).data if one["id"] != first]
    await api.patch(f"{RANGES}/{others[0]}", replacing("/isDefault", True))
    assert await default_ids(api) == [others[0]]
    body = {"name": "x", "state": "active", "isDefault": True}
    await api.put(f"{RANGES}/{others[1]}", body)
    assert await default_ids(api) == [others[1]]
    created = (await create(api, isDefault=True)).rpartition("/")[2]
    assert await default_ids(api) == [int(created)]
    bulk = [
        {"id": int(created), "name": "Kids", "state": "active"},
        {"id": first, **body},
        {"id": others[0], "name": "y", "state": "active", "isDefault": False},
    ]
    shown = (await api.put(RANGES, bulk)).data
    assert [one["isDefault"] for one in shown] == [False, True, False]
    assert await default_ids(api) == [first]


async def test_failed_promotion_demotes_nothing(api: Api) -> None:
    """Bulk is all or nothing: the previous default stays when another item fails."""
    before = await default_ids(api)
    items = [
        {"id": 1, "name": "x", "state": "active", "isDefault": True},
        {"id": 987654321, "name": "x", "state": "active"},
    ]
    assert (await api.put(RANGES, items)).status == 404
    assert await default_ids(api) == before


async def test_two_defaults_in_one_request_are_refused(api: Api) -> None:
    """One request promotes one size range at most (`duplicate`)."""
    duplicate = [("validation_error.duplicate", "[2].isDefault")]
    flags = ({"isDefault": True}, {"isDefault": False}, {"isDefault": True}, {"isDefault": False})
    replaced = [
        {"id": n, "name": "x", "state": "active", **flag} for n, flag in enumerate(flags, 1)
    ]
    created = [{"name": "x", **flag} for flag in flags]
    for answer in (await api.put(RANGES, replaced), await api.post(RANGES, created)):
        assert (answer.status, answer.details) == (400, duplicate)


async def test_concurrent_promotions_leave_one_default(api: Api) -> None:
    """Promotions at the same time wait for each other; none fails and one is the default."""
    ids = [one["id"] for one in (await api.get(RANGES, {"state": "active"})).data][:12]
    body = {"name": "x", "state": "active", "isDefault": True}
    answers = await asyncio.gather(
        *(api.patch(f"{RANGES}/{one}", replacing("/isDefault", True)) for one in ids[:4]),
        *(api.put(f"{RANGES}/{one}", body) for one in ids[4:8]),
        *(api.put(RANGES, [{"id": one, **body}]) for one in ids[8:]),
        *(api.post(RANGES, {"name": "new", "isDefault": True}) for _ in range(4)),
    )
    assert {answer.status for answer in answers} == {200, 201}
    assert len(await default_ids(api)) == 1


async def test_replace_keeps_an_omitted_default(api: Api) -> None:
    """Full replace: omitted isDefault is kept, other booleans and fields are cleared."""
    [default] = await default_ids(api)
    path = f"{RANGES}/{default}"
    await api.patch(path, replacing("/isAdvancedGrading", True))
    for extra in ({}, {"isDefault": None}):
        shown = (await api.put(path, {"name": "x", "state": "active", **extra})).data
        assert (shown["isDefault"], shown["isAdvancedGrading"]) == (True, False)
        assert shown["userDefinedId"] is None
        assert shown["sizes"]
    missing = await api.put(path, {"isDefault": True})
    assert missing.details == [
        ("validation_error.required_field", "name"),
        ("validation_error.required_field", "state"),
    ]


async def test_default_may_be_inactive_and_may_be_demoted(api: Api) -> None:
    """PUT or PATCH with state inactive is accepted; no default is no failure either."""
    [default] = await default_ids(api)
    path = f"{RANGES}/{default}"
    inactive = (await api.patch(path, replacing("/state", "inactive"))).data
    assert (inactive["state"], inactive["isDefault"]) == ("inactive", True)
    await api.patch(path, replacing("/isDefault", False))
    assert await default_ids(api) == []


async def test_default_is_not_deleted(api: Api) -> None:
    """Delete-time rules: deleting the default size range is 409 `conflict.in_use`."""
    [default] = await default_ids(api)
    free = int((await create(api)).rpartition("/")[2])
    in_use = [("conflict.in_use", "id")]
    answer = await api.delete(f"{RANGES}/{default}")
    assert (answer.status, answer.details) == (409, in_use)
    bulk = await api.delete(RANGES, [("ids", free), ("ids", default)])
    assert (bulk.status, bulk.details) == (409, [("conflict.in_use", "ids[1]")])
    items = [
        {"id": default, "name": "x", "state": "deleted"},
        {"id": free, "name": "x", "state": "active", "isDefault": True},
    ]
    mixed = await api.put(RANGES, items)
    assert (mixed.status, mixed.details) == (409, [("conflict.in_use", "[0].id")])
    assert (await api.get(f"{RANGES}/{free}")).data["state"] == "active"
    await api.patch(f"{RANGES}/{free}", replacing("/isDefault", True))
    assert (await api.delete(f"{RANGES}/{default}")).data["state"] == "deleted"


async def test_deleted_is_soft_and_restored(api: Api) -> None:
    """States: deleted softly, again 200; a write with state active or inactive restores."""
    path = await create(api, userDefinedId="SR-K")
    before = (await api.get(path)).data
    deleted = (await api.delete(path)).data
    assert deleted == before | {"state": "deleted"}
    assert (await api.delete(path)).data == deleted
    assert before["id"] not in [one["id"] for one in (await api.get(RANGES)).data]
    assert (await api.patch(path, replacing("/state", "active"))).data == before


async def test_deleted_record_is_not_promoted(api: Api) -> None:
    """A deleted size range cannot be the default, unless the same write restores it."""
    path = await create(api)
    await api.delete(path)
    answer = await api.patch(path, replacing("/isDefault", True))
    assert (answer.status, answer.details) == (
        400,
        [("validation_error.invalid_value", "isDefault")],
    )
    both = replacing("/isDefault", True) + replacing("/state", "active")
    assert (await api.patch(path, both)).data["isDefault"]
