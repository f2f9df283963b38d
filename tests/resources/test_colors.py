"""Tests of colors (contract, Colors)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Colors")

COLORS = "/api/colors"
GOOD: dict[str, Any] = {"name": "Kelp", "state": "active"}
TEXTS = ("userDefinedId", "userDefinedId2", "colorReference", "colorNote")
LINKS = ("colorGroupIds", "languageIds")


async def _writable(api: Api, color: int) -> dict[str, Any]:
    writable: dict[str, Any] = (await api.get(f"/api/colors/{color}?form=writable")).data
    return writable | {"id": color}


async def _linked(api: Api) -> dict[str, Any]:
    """Return the writable form of a color with groups and named languages, beside a group."""
    groups = (await api.post("/api/color-groups", [{"name": name} for name in "ABC"])).data
    links = {"colorGroupIds": [group["id"] for group in groups[:2]], "languageIds": [2, 3]}
    color = (await api.post(COLORS, GOOD | links)).data["id"]
    named = [{"languageId": id_, "colorName": f"Name {id_}"} for id_ in links["languageIds"]]
    assert (await api.put(f"{COLORS}/{color}/translations", named)).status == 200
    return await _writable(api, color)


async def test_links_become_the_set_that_is_sent_and_staying_names_stay(api: Api) -> None:
    """Contract, Colors: colorGroupIds and languageIds are whole sets; names of links stay."""
    color = await _linked(api)
    groups = [group["id"] for group in (await api.get("/api/color-groups")).data]
    new = next(group for group in groups if group not in color["colorGroupIds"])
    before = (await api.get(f"/api/colors/{color['id']}")).data
    color["colorGroupIds"] = sorted([*color["colorGroupIds"][1:], new])
    added = next(n for n in range(1, 40) if n not in color["languageIds"])
    color["languageIds"] = sorted([*color["languageIds"][1:], added])
    (after,) = (await api.put("/api/colors", [color])).data
    assert [group["id"] for group in after["colorGroups"]] == color["colorGroupIds"]
    assert [name["languageId"] for name in after["languageNames"]] == color["languageIds"]
    names = {name["languageId"]: name["colorName"] for name in after["languageNames"]}
    assert names.pop(added) == after["name"]
    previous = {name["languageId"]: name["colorName"] for name in before["languageNames"]}
    assert names.items() <= previous.items()


async def test_every_place_of_an_unknown_reference_is_reported_in_request_order(api: Api) -> None:
    """Contract, Colors: unknown colorGroupIds and languageIds are unknown_reference."""
    first, second = await _linked(api), await _linked(api)
    group_id = first["colorGroupIds"][0]
    first["colorGroupIds"] = [999_999, group_id, 888_888]
    second["languageIds"] = [1, 999_999]
    second["colorGroupIds"] = [999_999]
    answer = await api.put("/api/colors", [first, second])
    unknown = "validation_error.unknown_reference"
    assert answer.status == 400
    assert answer.details == [
        (unknown, "[0].colorGroupIds[0]"),
        (unknown, "[0].colorGroupIds[2]"),
        (unknown, "[1].colorGroupIds[0]"),
        (unknown, "[1].languageIds[1]"),
    ]
    assert answer.json["error"]["failed_items"] == 2


@pytest.mark.demo_data
@pytest.mark.contract("Features")
async def test_without_the_feature_stored_languages_stay(other_api: Api) -> None:
    """Contract, Colors: feature off, a list is refused and an empty one keeps links."""
    colors = (await other_api.get("/api/colors?pageSize=100")).data
    color = await _writable(other_api, next(c["id"] for c in colors if c["languageNames"]))
    assert color["languageIds"] == []
    before = (await other_api.get(f"/api/colors/{color['id']}")).data
    color["colorNote"] = "Lab dip approved."
    color["colorGroupIds"] = []
    (after,) = (await other_api.put("/api/colors", [color])).data
    assert after["languageNames"] == before["languageNames"]
    assert after["colorGroups"] == []
    refused = await other_api.put("/api/colors", [color | {"languageIds": [1]}])
    assert refused.details == [("validation_error.feature_disabled", "[0].languageIds")]


@pytest.mark.contract("Presence")
@in_each("nothing", [{}, dict.fromkeys((*TEXTS, *LINKS)), {n: [] for n in LINKS}])
async def test_omitted_fields_are_cleared(api: Api, nothing: dict[str, Any]) -> None:
    """Contract, Colors: null clears each text; empty, null and omitted clear links."""
    group = (await api.post("/api/color-groups", {"name": "Greens"})).data["id"]
    full = GOOD | dict.fromkeys(TEXTS, "x") | {"colorGroupIds": [group], "languageIds": [8]}
    made = await api.post(COLORS, full)
    path = made.headers["Location"]
    cleared: dict[str, Any] = dict.fromkeys(TEXTS) | {"colorGroups": [], "languageNames": []}
    assert all(made.data[name] for name in cleared)
    assert (await api.put(path, GOOD | nothing)).data == made.data | cleared
    await api.put(path, full)
    bulk = await api.put(COLORS, [{"id": made.data["id"], **GOOD, **nothing}])
    assert bulk.data == [made.data | cleared]


@pytest.mark.demo_data
@pytest.mark.contract("Features")
@in_each("nothing", [{}, {"languageIds": None}, {"languageIds": []}])
async def test_feature_off_leaves_links(other_api: Api, nothing: dict[str, Any]) -> None:
    """Contract, Colors: feature off, empty, null and omitted leave stored links alone."""
    colors = (await other_api.get(COLORS, {"pageSize": "100"})).data
    color = next(color for color in colors if color["languageNames"])
    shown = (await other_api.put(COLORS, [{"id": color["id"], **GOOD, **nothing}])).data[0]
    assert [link["languageId"] for link in shown["languageNames"]] == [
        link["languageId"] for link in color["languageNames"]
    ]
    path = f"{COLORS}/{color['id']}"
    for answer in (
        await other_api.put(path, GOOD | {"languageIds": [8]}),
        await other_api.post(COLORS, GOOD | {"languageIds": [8]}),
        await other_api.patch(path, [{"op": "add", "path": "/languageIds/-", "value": 8}]),
    ):
        expected = [("validation_error.feature_disabled", "languageIds")]
        assert (answer.status, answer.details) == (400, expected)


async def test_own_name_until_there_is_a_translation(api: Api) -> None:
    """Contract, Colors: colorName is the color's own name while no translation is stored."""
    path = (await api.post(COLORS, GOOD | {"languageIds": [8]})).headers["Location"]
    patch = [{"op": "replace", "path": "/name", "value": "Deep kelp"}]
    assert (await api.patch(path, patch)).data["languageNames"] == [
        {"languageId": 8, "languageName": "German", "languageCode": "de", "colorName": "Deep kelp"}
    ]


