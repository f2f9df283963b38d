"""Tests of parts of records in the Python client."""

import pytest

from selvedge_client import Client, NotFoundError, PreconditionFailedError
from tests.support.api import replacing

pytestmark = pytest.mark.contract("Parts")


async def test_a_set_is_read_and_replaced(selvedge: Client) -> None:
    made = await selvedge.collection("size-ranges").create({"name": "Test"})
    sizes = selvedge.part("size-ranges", made.id, "sizes")
    empty = await sizes.read()
    assert empty.data == []
    first = await sizes.replace([{"name": "S"}, {"name": "M"}], if_match=empty.etag)
    assert [size["name"] for size in first.data] == ["S", "M"]
    with pytest.raises(PreconditionFailedError):
        await sizes.replace([], if_match=empty.etag)
    again = await sizes.replace(first.data[1:], if_match=first.etag)
    assert again.data == first.data[1:]


@pytest.mark.contract("Values")
async def test_measured_values_keep_their_digits(selvedge: Client) -> None:
    [request, *_] = [record async for record in selvedge.collection("sample-requests").records()]
    size = request["sizes"][0]["sizeRangeSizeId"]
    path = ("styles", request["styleId"], "sample-requests", request["id"], "measurements")
    measured = selvedge.part(*path, size)
    written = await measured.patch(replacing("/lines/0/companyMeasurement", "52.500"))
    assert written.data["lines"][0]["companyMeasurement"] == 52.5
    writable = (await measured.read(writable=True)).data
    assert writable["lines"][0]["companyMeasurement"] == "52.500"
    everything = await selvedge.part(*path).read()
    assert written.data in everything.data


async def test_unknown_parts_raise(selvedge: Client) -> None:
    with pytest.raises(NotFoundError):
        await selvedge.part("colors", 2**62, "translations").read()
