"""Tests of sample types, and of the course of sample requests (contract, Sample types)."""

import pytest

from tests.support.api import Api, replacing
from tests.support.changes import Follower
from tests.support.keyed_references import made

pytestmark = pytest.mark.contract("Sample types", "Sample requests")

TYPES, REQUESTS = "/api/sample-types", "/api/sample-requests"
NEW = {
    "sampleTypeId": None,
    "status": "requested",
    "deadline": None,
    "expectedAt": None,
    "trackingNumber": None,
    "comment": None,
}
COURSE = {
    "status": "sent",
    "deadline": "2027-03-01",
    "expectedAt": "2027-03-04",
    "trackingNumber": "1Z-204",
    "comment": "In a box",
}


async def test_fields(api: Api) -> None:
    fit = {"userDefinedId": "T-FIT", "name": "Fit sample", "commentDeadlineDays": 10}
    response = await api.post(TYPES, fit)
    sample_type, location = response.data, response.headers["Location"]
    rest = {"position": sample_type["position"], "state": "active", "usedInSampleRequests": 0}
    assert sample_type == {"id": sample_type["id"], **fit, **rest}
    replaced = await api.put(location, {"name": "Fit", "state": "inactive"})
    assert replaced.data["commentDeadlineDays"] is None
    for days in (-1, 366):
        answer = await api.patch(location, replacing("/commentDeadlineDays", days))
        assert answer.details == [("validation_error.out_of_range", "commentDeadlineDays")]


async def test_the_course_of_a_sample_request(api: Api) -> None:
    """A replace keeps the fields that it omits; null clears them, or means ``requested``."""
    style = await made(api, "styles", number="T-1", name="Vest")
    sample_type = await made(api, "sample-types", name="Fit sample")
    request = await made(api, "sample-requests", styleId=style["id"], name="Fit 1")
    assert request.items() >= NEW.items()
    assert request["statusChangedAt"] == request["requestedAt"]
    location = f"{REQUESTS}/{request['id']}"
    course = COURSE | {"sampleTypeId": sample_type["id"]}
    sent = (await api.put(location, {"name": "Fit 1"} | course)).data
    assert sent == request | course | {"statusChangedAt": sent["statusChangedAt"]}
    assert sent["statusChangedAt"] > request["statusChangedAt"]
    renamed = (await api.put(location, {"name": "Fit 2"})).data
    assert renamed == sent | {"name": "Fit 2"}
    assert (await api.put(location, {"name": "Fit 2", "status": "sent"})).data == renamed
    form = (await api.get(location, {"form": "writable"})).data
    assert form == course | {"styleId": style["id"], "name": "Fit 2", "sizeRangeSizeIds": []}
    cleared = (await api.put(location, {"name": "Fit 2"} | dict.fromkeys(course))).data
    assert cleared.items() >= NEW.items()
    assert cleared["statusChangedAt"] > sent["statusChangedAt"]


@pytest.mark.contract("Changes", "States")
async def test_sample_types_are_counted_and_protected(api: Api) -> None:
    """A change of a count is a feed entry, by create, move and delete of a sample request."""
    style = await made(api, "styles", number="T-2", name="Vest")
    first, second = (await api.post(TYPES, [{"name": "A"}, {"name": "B"}])).data
    ids = [first["id"], second["id"]]
    request = await made(
        api, "sample-requests", styleId=style["id"], name="Fit", sampleTypeId=first["id"]
    )
    location, follower = f"{REQUESTS}/{request['id']}", Follower(api)

    async def counts() -> list[int]:
        records = [(await api.get(f"{TYPES}/{type_id}")).data for type_id in ids]
        return [record["usedInSampleRequests"] for record in records]

    async def changed() -> list[int]:
        return [
            e["recordId"] for e in await follower.entries() if e["collection"] == "sample-types"
        ]

    await follower.begin()
    assert await counts() == [1, 0]
    refused = await api.delete(f"{TYPES}/{first['id']}")
    assert refused.details == [("conflict.in_use", "id")]
    assert refused.json["error"]["details"][0]["value"] == (
        f'Used by sample requests: 1 ({request["id"]} "Fit").'
    )
    await api.patch(location, replacing("/sampleTypeId", second["id"]))
    assert (await counts(), sorted(await changed())) == ([0, 1], sorted(ids))
    await api.delete(location)
    assert (await counts(), sorted(await changed())) == ([0, 0], [second["id"]])
    assert (await api.delete(f"{TYPES}/{second['id']}")).status == 200
    gone = {"styleId": style["id"], "name": "Fit", "sampleTypeId": second["id"]}
    unknown = await api.post(REQUESTS, gone)
    assert unknown.details == [("validation_error.unknown_reference", "sampleTypeId")]
