"""Tests of rules of care instructions alone (contract, Care instructions)."""

import asyncpg
import pytest

from tests.support.api import Api
from tests.support.openapi_validation import form

pytestmark = pytest.mark.contract("Care instructions")

CARE = "/api/care-instructions"
RINSE = {
    "userDefinedId": "RNS",
    "text": "Rinse cold",
    "languages": [{"languageId": 14, "text": "Rincer à froid"}],
}


@pytest.mark.contract("Limits")
async def test_reference_length(api: Api) -> None:
    """Contract, Limits: a userDefinedId of 50 characters."""
    made = (await api.post(CARE, RINSE | {"userDefinedId": "x" * 50})).data
    assert made["userDefinedId"] == "x" * 50
    for answer in (
        await api.post(CARE, RINSE | {"userDefinedId": "x" * 51}),
        await api.put(f"{CARE}/{made['id']}", {"userDefinedId": "x" * 51}),
    ):
        expected = [("validation_error.too_long", "userDefinedId")]
        assert (answer.status, answer.details) == (400, expected)


async def test_references_may_be_shared(api: Api) -> None:
    """Contract, Care instructions: a userDefinedId may be shared."""
    first, second = (await api.post(CARE, [RINSE, RINSE])).data
    assert first["userDefinedId"] == second["userDefinedId"]


@pytest.mark.contract("Bulk")
async def test_bulk_put_with_state_deleted(api: Api, shared_connection: asyncpg.Connection) -> None:
    """Contract, States: bulk PUT with state=deleted removes, beside items that are updated."""
    gone, remaining = (await api.post(CARE, [RINSE, RINSE])).data
    answer = await api.put(
        CARE,
        [{"id": gone["id"], "state": "deleted"}, {"id": remaining["id"], "text": "Rinse warm"}],
    )
    assert answer.status == 200
    assert answer.data == [gone | {"state": "deleted"}, remaining | {"text": "Rinse warm"}]
    form("care-instructions", "document").validate(answer.data[0])
    assert (await api.get(f"{CARE}/{gone['id']}")).status == 404
    rows = await shared_connection.fetch(
        "select from care_instruction_translation where care_instruction_id = $1", gone["id"]
    )
    assert rows == []


@pytest.mark.contract("States")
async def test_delete(api: Api) -> None:
    """DELETE is hard: 200 with the record as it was deleted, then it is unknown to everything."""
    made = (await api.post(CARE, RINSE)).data
    path = f"{CARE}/{made['id']}"
    assert (await api.delete(path)).data == made | {"state": "deleted"}
    for answer in (
        await api.delete(path),
        await api.get(path),
        await api.put(path, {"state": "active"}),
        await api.patch(path, []),
    ):
        assert (answer.status, answer.details) == (404, [("not_found", "id")])
    assert (await api.get(CARE, {"state": "deleted"})).data == []


@pytest.mark.contract("States")
async def test_bulk_delete(api: Api, other_api: Api) -> None:
    """Bulk DELETE: request order, all-or-nothing; unknown and foreign ids are the same 404."""
    made = (await api.post(CARE, [RINSE, RINSE])).data
    foreign = (await other_api.post(CARE, RINSE)).data["id"]
    ids = [("ids", record["id"]) for record in reversed(made)]
    for id_ in (foreign, 987654321):
        answer = await api.delete(CARE, [*ids, ("ids", id_)])
        assert (answer.status, answer.details) == (404, [("not_found", "ids[2]")])
    assert (await api.get(f"{CARE}/{made[0]['id']}")).data == made[0]
    answer = await api.delete(CARE, ids)
    assert [record["id"] for record in answer.data] == [made[1]["id"], made[0]["id"]]
    assert (await api.get(f"{CARE}/{made[0]['id']}")).status == 404
    assert (await other_api.get(f"{CARE}/{foreign}")).status == 200


@pytest.mark.contract("Common fields")
async def test_position_after_a_hard_delete(api: Api) -> None:
    """Contract, Common fields: the highest position there is plus one, however many there are."""
    gone, last = (await api.post(CARE, [RINSE, RINSE])).data
    await api.delete(f"{CARE}/{gone['id']}")
    assert (await api.post(CARE, RINSE)).data["position"] == last["position"] + 1
