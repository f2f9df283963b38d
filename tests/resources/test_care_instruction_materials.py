"""Tests of rules of materials alone (contract, Care instruction materials).

They are deleted softly, and a userDefinedId belongs to one live material of an organization.
"""

import asyncio
from random import Random
from typing import Any

import pytest

from tests.support import rows
from tests.support.api import Answer, Api
from tests.support.openapi_validation import form, is_failure

pytestmark = [
    pytest.mark.contract("Care instruction materials"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

MATERIALS = "/api/care-instruction-materials"


async def make(api: Api, *references: str | None) -> list[dict[str, Any]]:
    """Create materials with these references."""
    items = [{"userDefinedId": reference, "text": "Kapok"} for reference in references]
    answer = await api.post(MATERIALS, items)
    assert answer.status == 201, answer.raw
    return list(answer.data)


def path(material: dict[str, Any]) -> str:
    """Return the material's own path."""
    return f"{MATERIALS}/{material['id']}"


def is_duplicate(answer: Answer, *fields: str) -> None:
    """Raise unless the answer refuses the references in these fields, which others hold."""
    is_failure(answer, 409, "conflict.duplicate")
    assert answer.details == [("conflict.duplicate", field) for field in fields]


@pytest.mark.contract("Limits")
async def test_reference_length(api: Api) -> None:
    """Contract, Limits: the 50 characters of care instructions do not bind materials.

    What nothing can compress and takes four bytes a character fits the unique index, too.
    """
    longest = "".join(Random(1).choices([chr(code) for code in range(0x20000, 0x2A000)], k=500))
    [made] = await make(api, longest)
    assert made["userDefinedId"] == longest
    answer = await api.put(path(made), {"userDefinedId": longest + "x"})
    assert answer.details == [("validation_error.too_long", "userDefinedId")]


@pytest.mark.contract("States")
async def test_delete_and_restore(api: Api) -> None:
    """DELETE is soft: read by id, not listed, deleted again without a change, restored."""
    made = (
        await api.post(
            MATERIALS, {"text": "Kapok", "languages": [{"languageId": 14, "text": "Kapok"}]}
        )
    ).data
    deleted = await api.delete(path(made))
    assert deleted.data == made | {"state": "deleted"}
    form("care-instruction-materials", "document").validate(deleted.data)
    assert (await api.delete(path(made))).data == deleted.data
    assert (await api.get(path(made))).data == deleted.data
    assert (await api.get(MATERIALS, {"id": str(made["id"])})).data == []
    assert (await api.put(path(made), {"text": "Silk cotton"})).data["state"] == "deleted"
    restored = await api.put(path(made), {"text": "Kapok", "state": "active"})
    assert restored.data == made


@pytest.mark.contract("Bulk")
async def test_bulk_put_with_state_deleted(api: Api) -> None:
    """Bulk PUT with state=deleted deletes softly, beside items that are updated."""
    gone, remaining = await make(api, "KP", None)
    answer = await api.put(
        MATERIALS,
        [{"id": gone["id"], "state": "deleted"}, {"id": remaining["id"], "state": "inactive"}],
    )
    assert [record["state"] for record in answer.data] == ["deleted", "inactive"]
    assert (await api.get(path(gone))).data["state"] == "deleted"


@pytest.mark.contract("Common fields")
async def test_deleted_positions_count(api: Api) -> None:
    """Contract, Common fields: that of a deleted material is not given again."""
    [made] = await make(api, None)
    await api.delete(path(made))
    assert (await make(api, None))[0]["position"] == made["position"] + 1


async def test_reference_that_another_holds(api: Api) -> None:
    """userDefinedId unique: in create, PUT, PATCH and bulk PUT; nothing is changed."""
    holder, other = await make(api, "KP", "KP-2")
    patch = [{"op": "replace", "path": "/userDefinedId", "value": "KP"}]
    is_duplicate(await api.post(MATERIALS, {"userDefinedId": "KP", "text": "x"}), "userDefinedId")
    is_duplicate(await api.put(path(other), {"userDefinedId": "KP"}), "userDefinedId")
    is_duplicate(await api.patch(path(other), patch), "userDefinedId")
    in_bulk = [{"text": "x"}, {"userDefinedId": "KP", "text": "x"}]
    is_duplicate(await api.post(MATERIALS, in_bulk), "[1].userDefinedId")
    items = [{"id": holder["id"]}, {"id": other["id"], "userDefinedId": "KP"}]
    is_duplicate(await api.put(MATERIALS, items), "[1].userDefinedId")
    assert (await api.get(path(other))).data == other
    same = await api.put(path(holder), {"userDefinedId": "KP"})
    assert same.data == holder


async def test_inactive_materials_hold_their_reference(api: Api) -> None:
    """userDefinedId unique: live is active or inactive."""
    [holder] = await make(api, "KP")
    await api.put(path(holder), {"state": "inactive"})
    is_duplicate(await api.post(MATERIALS, {"userDefinedId": "KP", "text": "x"}), "userDefinedId")


async def test_reference_twice_in_one_request(api: Api) -> None:
    """userDefinedId twice in one request: 400 duplicate, but an item that deletes claims none."""
    first, second = await make(api, "KP", "KP-2")
    twice = [{"userDefinedId": "KP-3", "text": "x"}] * 2
    replaced = [
        {"id": first["id"], "userDefinedId": "x"},
        {"id": second["id"], "userDefinedId": "x"},
    ]
    for answer in (await api.post(MATERIALS, twice), await api.put(MATERIALS, replaced)):
        is_failure(answer, 400, "validation_error.duplicate")
        assert answer.details == [("validation_error.duplicate", "[1].userDefinedId")]
    replaced[0]["state"] = "deleted"
    assert (await api.put(MATERIALS, replaced)).data[1]["userDefinedId"] == "x"


@pytest.mark.contract("Tenancy")
async def test_references_of_other_organizations(api: Api, other_api: Api) -> None:
    """userDefinedId unique within the organization."""
    await make(api, "KP")
    assert (await make(other_api, "KP"))[0]["userDefinedId"] == "KP"


async def test_deleted_materials_hold_none(api: Api) -> None:
    """Deleted records hold no reference; restoring checks again, by PUT, PATCH and bulk PUT."""
    [gone] = await make(api, "KP")
    await api.delete(path(gone))
    [holder] = await make(api, "KP")
    restore = [{"op": "replace", "path": "/state", "value": "active"}]
    is_duplicate(await api.put(path(gone), {"state": "active"}), "userDefinedId")
    is_duplicate(await api.patch(path(gone), restore), "userDefinedId")
    items = [{"id": gone["id"], "state": "active"}]
    is_duplicate(await api.put(MATERIALS, items), "[0].userDefinedId")
    assert (await api.put(path(gone), {"text": "Silk cotton"})).data["userDefinedId"] == "KP"
    renamed = await api.put(path(gone), {"state": "active", "userDefinedId": "KP-2"})
    assert renamed.data["state"] == "active"
    assert (await api.get(path(holder))).data == holder


async def test_two_restored_with_one_reference(api: Api) -> None:
    """Restoring checks again: two deleted materials do not come back with one reference."""
    gone = []
    for _ in range(2):
        gone += await make(api, "KP")
        await api.delete(path(gone[-1]))
    items = [{"id": material["id"], "state": "active"} for material in gone]
    is_duplicate(await api.put(MATERIALS, items), "[0].userDefinedId", "[1].userDefinedId")


@pytest.mark.parametrize("count", [2, 3, 100])
async def test_references_change_hands(api: Api, count: int) -> None:
    """Bulk PUT is judged by the state after it: materials may pass references around."""
    made = await make(api, *(f"KP-{n}" for n in range(count)))
    items = [
        {"id": material["id"], "userDefinedId": made[n - 1]["userDefinedId"]}
        for n, material in enumerate(made)
    ]
    for sent in (items, items[::-1]):
        answer = await api.put(MATERIALS, sent)
        assert answer.status == 200, answer.raw
        expected = {item["id"]: item["userDefinedId"] for item in items}
        assert {record["id"]: record["userDefinedId"] for record in answer.data} == expected


@pytest.mark.parametrize("last_first", [False, True])
async def test_references_freed_by_the_same_request(api: Api, last_first: bool) -> None:
    """Bulk PUT is judged by the state after it: deleting and renaming free a reference."""
    gone, heir, renamed, other = await make(api, "KP-1", "KP-2", "KP-3", "KP-4")
    [restored] = await make(api, "KP-5")
    await api.delete(path(restored))
    [holder] = await make(api, "KP-5")
    items = [
        {"id": gone["id"], "state": "deleted"},
        {"id": heir["id"], "userDefinedId": "KP-1"},
        {"id": renamed["id"], "userDefinedId": "KP-6"},
        {"id": other["id"], "userDefinedId": "KP-3"},
        {"id": restored["id"], "state": "active"},
        {"id": holder["id"], "userDefinedId": "KP-7"},
    ]
    answer = await api.put(MATERIALS, items[::-1] if last_first else items)
    assert answer.status == 200, answer.raw
    stored_keys = {record["id"]: record["userDefinedId"] for record in answer.data}
    assert [stored_keys[item["id"]] for item in items] == [
        "KP-1",
        "KP-1",
        "KP-6",
        "KP-3",
        "KP-5",
        "KP-7",
    ]


async def test_reference_kept_by_an_item_that_does_not_name_it(api: Api) -> None:
    """Bulk PUT: an item that omits its reference keeps it, and no other item may have it."""
    keeper, other = await make(api, "KP", None)
    items = [{"id": other["id"], "userDefinedId": "KP"}, {"id": keeper["id"], "text": "Ceiba"}]
    is_duplicate(await api.put(MATERIALS, items), "[0].userDefinedId")


async def test_reference_wanted_by_many_at_once(api: Api) -> None:
    """userDefinedId unique: of requests at the same time one gets it, the others 409."""
    made = await make(api, *[None] * 6)
    answers = await asyncio.gather(
        *(api.put(path(material), {"userDefinedId": "KP"}) for material in made)
    )
    assert sorted(answer.status for answer in answers) == [200, *[409] * 5]
    for answer in answers:
        if answer.status == 409:
            is_duplicate(answer, "userDefinedId")


@pytest.mark.parametrize(
    ("bulk", "said", "field"),
    [
        (False, {"userDefinedId": "KP"}, "userDefinedId"),
        (True, {"userDefinedId": "KP"}, "[1].userDefinedId"),
        (True, {"state": "active"}, None),
    ],
)
async def test_reference_taken_meanwhile(
    api: Api,
    shared_connection: Any,
    shared_dsn: str,
    bulk: bool,
    said: dict[str, str],
    field: str | None,
) -> None:
    """A race that the check cannot see ends in the index, and in conflict.duplicate as well."""
    free, late, taker = await make(api, None, "KP", None)
    late = (await api.delete(path(late))).data
    items = [{"id": free["id"], "text": "Ceiba"}, {"id": late["id"], "state": "active", **said}]
    async with shared_connection.transaction():
        await shared_connection.execute(
            "update care_instruction_material set user_defined_id = 'KP' where id = $1", taker["id"]
        )
        call = api.put(MATERIALS, items) if bulk else api.put(path(late), items[1])
        waiting = asyncio.create_task(call)
        await rows.wait_for_waiters(shared_dsn)
    answer = await waiting
    is_failure(answer, 409, "conflict.duplicate")
    assert answer.details == [("conflict.duplicate", field)]
    assert (await api.get(path(free))).data == free
    assert (await api.get(path(late))).data == late
