"""Tests of the fields of styles since 1.1, and of replaces that omit them (contract, Presence)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Styles", "Presence")

STYLES = "/api/styles"
MERGE = "application/merge-patch+json"
STYLE = {"number": "T-1", "name": "Vest"}
DEFAULTS = {
    **dict.fromkeys(("seasonId", "sizeRangeId", "description", "countryOfOriginCode", "hsCode")),
    **dict.fromkeys(("supplierId", "netWeight", "gender", "ageGroup")),
    "status": "workInProgress",
    "isReadyForExport": False,
}


async def trade_data(api: Api) -> dict[str, Any]:
    season = (await api.post("/api/seasons", {"name": "S", "userDefinedId": "T-S"})).data["id"]
    sizes = (await api.post("/api/size-ranges", {"name": "R", "userDefinedId": "T-R"})).data["id"]
    supplier = (await api.post("/api/suppliers", {"name": "M"})).data["id"]
    return {
        "seasonId": season,
        "supplierId": supplier,
        "sizeRangeId": sizes,
        "description": "A vest.",
        "countryOfOriginCode": "PT",
        "hsCode": "611020",
        "netWeight": "412.50",
        "status": "published",
        "isReadyForExport": True,
        "gender": "unisex",
        "ageGroup": "kids",
    }


async def form_of(api: Api, location: str) -> dict[str, Any]:
    form = (await api.get(location, {"form": "writable"})).data
    return {name: form[name] for name in DEFAULTS}


async def test_fields(api: Api) -> None:
    sent = await trade_data(api)
    made = await api.post(STYLES, [STYLE | sent, {"number": "T-2", "name": "Bare"}])
    assert {name: made.data[1][name] for name in DEFAULTS} == DEFAULTS
    assert {name: made.data[0][name] for name in DEFAULTS} == sent | {"netWeight": 412.5}
    assert b'"netWeight":412.50' in made.raw
    listed = await api.get(
        STYLES, {"season.userDefinedId": "T-S", "sizeRangeId": sent["sizeRangeId"]}
    )
    assert [style["number"] for style in listed.data] == ["T-1"]
    wrong = {**sent, "countryOfOriginCode": "XX", "hsCode": "1", "netWeight": -1, "gender": "any"}
    refused = await api.post(STYLES, {**STYLE, **wrong, "seasonId": 2**40})
    assert refused.details == [
        ("validation_error.invalid_value", "countryOfOriginCode"),
        ("validation_error.invalid_value", "hsCode"),
        ("validation_error.out_of_range", "netWeight"),
        ("validation_error.invalid_value", "gender"),
    ]


async def test_a_replace_keeps_what_it_omits_and_null_clears_it(api: Api) -> None:
    """By id and by key, alone and in bulk; merges and patches clear by null or by removal."""
    sent = await trade_data(api)
    made = await api.post(STYLES, STYLE | sent)
    location, style = made.headers["Location"], made.data["id"]
    old = STYLE | {"name": "Old caller", "state": "active"}
    for path, body in (
        (location, old),
        (STYLES, [old | {"id": style}]),
        (f"{STYLES}/number=T-1", old),
        (f"{STYLES}?match=number", [old]),
    ):
        assert (await api.put(path, body)).status == 200
        assert await form_of(api, location) == sent, path
    nulls = dict.fromkeys(DEFAULTS)
    removals = [{"op": "remove", "path": f"/{name}"} for name in DEFAULTS]
    by_key = f"{STYLES}?match=number"
    for method, path, cleared, media_type in (
        ("PUT", location, old | nulls, None),
        ("PUT", by_key, [old | nulls], None),
        ("PATCH", location, removals, None),
        ("PATCH", location, nulls, MERGE),
        ("PATCH", STYLES, [nulls | {"id": style}], MERGE),
        ("PATCH", by_key, [nulls | {"number": "T-1"}], MERGE),
    ):
        answer = await api.call(method, path, cleared, content_type=media_type)
        assert answer.status == 200, answer.raw
        assert await form_of(api, location) == DEFAULTS
        assert (await api.put(location, old | sent)).status == 200


@pytest.mark.contract("Values")
async def test_a_number_that_equals_the_stored_one_keeps_its_digits(api: Api) -> None:
    location = (await api.post(STYLES, STYLE | {"netWeight": "12.50"})).headers["Location"]
    for value, shown in ((12.5, "12.50"), ("12.5", "12.5"), (12.25, "12.25"), (0, "0")):
        assert (await api.patch(location, replacing("/netWeight", value))).status == 200
        assert (await form_of(api, location))["netWeight"] == shown


@pytest.mark.contract("States", "Seasons", "Size ranges")
@pytest.mark.parametrize(
    ("path", "field"), [("/api/seasons", "seasonId"), ("/api/size-ranges", "sizeRangeId")]
)
async def test_records_of_live_styles_are_not_deleted(api: Api, path: str, field: str) -> None:
    """A deleted style does not protect them, and is not restored while it refers to one."""
    referred = (await trade_data(api))[field]
    made = await api.post(STYLES, STYLE | {field: referred})
    location, style = made.headers["Location"], made.data["id"]
    refused = await api.delete(f"{path}/{referred}")
    assert refused.details == [("conflict.in_use", "id")]
    message = refused.json["error"]["details"][0]["value"]
    assert message == f'Used by styles: 1 ({style} "T-1").'
    assert (await api.delete(location)).status == 200
    assert (await api.delete(f"{path}/{referred}")).status == 200
    restored = await api.put(location, STYLE | {"state": "active"})
    assert restored.details == [("validation_error.unknown_reference", field)]
    assert (await api.put(location, STYLE | {"state": "active", field: None})).status == 200


@pytest.mark.contract("Seasons")
async def test_a_season_counts_live_styles(api: Api) -> None:
    season = (await trade_data(api))["seasonId"]
    location = (await api.post(STYLES, STYLE | {"seasonId": season})).headers["Location"]
    for write, count in (
        (api.get(location), 1),
        (api.delete(location), 0),
        (api.patch(location, replacing("/state", "active")), 1),
        (api.patch(location, replacing("/seasonId", None)), 0),
    ):
        assert (await write).status == 200
        assert (await api.get(f"/api/seasons/{season}")).data["usedInStyles"] == count
