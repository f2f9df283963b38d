"""Tests of entity tags and total counts of lists (contract, Lists)."""

import asyncpg
import pytest

from service.routes import Route
from tests.support.api import Api
from tests.support.listing import listed
from tests.support.parametrize import of_each_list

pytestmark = pytest.mark.contract("Lists")

GROUPS = "/api/groups"
COUNT = {"Prefer": "count=exact"}


@of_each_list
async def test_a_page_that_the_caller_has_is_not_sent_again(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    path = route.path.format(**stored)
    first = await shared_api.get(path, {"pageSize": "2"})
    tag = {"If-None-Match": f'"other", W/{first.headers["ETag"]}'}
    again = await shared_api.get(path, {"pageSize": "2"}, headers=tag)
    assert (again.status, again.raw) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    # A list of a single record has no shorter page but the empty one.
    rest = {"pageSize": "1"} if len(first.data) > 1 else {listed(route).key: "987654321"}
    other = await shared_api.get(path, rest, headers=tag)
    assert other.status == 200
    assert other.headers["ETag"] != first.headers["ETag"]


@pytest.mark.demo_data
async def test_a_page_has_another_tag_once_it_is_another(api: Api) -> None:
    path = f"{GROUPS}?pageSize=3"
    before = await api.get(path)
    same = await api.get(path)
    await api.patch(
        f"{GROUPS}/{before.data[1]['id']}", [{"op": "add", "path": "/name", "value": "Knit"}]
    )
    after = await api.get(path)
    assert before.headers["ETag"] == same.headers["ETag"] != after.headers["ETag"]


@of_each_list
async def test_all_records_are_counted(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    path = route.path.format(**stored)
    counted = await shared_api.get(path, {"pageSize": "1"}, headers=COUNT)
    plain = await shared_api.get(path, {"pageSize": "1"})
    assert counted.raw == plain.raw
    assert counted.headers["Preference-Applied"] == "count=exact"
    assert not {"Total-Count", "Preference-Applied"} & {*plain.headers}
    total, params = 0, {"pageSize": "100"}
    while params:
        page = await shared_api.get(path, params)
        total += len(page.data)
        following = page.json["pagination"].get("cursor")
        params = {"cursor": following} if following else {}
    assert counted.headers["Total-Count"] == str(total)


async def test_total_count_counts_the_filtered_records(shared_api: Api, shared_dsn: str) -> None:
    connection = await asyncpg.connect(shared_dsn)
    deleted = await connection.fetchval(
        "select count(*) from color where organization_id = 1 and state = 'deleted'"
    )
    await connection.close()
    params = {"state": "deleted", "pageSize": "1"}
    first = await shared_api.get("/api/colors", params, headers=COUNT)
    following = {"cursor": first.json["pagination"]["cursor"]}
    second = await shared_api.get("/api/colors", following, headers=COUNT)
    assert {response.headers["Total-Count"] for response in (first, second)} == {str(deleted)}
    nothing = await shared_api.get(GROUPS, {"name": "nobody has it"}, headers=COUNT)
    assert (nothing.headers["Total-Count"], nothing.data) == ("0", [])


@pytest.mark.parametrize(
    "preferred", ["respond-async", "count=estimated", "count", 'count="none", count=exact', ""]
)
async def test_other_preferences_mean_nothing(preferred: str, shared_api: Api) -> None:
    answer = await shared_api.get(GROUPS, headers={"Prefer": preferred})
    assert answer.status == 200
    assert not {"Total-Count", "Preference-Applied"} & {*answer.headers}


@pytest.mark.parametrize("preferred", ['respond-async, Count = "exact"', "count=exact; a=b"])
async def test_preferences_are_read_as_they_may_be_written(preferred: str, shared_api: Api) -> None:
    answer = await shared_api.get(GROUPS, headers={"Prefer": preferred})
    assert int(answer.headers["Total-Count"]) > 30
