"""Tests of styles (contract, Styles)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.resources.test_style_trade_data import DEFAULTS
from tests.support.api import Api, replacing
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Styles")

STYLES = "/api/styles"
STYLE = {"number": "SV-1", "name": "Vest"}
#: What a style refers to: the collection, and the field for one of its ids.
REFERRED: dict[str, tuple[str, Callable[[int], Any]]] = {
    "brands": ("brandId", lambda record_id: record_id),
    "style-categories": ("styleCategoryId", lambda record_id: record_id),
    "groups": ("groupIds", lambda record_id: [record_id]),
}
of_each_referred = in_each("collection", REFERRED)


async def used(api: Api, collection: str) -> tuple[str, dict[str, Any]]:
    """Return the path of a new record, and a style's field that names it."""
    made = await api.post(f"/api/{collection}", {"name": "Coast"})
    name, as_value = REFERRED[collection]
    return made.headers["Location"], {name: as_value(made.data["id"])}


async def test_fields(api: Api) -> None:
    """Number, name and state; brand, style category and groups, which omitting clears."""
    fields: dict[str, Any] = {}
    for collection in REFERRED:
        fields |= (await used(api, collection))[1]
    made = await api.post(STYLES, STYLE | fields)
    assert made.data == {"id": made.data["id"], **STYLE, **fields, "state": "active"} | DEFAULTS
    more = (await api.post("/api/groups", {"name": "Second"})).data["id"]
    groups = [more, *fields["groupIds"]]
    location = made.headers["Location"]
    patched = await api.patch(location, replacing("/groupIds", groups))
    assert patched.data["groupIds"] == sorted(groups)
    bare = STYLE | {"state": "inactive"}
    replaced = await api.put(location, bare)
    assert replaced.data == {"id": made.data["id"], **bare, "groupIds": []} | DEFAULTS
    writable = (await api.get(location, {"form": "writable"})).data
    cleared: dict[str, Any] = {"brandId": None, "styleCategoryId": None, "groupIds": []}
    assert writable == bare | cleared | DEFAULTS


@pytest.mark.contract("States", "Brands", "Style categories", "Groups")
@of_each_referred
async def test_records_used_by_live_styles_are_not_deleted(api: Api, collection: str) -> None:
    """In use: brands, style categories and groups, by how many live styles."""
    path, field = await used(api, collection)
    made = await api.post(STYLES, [STYLE | field] * 3)
    ids = [style["id"] for style in made.data]
    refused = await api.delete(path)
    assert (refused.status, refused.details) == (409, [("conflict.in_use", "id")])
    named = ", ".join(f'{style_id} "{STYLE["number"]}"' for style_id in ids)
    assert refused.json["error"]["details"][0]["value"] == f"Used by styles: 3 ({named})."
    assert (await api.delete(STYLES, [("ids", style_id) for style_id in ids])).status == 200
    assert (await api.delete(path)).status == 200


@pytest.mark.contract("States")
@of_each_referred
async def test_restoring_checks_as_creating_does(api: Api, collection: str) -> None:
    """A deleted record is none to refer to; a style that stays deleted can be written."""
    path, field = await used(api, collection)
    location = (await api.post(STYLES, STYLE | field)).headers["Location"]
    assert (await api.delete(location)).status == 200
    assert (await api.delete(path)).status == 200
    name = REFERRED[collection][0]
    unknown = [
        ("validation_error.unknown_reference", "groupIds[0]" if name == "groupIds" else name)
    ]
    assert (await api.post(STYLES, STYLE | field)).details == unknown
    refused = await api.patch(location, replacing("/state", "active"))
    assert refused.details == unknown
    assert "is deleted. Restore it" in refused.json["error"]["details"][0]["value"]
    assert (await api.patch(location, replacing("/name", "Other"))).data["state"] == "deleted"
    assert (await api.put(location, STYLE | {"state": "active"})).status == 200


@pytest.mark.contract("Groups")
async def test_a_group_counts_live_styles(api: Api) -> None:
    """A deleted style is not counted, and a restored one is again."""
    path, field = await used(api, "groups")
    location = (await api.post(STYLES, STYLE | field)).headers["Location"]
    for write, count in (
        (api.delete(location), 0),
        (api.patch(location, replacing("/state", "inactive")), 1),
        (api.patch(location, replacing("/groupIds", [])), 0),
    ):
        assert (await write).status == 200
        assert (await api.get(path)).data["usedInStyles"] == count


@pytest.mark.shared_demo_data
@pytest.mark.contract("States")
async def test_a_style_that_relations_or_requests_are_of_is_not_deleted(api: Api) -> None:
    """In use: by what and how often, all at once."""
    relations = "/api/style-relations"
    style = (await api.get(relations)).data[0]["styleId"]
    refused = await api.delete(f"{STYLES}/{style}")
    assert (refused.status, refused.details) == (409, [("conflict.in_use", "id")])
    message = refused.json["error"]["details"][0]["value"]
    assert message.startswith("Used by sample requests: ")
    assert ", style relations: " in message
