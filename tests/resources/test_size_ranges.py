"""Tests of size ranges (contract, Size ranges)."""

import pytest
from asyncpg import Connection

from tests.support.api import Api, replacing
from tests.support.offenders import in_each
from tests.support.openapi_validation import form
from tests.support.size_ranges import RANGES, create

pytestmark = [
    pytest.mark.contract("Size ranges"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]


@pytest.fixture
async def path(api: Api) -> str:
    """The path of a size range with an own key."""
    return await create(api, userDefinedId="SR-1")


@pytest.mark.demo_data
async def test_documents_show_sizes_and_the_default_grading_size(api: Api) -> None:
    """Size range fields: sizes by id, defaultGradingSizeName joined."""
    shown = (await api.get(RANGES, {"pageSize": 100})).data
    for size_range in shown:
        form("size-ranges", "document").validate(size_range)
        ids = [size["id"] for size in size_range["sizes"]]
        assert ids == sorted(ids)
        names = {size["id"]: size["name"] for size in size_range["sizes"]}
        assert names[size_range["defaultGradingSizeId"]] == size_range["defaultGradingSizeName"]
    by_name = {"defaultGradingSizeName": shown[0]["defaultGradingSizeName"]}
    assert shown[0] in (await api.get(RANGES, by_name)).data


@pytest.mark.contract("Patches")
async def test_touched_fields_are_written_omitted_ones_preserved(api: Api, path: str) -> None:
    """Contract, Patches: touched fields are written, all others stay."""
    before = (await api.get(path)).data
    answer = await api.patch(path, replacing("/name", "Women Alpha"))
    assert (answer.status, answer.data) == (200, before | {"name": "Women Alpha"})
    cleared = await api.patch(path, replacing("/userDefinedId", None))
    assert cleared.data == before | {"name": "Women Alpha", "userDefinedId": None}


async def test_name_cannot_be_cleared_and_state_cannot_be_removed(api: Api, path: str) -> None:
    """Contract, Patches: 400 for a name that is cleared or a state that is removed."""
    before = (await api.get(path)).data
    for patch, row in (
        (replacing("/name", ""), ("validation_error.too_short", "name")),
        (replacing("/name", None), ("validation_error.required_field", "name")),
        ([{"op": "remove", "path": "/name"}], ("validation_error.required_field", "name")),
        ([{"op": "remove", "path": "/state"}], ("validation_error.required_field", "state")),
        (replacing("/state", None), ("validation_error.required_field", "state")),
        (replacing("/state", "deleted"), ("validation_error.state_not_allowed", "state")),
    ):
        answer = await api.patch(path, patch)
        assert (answer.status, answer.details) == (400, [row])
    assert (await api.get(path)).data == before


@in_each("name", ["defaultGradingSizeId", "defaultGradingSizeName", "sizes"])
async def test_sizes_are_not_part_of_the_patch_document(api: Api, path: str, name: str) -> None:
    """Contract, Size ranges: defaultGradingSizeId and sizes are read-only."""
    assert name not in (await api.get(path, {"form": "writable"})).data
    patched = await api.patch(path, replacing(f"/{name}", 1))
    assert patched.details == [("validation_error.read_only_field", "[0].path")]
    body = {"name": "x", "state": "active", name: 1}
    replaced = await api.put(path, body)
    assert replaced.details == [("validation_error.read_only_field", name)]
    assert (await api.put(path, body | {name: None})).status == 200


@pytest.mark.contract("Tenancy")
async def test_another_organizations_record_is_403_everywhere(api: Api, other_api: Api) -> None:
    """Contract, Tenancy: another organization's is 403, in bulk too; a missing id is 404."""
    foreign = int((await create(other_api)).rpartition("/")[2])
    own = int((await create(api)).rpartition("/")[2])
    body = {"name": "Mine now", "state": "active"}
    unused = (await api.post(RANGES, {"name": "Unused"})).data["id"]
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
        bulk = await api.put(RANGES, [{"id": own, **body}, {"id": number, **body}])
        assert (bulk.status, bulk.details) == (status, [(kind, "[1].id")])
        gone = await api.delete(RANGES, [("ids", unused), ("ids", number)])
        assert (gone.status, gone.details) == (status, [(kind, "ids[1]")])
    assert (await api.get(f"{RANGES}/{own}")).data["name"] != "Mine now"
    assert (await other_api.get(f"{RANGES}/{foreign}")).data["name"] != "Mine now"


@pytest.mark.contract("Errors", "Tenancy")
async def test_forbidden_speaks_before_missing(api: Api, other_api: Api) -> None:
    """Of several failures 403 decides the status; every row is there (contract, Errors)."""
    foreign = int((await create(other_api)).rpartition("/")[2])
    answer = await api.delete(RANGES, [("ids", 987654321), ("ids", foreign)])
    assert (answer.status, answer.json["code"]) == (403, "forbidden.organization")
    assert answer.details == [("not_found", "ids[0]"), ("forbidden.organization", "ids[1]")]


@pytest.mark.contract("Features")
async def test_advanced_grading_needs_pro(
    api: Api, other_api: Api, shared_connection: Connection
) -> None:
    """Contract, Size ranges: isAdvancedGrading is silently cleared without the Pro module."""
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
    assert await stored_grading(shared_connection, path) is False


@pytest.mark.contract("Features", "Writable form")
async def test_own_writable_form_changes_nothing_after_pro_ends(
    api: Api, shared_connection: Connection
) -> None:
    """Property: replace by the own writable form changes nothing, also with the module gone."""
    path = await create(api, isAdvancedGrading=True)
    setting = "update organization set pro = false where id = $1"
    await shared_connection.execute(setting, api.organization_id)
    before = await api.get(path)
    assert before.data["isAdvancedGrading"] is False
    writable = (await api.get(path, {"form": "writable"})).data
    assert (await api.put(path, writable)).headers["ETag"] == before.headers["ETag"]
    assert await stored_grading(shared_connection, path) is False


async def stored_grading(connection: Connection, path: str) -> bool:
    text = "select is_advanced_grading from size_range where id = $1"
    return bool(await connection.fetchval(text, int(path.rpartition("/")[2])))


@pytest.mark.contract("States")
async def test_deleted_is_soft_and_restored(api: Api) -> None:
    """Contract, States: deleted softly, again 200; writing active or inactive restores."""
    path = await create(api, userDefinedId="SR-K")
    before = (await api.get(path)).data
    deleted = (await api.delete(path)).data
    assert deleted == before | {"state": "deleted"}
    assert (await api.delete(path)).data == deleted
    assert before["id"] not in [size_range["id"] for size_range in (await api.get(RANGES)).data]
    assert (await api.patch(path, replacing("/state", "active"))).data == before
