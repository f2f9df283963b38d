"""Tests of the lists that all organizations share (contract, Reference lists)."""

import pytest

from service.schemas import formats
from tests.support.api import Api
from tests.support.listing import walk
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("Reference lists", "Values")


async def codes(api: Api, path: str) -> list[str]:
    rows = await walk(api, path, [("sort[0].property", "code"), ("pageSize", "100")])
    return [row["code"] for row in rows]


@in_each(
    ("path", "allowed"),
    [("/api/countries", formats.COUNTRIES), ("/api/currencies", formats.CURRENCIES)],
)
async def test_the_codes_that_fields_take_are_listed(api: Api, path: str, allowed: str) -> None:
    assert await codes(api, path) == allowed.split()


async def test_entries_are_read_by_id_and_by_code(api: Api, other_api: Api) -> None:
    yen = (await api.get("/api/currencies/code=jpy")).data
    assert yen == {"id": yen["id"], "code": "JPY", "name": "Japanese yen", "minorUnits": 0}
    assert (await other_api.get(f"/api/currencies/{yen['id']}")).data == yen
    assert (await api.get("/api/currencies", {"minorUnits": 3, "q": "kuwait"})).data[0][
        "code"
    ] == "KWD"
    portugal = (await api.get("/api/countries/code=PT")).data
    assert portugal == {"id": portugal["id"], "code": "PT", "name": "Portugal"}
    assert (await api.get("/api/countries/code=XK")).status == 404
    assert (await api.post("/api/countries", {"code": "XK"})).status == 405


async def test_they_are_exported_and_not_in_the_feed(api: Api) -> None:
    exported = await api.get("/api/export", {"collection": "currencies"})
    assert b'"code":"EUR"' in exported.raw
    refused = await api.get("/api/changes", {"collection": "currencies"})
    assert refused.details == [("validation_error.invalid_value", "collection")]
