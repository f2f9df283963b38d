"""Tests of selected fields (contract, Selected fields)."""

import pytest

from service.handlers.parameters import SCHEDULED_BYTES
from service.http.envelope import etag
from service.routes import Route
from tests.support import parts
from tests.support.api import Api
from tests.support.parametrize import of_each_list

pytestmark = pytest.mark.contract("Selected fields")

GROUPS, COLORS = "/api/groups", "/api/colors"


def raw_data(raw: bytes) -> bytes:
    """Return the data of a response to a read as it was sent."""
    return raw.partition(b'"data":')[2].removesuffix(b"}")


@of_each_list
async def test_each_list_and_read_selects_each_field(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    assert route.resource is not None
    path, names = route.path.format(**stored), route.resource.properties.members
    whole = (await shared_api.get(path, {"pageSize": "3"})).data
    for chosen in (names[:1], names[::2], names[1::2], names):
        params = {"pageSize": "3", "fields": ",".join(reversed(chosen))}
        page = await shared_api.get(path, params)
        assert page.status == 200, page.raw
        expected = [{name: record[name] for name in record if name in chosen} for record in whole]
        assert page.data == expected
        assert [*map(list, page.data)] == [*map(list, expected)]
        if whole and "id" in whole[0]:
            first = f"{path}/{whole[0]['id']}"
            if "style" in route.resource.name and route.resource.parents:
                continue
            read = await shared_api.get(first, {"fields": ",".join(chosen)})
            assert read.data == expected[0]
            assert read.headers["ETag"].strip('"')[:32] == etag(raw_data(read.raw)).strip('"')


async def test_fields_given_twice_are_refused(shared_api: Api) -> None:
    record = (await shared_api.get(f"{GROUPS}/1", {"fields": "name,id,name"})).data
    assert list(record) == ["id", "name"]
    for path in (GROUPS, f"{GROUPS}/1"):
        answer = await shared_api.get(path, [("fields", "name"), ("fields", "name")])
        assert answer.status == 400
        assert answer.details == [("validation_error.duplicate", "fields")]


@pytest.mark.parametrize("text", ["", "colour", "id,", "ID", "id, name", "id;name", "\0"])
async def test_unknown_fields_are_refused(text: str, shared_api: Api) -> None:
    for path in (GROUPS, f"{GROUPS}/1"):
        answer = await shared_api.get(path, {"fields": text})
        assert answer.details == [("validation_error.invalid_value", "fields")]


@pytest.mark.contract("Cursors")
async def test_the_cursor_carries_the_fields(shared_api: Api) -> None:
    first = await shared_api.get(GROUPS, {"fields": "name", "pageSize": "2"})
    following = {"cursor": first.json["pagination"]["cursor"]}
    for params in (following, following | {"fields": "name"}):
        assert {*map(tuple, (await shared_api.get(GROUPS, params)).data)} == {("name",)}
    other = await shared_api.get(GROUPS, following | {"fields": "id"})
    assert other.details == [("validation_error.exclusive_parameters", "fields")]


@pytest.mark.contract("Preconditions")
async def test_the_tag_is_that_of_the_bytes(shared_api: Api) -> None:
    params = {"fields": "id,name"}
    few = await shared_api.get(f"{GROUPS}/1", params)
    tag = few.headers["ETag"]
    assert tag != (await shared_api.get(f"{GROUPS}/1")).headers["ETag"]
    again = await shared_api.get(f"{GROUPS}/1", params, headers={"If-None-Match": tag})
    assert (again.status, again.raw) == (304, b"")
    patch = [{"op": "test", "path": "/state", "value": "active"}]
    stale = await shared_api.patch(f"{GROUPS}/1", patch, headers={"If-Match": tag})
    assert stale.status == 412


@pytest.mark.demo_data
@pytest.mark.contract("Parts")
async def test_parts_select_members_too(api: Api) -> None:
    sizes = (await api.get("/api/size-ranges")).data[0]["id"]
    path = parts.path(parts.SIZES, sizes)
    whole = (await api.get(path)).data
    few = await api.get(path, {"fields": "id,name"})
    assert few.data == [{"id": size["id"], "name": size["name"]} for size in whole]
    [measured, *_] = await parts.paths(api, parts.BY_NAME["measurements"])
    lines = await api.get(measured, {"fields": "lines"})
    assert raw_data(lines.raw)[1:-1] in (await api.get(measured)).raw
    every = measured.rpartition("/")[0]
    assert (await api.get(every, {"fields": "lines"})).data[0].keys() == {"lines"}
    wrong = await api.get(path, {"fields": "id", "form": "writable"})
    assert wrong.details == [("validation_error.exclusive_parameters", "fields")]


async def test_long_pages_select_in_turn(api: Api) -> None:
    note = '\u6f22"[{,:}]\\ ' * 700
    made = await api.post(COLORS, [{"name": f"C{n}", "colorNote": note[:4000]} for n in range(40)])
    assert made.status == 201
    whole = await api.get(
        COLORS,
        {
            "pageSize": "100",
            "filter[0].property": "name",
            "filter[0].operator": "startsWith",
            "filter[0].value": "C",
        },
    )
    assert len(whole.raw) > SCHEDULED_BYTES
    ids = [("id", str(record["id"])) for record in made.data]
    few = await api.get(COLORS, [*ids, ("fields", "colorNote,properties"), ("pageSize", "100")])
    assert few.data == [{"colorNote": note[:4000], "properties": []}] * 40
