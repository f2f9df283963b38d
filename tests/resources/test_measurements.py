"""Tests of the measurement read (contract, Measurement read)."""

import re

import pytest

from tests.support.api import Api
from tests.support.inserted_rows import execute
from tests.support.offenders import in_each
from tests.support.openapi_validation import form

pytestmark = [
    pytest.mark.demo_data,
    pytest.mark.contract("Measurement read"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

REQUESTS = "/api/styles/1/sample-requests"


async def paths(api: Api) -> list[str]:
    """Return the path of every measured size of the first style's first sample requests."""
    return [
        f"{REQUESTS}/{request['id']}/measurements/{size['sizeRangeSizeId']}"
        for request in (await api.get(REQUESTS)).data
        for size in request["sizes"]
    ]


async def test_documents_show_every_marker_and_case(api: Api) -> None:
    """Data is one measurement; properties, unit and designerComment show each of their cases."""
    measurements = []
    for path in await paths(api):
        answer = await api.get(path)
        assert answer.status == 200
        form("measurements", "document").validate(answer.data)
        assert answer.data["sizeRangeSizeId"] == int(path.rpartition("/")[2])
        ids = [line["lineId"] for line in answer.data["lines"] if line["lineId"] is not None]
        assert ids == sorted(ids)
        assert ids
        measurements.append(answer.data)
    markers = {marker for measurement in measurements for marker in measurement["properties"]}
    assert markers == {"approved", "designerVisibleOnly", "sizeDeactivated"}
    assert {measurement["unit"] for measurement in measurements} == {"cm", None}
    assert None in {measurement["designerComment"] for measurement in measurements}
    for measurement in measurements:  # A deactivated line is for display only.
        lines = {line["name"]: line for line in measurement["lines"]}
        hood = lines.pop("Hood height")
        assert (hood["lineId"], hood["tolerance"]) == (None, None)
        assert hood["requestedMeasurement"] is not None
        assert all(line["lineId"] and line["tolerance"] is not None for line in lines.values())


@pytest.mark.contract("Common fields")
async def test_properties_are_there_while_their_condition_holds(api: Api, demo_dsn: str) -> None:
    """Field properties: additive markers, in alphabetical order."""
    path = (await paths(api))[0]
    *_, request, _, size = path.split("/")
    conditions = {
        "approved": f"sample_request_size set is_approved = %s where sample_request_id = {request}",
        "designerVisibleOnly": "sample_request_size set is_designer_visible_only = %s "
        f"where sample_request_id = {request}",
        "sizeDeactivated": f"size_range_size set is_deactivated = %s where id = {size}",
    }
    for value in ("false", "true"):
        await execute(demo_dsn, "; ".join(f"update {t % value}" for t in conditions.values()))
        expected = list(conditions) if value == "true" else []
        assert (await api.get(path)).data["properties"] == expected


@in_each("number", ["52.50", "0.10", "-0.000", "12345678901234567890.12", "7"])
async def test_numbers_are_exact_as_stored(api: Api, demo_dsn: str, number: str) -> None:
    """Numeric line values: JSON numbers, to the digit as stored; null where there is none."""
    columns = "company_measurement = null, new_measurement = null"
    await execute(
        demo_dsn,
        f"update sample_request_measurement set requested_measurement = {number}, "
        f"supplier_measurement = {number}, {columns};"
        f"update measurement_line set tolerance = {number}",
    )
    stored = number.removeprefix("-") if number == "-0.000" else number
    raw = (await api.get((await paths(api))[0])).raw.decode()
    assert set(re.findall(r'"requestedMeasurement":([^,]+),', raw)) == {stored}
    assert set(re.findall(r'"supplierMeasurement":([^,]+),', raw)) == {stored}
    assert set(re.findall(r'"companyMeasurement":([^,]+),', raw)) == {"null"}
    assert set(re.findall(r'"tolerance":([^}]+)}', raw)) == {stored, "null"}


async def test_unrequested_sizes_are_404_and_strangers_get_401(api: Api, other_api: Api) -> None:
    """Contract, Measurement read: 401 is problem+json here, and only here."""
    measurement_paths = await paths(api)
    path = measurement_paths[0]
    *_, request, _, size = path.split("/")
    sizes = {measurement_path.rpartition("/")[2] for measurement_path in measurement_paths}
    requested = {
        measurement_path.rpartition("/")[2]
        for measurement_path in measurement_paths
        if f"requests/{request}/" in measurement_path
    }
    unasked = min(sizes - requested)
    for caller, wrong, field in (
        (api, f"{REQUESTS}/{request}/measurements/987654321", "sizeRangeSizeId"),
        (api, f"{REQUESTS}/{request}/measurements/{unasked}", "sizeRangeSizeId"),
        (api, f"{REQUESTS}/987654321/measurements/{size}", "sampleRequestId"),
        (api, path.replace("/styles/1/", "/styles/2/"), "sampleRequestId"),
        (api, path.replace("/styles/1/", "/styles/987654321/"), "styleId"),
        (other_api, path, "styleId"),
    ):
        answer = await caller.get(wrong)
        assert (answer.status, answer.json["code"]) == (404, "not_found"), wrong
        assert answer.details == [("not_found", field)]
    stranger = Api(api.client, "slv_1_1_" + "0" * 64)
    answer = await stranger.get(path)
    assert answer.status == 401
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    assert answer.json["status"] == 401
    assert (await stranger.get(REQUESTS)).headers["Content-Type"] == "application/json"


@pytest.mark.contract("Request headers")
async def test_malformed_ids_and_parameters_are_reported(api: Api) -> None:
    """Path ids are positive integers of 64 bits; X-Service-Api is accepted."""
    answer = await api.get("/api/styles/x/sample-requests/1.0/measurements/9223372036854775808")
    assert (answer.status, answer.json["code"]) == (400, "validation_error.invalid_value")
    assert [field for _, field in answer.details] == [
        "styleId",
        "sampleRequestId",
        "sizeRangeSizeId",
    ]
    path = (await paths(api))[0]
    assert (await api.get(path, headers={"X-Service-Api": "erp"})).status == 200
    unknown = await api.get(path, {"pageSize": "1"})
    assert unknown.details == [("validation_error.unknown_parameter", "pageSize")]


async def test_server_error_speaks_problem_json(api: Api, demo_dsn: str) -> None:
    """Contract, Measurement read: 500 as problem+json."""
    path = (await paths(api))[0]
    await execute(demo_dsn, "alter table measurement_line rename to measurement_line_away")
    answer = await api.get(path)
    assert answer.status == 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json["status"] == 500
    assert b"measurement_line" not in answer.raw


@pytest.mark.contract("Preconditions")
async def test_unchanged_measurement_is_304(api: Api, demo_dsn: str) -> None:
    """ETag and If-None-Match as on every single read (contract, Preconditions)."""
    path = (await paths(api))[0]
    condition = {"If-None-Match": (await api.get(path)).headers["ETag"]}
    assert (await api.get(path, headers=condition)).status == 304
    assert (await api.call("HEAD", path)).status == 200
    await execute(demo_dsn, "update measurement_line set tolerance = tolerance + 1")
    assert (await api.get(path, headers=condition)).status == 200
