"""Groups (specification, Group and Groups (bulk); contract, section 6)."""

from tests.support.api import Api

GROUPS = "/api/groups"


async def test_create_replace_delete_restore(api: Api) -> None:
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


async def test_groups_that_styles_use_are_not_deleted(api: Api) -> None:
    before = (await api.get(f"{GROUPS}/1")).data
    free = (await api.post(GROUPS, {"name": "Free"})).data["id"]
    answer = await api.delete(GROUPS, [("ids", 1), ("ids", free), ("ids", 2)])
    assert answer.status == 409
    assert answer.details == [("conflict.in_use", "ids[0]"), ("conflict.in_use", "ids[2]")]
    assert f"{before['usedInStyles']}" in answer.json["error"]["details"][0]["value"]
    assert (await api.get(f"{GROUPS}/1")).data == before
    assert (await api.get(f"{GROUPS}/{free}")).data["state"] == "active"


async def test_mixed_batch_commits_together(api: Api) -> None:
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