async def test_faulty_fields(api: Api) -> None:
    """Contract, Colors: name and state are required, the links that are shown read-only."""
    made = (await api.post(COLORS, GOOD)).data
    for wrong, kind, field in (
        ({"name": ""}, "too_short", "name"),
        ({"name": None}, "required_field", "name"),
        ({"state": None}, "required_field", "state"),
        ({"colorNote": "n" * 4001}, "too_long", "colorNote"),
        ({"colorGroups": []}, "read_only_field", "colorGroups"),
        ({"languageNames": []}, "read_only_field", "languageNames"),
        ({"colorGroupIds": [0]}, "out_of_range", "colorGroupIds[0]"),
    ):
        single = await api.put(f"{COLORS}/{made['id']}", GOOD | wrong)
        bulk = await api.put(COLORS, [{"id": made["id"], **GOOD, **wrong}])
        assert single.details == [(f"validation_error.{kind}", field)]
        assert bulk.details == [(f"validation_error.{kind}", f"[0].{field}")]
    missing = (await api.put(COLORS, [{}])).details
    required = "validation_error.required_field"
    assert missing == [(required, f"[0].{name}") for name in ("id", "name", "state")]
    assert (await api.get(f"{COLORS}/{made['id']}")).data == made


@pytest.mark.contract("States")
async def test_states(api: Api) -> None:
    """Contract, States: bulk PUT deletes softly; PUT and PATCH store the state, but deleted."""
    made = (await api.post(COLORS, GOOD)).data
    path = f"{COLORS}/{made['id']}"
    deleted = await api.put(COLORS, [{"id": made["id"], "name": "unread", "state": "deleted"}])
    assert deleted.data == [made | {"state": "deleted"}]
    for state in ("active", "inactive"):
        patch = [{"op": "replace", "path": "/state", "value": state}]
        assert (await api.patch(path, patch)).data["state"] == state
        await api.delete(path)
        assert (await api.put(path, GOOD | {"state": state})).data["state"] == state
        await api.delete(path)
    refused = [("validation_error.state_not_allowed", "state")]
    patch = [{"op": "add", "path": "/state", "value": "deleted"}]
    assert (await api.put(path, GOOD | {"state": "deleted"})).details == refused
    assert (await api.patch(path, patch)).details == refused
