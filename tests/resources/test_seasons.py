"""Tests of seasons (contract, Seasons), and of days and periods by them."""

import pytest

from tests.support.api import Api, replacing
from tests.support.listing import walk

pytestmark = pytest.mark.contract("Seasons")

MERGE = "application/merge-patch+json"
SEASONS = "/api/seasons"
SPRING = {
    "userDefinedId": "T-SP27",
    "name": "Spring 2027",
    "projectName": "Core",
    "startDate": "2027-01-15",
    "endDate": "2027-06-30",
}


async def test_fields(api: Api) -> None:
    """A replace clears what it omits; the position follows the highest one."""
    first, second = (await api.post(SEASONS, [SPRING, {"name": "Next"}])).data
    more = {"position": first["position"], "usedInStyles": 0}
    assert first == {"id": first["id"], **SPRING, **more, "state": "active"}
    assert second["position"] == first["position"] + 1
    location = f"{SEASONS}/{first['id']}"
    form = (await api.get(location, {"form": "writable"})).data
    assert form == SPRING | {"state": "active"}
    bare = {"name": "Spring", "state": "inactive"}
    replaced = (await api.put(location, bare)).data
    cleared = {"projectName": None, "startDate": None, "endDate": None}
    assert replaced == {"id": first["id"], **bare, **cleared, **more}
    assert (await api.post(SEASONS, {"name": "x" * 201, "position": 1})).details == [
        ("validation_error.too_long", "name"),
        ("validation_error.read_only_field", "position"),
    ]


@pytest.mark.contract("Values", "Filters", "Sorts")
async def test_days_are_filtered_and_sorted_as_days(api: Api) -> None:
    days = ["1900-01-01", None, "2199-12-31", "2027-02-28"]
    await api.post(SEASONS, [{"name": "Days", "startDate": day} for day in days])
    order = [("name", "Days"), ("sort[0].property", "startDate"), ("pageSize", "1")]
    seen = [row["startDate"] for row in await walk(api, SEASONS, order)]
    assert seen == ["1900-01-01", "2027-02-28", "2199-12-31", None]
    later = [("filter[0].property", "startDate"), ("filter[0].operator", "gt")]
    answer = await api.get(SEASONS, [("name", "Days"), *later, ("filter[0].value", "2027-02-27")])
    assert sorted(row["startDate"] for row in answer.data) == ["2027-02-28", "2199-12-31"]
    equal = await api.get(SEASONS, [("startDate", "1900-01-01"), ("name", "Days")])
    assert len(equal.data) == 1
    listed = await api.get(SEASONS, [("name", "Days")], headers={"Accept": "text/csv"})
    assert b"2199-12-31" in listed.raw


@pytest.mark.contract("Values")
async def test_a_period_does_not_end_before_it_starts(api: Api) -> None:
    """In every kind of write, also if the write has only one of its days."""
    made = await api.post(SEASONS, SPRING)
    location, season = made.headers["Location"], made.data["id"]
    early = {"endDate": "2027-01-14"}
    one_day = await api.patch(location, replacing("/endDate", SPRING["startDate"]))
    assert one_day.status == 200
    replacement = {**SPRING, **early, "state": "active"}
    answers = [
        (await api.post(SEASONS, {**SPRING, **early}), "endDate"),
        (await api.put(location, replacement), "endDate"),
        (await api.put(SEASONS, [replacement | {"id": season}]), "[0].endDate"),
        (await api.patch(location, replacing("/endDate", early["endDate"])), "endDate"),
        (await api.patch(location, early, content_type=MERGE), "endDate"),
        (await api.patch(SEASONS, [early | {"id": season}], content_type=MERGE), "[0].endDate"),
    ]
    for answer, field in answers:
        assert answer.details == [("validation_error.out_of_range", field)], answer.raw
        assert answer.json["error"]["details"][0]["value"] == "Use 2027-01-15 or later."
    wrong = await api.post(
        SEASONS, {"name": "x", "startDate": "2027-13-01", "endDate": "2027-01-01"}
    )
    assert wrong.details == [("validation_error.invalid_value", "startDate")]
