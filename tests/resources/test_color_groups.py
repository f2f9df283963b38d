"""Tests of color groups (contract, Color groups)."""

import pytest

from tests.support import plain_records
from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Color groups")

GROUPS, COLORS = "/api/color-groups", "/api/colors"


async def test_fields(api: Api) -> None:
    """``userDefinedId``, ``name`` and ``state``."""
    await plain_records.has_key_name_and_state(api, GROUPS, "userDefinedId")


@pytest.mark.contract("States")
async def test_color_groups_in_use_are_not_deleted(api: Api) -> None:
    """In use: only by live colors, and told by how many."""
    group = (await api.post(GROUPS, {"name": "Ochres"})).data["id"]
    made = await api.post(COLORS, [{"name": n, "colorGroupIds": [group]} for n in ("A", "B", "C")])
    first, *others = [color["id"] for color in made.data]
    refused = await api.delete(f"{GROUPS}/{group}")
    assert (refused.status, refused.details) == (409, [("conflict.in_use", "id")])
    assert refused.json["error"]["details"][0]["value"].startswith("Used by colors: 3 (")
    assert (await api.delete(COLORS, [("ids", color_id) for color_id in others])).status == 200
    refused = await api.delete(GROUPS, [("ids", group)])
    assert refused.json["error"]["details"][0]["value"] == f"Used by colors: 1 ({first})."
    assert (await api.put(f"{COLORS}/{first}", {"name": "A", "state": "active"})).status == 200
    assert (await api.delete(f"{GROUPS}/{group}")).data["state"] == "deleted"


async def test_a_deleted_one_takes_no_colors(api: Api) -> None:
    """Neither new ones nor restored ones; one that stays deleted can be written all the same."""
    group = (await api.post(GROUPS, {"name": "Ochres"})).data["id"]
    color = (await api.post(COLORS, {"name": "A", "colorGroupIds": [group]})).headers["Location"]
    assert (await api.delete(color)).status == 200
    assert (await api.delete(f"{GROUPS}/{group}")).status == 200
    shown = (await api.get(color)).data["colorGroups"]
    assert [(entry["id"], entry["state"]) for entry in shown] == [(group, "deleted")]
    unknown = [("validation_error.unknown_reference", "colorGroupIds[0]")]
    assert (await api.post(COLORS, {"name": "B", "colorGroupIds": [group]})).details == unknown
    assert (await api.patch(color, replacing("/state", "active"))).details == unknown
    assert (await api.patch(color, replacing("/name", "C"))).data["state"] == "deleted"
    restored = await api.put(color, {"name": "A", "state": "active"})
    assert (restored.status, restored.data["colorGroups"]) == (200, [])
