"""Tests of groups (contract, Groups)."""

from typing import Any

import pytest

from tests.support.api import Api

pytestmark = pytest.mark.contract("Groups")

GROUPS = "/api/groups"
GOOD: dict[str, Any] = {"name": "Capsule 2027", "state": "active"}


@pytest.mark.contract("States")
async def test_create_replace_delete_restore(api: Api) -> None:
    """Contract, States: deleted softly and restored; endDate while it is not active."""
    created = await api.post(GROUPS, {"name": "Capsule 2027", "userDefinedId": "CAP-27"})
    assert created.status == 201
    path = created.headers["Location"]
    group = created.data
    assert (group["state"], group["usedInStyles"], group["properties"]) == ("active", 0, [])
    assert "endDate" not in group

    inactive = await api.put(path, {"name": "Capsule 2027", "state": "inactive"})
    assert inactive.data["userDefinedId"] is None
    assert inactive.data["endDate"] > group["beginDate"]

    deleted = await api.delete(path)
    assert deleted.data["state"] == "deleted"
    assert (await api.delete(path)).data == deleted.data
    restored = await api.put(path, {"name": "Capsule 2027", "state": "active"})
    assert "endDate" not in restored.data


@pytest.mark.shared_demo_data
@pytest.mark.contract("States")
async def test_groups_that_styles_use_are_not_deleted(api: Api) -> None:
    """Delete-time rules, bulk DELETE: 409 with how many styles; nothing is deleted."""
    before = (await api.get(f"{GROUPS}/1")).data
    free = (await api.post(GROUPS, {"name": "Free"})).data["id"]
    answer = await api.delete(GROUPS, [("ids", 1), ("ids", free), ("ids", 2)])
    assert answer.status == 409
    assert answer.details == [("conflict.in_use", "ids[0]"), ("conflict.in_use", "ids[2]")]
    assert f"{before['usedInStyles']}" in answer.json["error"]["details"][0]["value"]
    assert (await api.get(f"{GROUPS}/1")).data == before
    assert (await api.get(f"{GROUPS}/{free}")).data["state"] == "active"


@pytest.mark.contract("Bulk")
async def test_mixed_batch_commits_together(api: Api) -> None:
    """Contract, States: bulk PUT with state=deleted on groups, beside items that are updated."""
    made = (await api.post(GROUPS, [{"name": "One"}, {"name": "Two"}])).data
    answer = await api.put(
        GROUPS,
        [
            {"id": made[1]["id"], "name": "ignored", "state": "deleted"},
            {"id": made[0]["id"], "name": "Uno", "state": "inactive"},
        ],
    )
    assert [(g["name"], g["state"]) for g in answer.data] == [
        ("Two", "deleted"),
        ("Uno", "inactive"),
    ]


@pytest.mark.shared_demo_data
async def test_delete_time_rules_fire_in_a_mixed_batch(api: Api) -> None:
    """Contract, States: bulk PUT with state=deleted on a group in use is 409 for all."""
    free = (await api.post(GROUPS, {"name": "Free"})).data
    items = [{"id": free["id"], **GOOD}, {"id": 1, **GOOD, "state": "deleted"}]
    answer = await api.put(GROUPS, items)
    assert (answer.status, answer.details) == (409, [("conflict.in_use", "[1].id")])
    assert (await api.get(f"{GROUPS}/{free['id']}")).data == free


@pytest.mark.contract("Limits")
async def test_faulty_fields(api: Api) -> None:
    """Contract, Limits: name and userDefinedId; id, name and state are required."""
    made = (await api.post(GROUPS, GOOD)).data
    longest = GOOD | {"name": "n" * 200, "userDefinedId": "u" * 50}
    assert (await api.put(GROUPS, [{"id": made["id"], **longest}])).status == 200
    for wrong, kind, field in (
        ({"name": "n" * 201}, "too_long", "name"),
        ({"userDefinedId": "u" * 51}, "too_long", "userDefinedId"),
        ({"name": ""}, "too_short", "name"),
        ({"name": None}, "required_field", "name"),
        ({"state": None}, "required_field", "state"),
        ({"usedInStyles": 0}, "read_only_field", "usedInStyles"),
        ({"beginDate": made["beginDate"]}, "read_only_field", "beginDate"),
    ):
        single = await api.put(f"{GROUPS}/{made['id']}", GOOD | wrong)
        bulk = await api.put(GROUPS, [{"id": made["id"], **GOOD, **wrong}])
        assert single.details == [(f"validation_error.{kind}", field)]
        assert bulk.details == [(f"validation_error.{kind}", f"[0].{field}")]
    missing = await api.put(GROUPS, [{}])
    required = "validation_error.required_field"
    assert missing.details == [(required, f"[0].{name}") for name in ("id", "name", "state")]


@pytest.mark.parametrize("nothing", [{}, {"userDefinedId": None}])
async def test_reference_is_cleared(api: Api, nothing: dict[str, None]) -> None:
    """Contract, Groups: null clears the userDefinedId, and so does leaving it out."""
    made = (await api.post(GROUPS, GOOD | {"userDefinedId": "CAP-27"})).data
    shown = (await api.put(GROUPS, [{"id": made["id"], **GOOD, **nothing}])).data
    assert shown == [made | {"userDefinedId": None}]
