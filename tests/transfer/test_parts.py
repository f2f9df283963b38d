"""Tests of parts in import lines: their objects keep their identity (tools, Files)."""

from typing import Any

import pytest

from selvedge_client import Client
from service.extras.transfer.import_files import ImportOptions
from tests.transfer.conftest import ImportFolder, listed

pytestmark = pytest.mark.contract("Files")

SKIP = ImportOptions(skip=True)


def size_range(record_id: int, *sizes: dict[str, Any]) -> dict[str, Any]:
    name = f"Range {record_id}"
    return {"id": record_id, "userDefinedId": name, "name": name, "sizes": [*sizes]}


async def sizes_of(client: Client, name: str) -> list[dict[str, Any]]:
    [record] = [
        candidate for candidate in await listed(client, "size-ranges") if candidate["name"] == name
    ]
    sizes = (await client.part("size-ranges", record["id"], "sizes").read()).data
    return list(sizes)


async def test_sizes_may_relate_to_later_ones(client: Client, folder: ImportFolder) -> None:
    """Also to one that is deactivated, which stays because of it."""
    folder.write(
        "size-ranges.ndjson",
        size_range(1, {"id": 11, "name": "S", "relatedSizeRangeSizeId": 21}),
        size_range(2, {"id": 21, "name": "36", "isDeactivated": True}, {"id": 22, "name": "38"}),
    )
    await folder.import_records(client)
    [small], [first, second] = await sizes_of(client, "Range 1"), await sizes_of(client, "Range 2")
    assert small["relatedSizeRangeSizeId"] == first["id"]
    assert [size["isDeactivated"] for size in (first, second)] == [True, False]


async def test_an_edited_object_stays_who_it_is(client: Client, folder: ImportFolder) -> None:
    """It is found by its own reference or name, in a part and in a list of the record itself."""
    field = {"userDefinedId": "FIT", "name": "Fit", "type": "allowedValue"}
    value = {"id": 5, "value": "Slim", "userDefinedId": "F1"}
    folder.write("size-ranges.ndjson", size_range(1, {"id": 11, "name": "S", "sizeId": "s"}))
    folder.write("style-custom-fields.ndjson", field | {"allowedValues": [value]})
    await folder.import_records(client)
    before = await sizes_of(client, "Range 1"), await listed(client, "style-custom-fields")
    folder.write("size-ranges.ndjson", size_range(1, {"id": 11, "name": "Small", "sizeId": "s"}))
    value |= {"value": "Slim fit"}
    folder.write("style-custom-fields.ndjson", field | {"allowedValues": [value]})
    await folder.import_records(client)
    after = await sizes_of(client, "Range 1"), await listed(client, "style-custom-fields")
    assert [size["id"] for size in after[0]] == [size["id"] for size in before[0]]
    assert after[0][0]["name"] == "Small"
    [was], [value] = before[1][0]["allowedValues"], after[1][0]["allowedValues"]
    assert value == was | {"value": "Slim fit"}


async def test_errors_of_a_part_name_it(client: Client, folder: ImportFolder) -> None:
    """The record is in; once it is mended, the part follows."""
    style = {"id": 1, "number": "S1", "name": "Parka"}
    folder.write("size-ranges.ndjson", size_range(1, {"name": " "}))
    folder.write("styles.ndjson", style | {"measurementChart": {"lines": [{"tolerance": "1,5"}]}})
    counts = await folder.import_records(client, options=SKIP)
    assert counts["size-ranges"] == {"created": 1}
    assert counts["size-range-sizes"] == {"failed": 1}
    assert folder.details() == [
        (1, "validation_error.invalid_value", "sizes[0].name"),
        (1, "validation_error.invalid_value", "measurementChart.lines[0].tolerance"),
    ]
    folder.write("size-ranges.ndjson", size_range(1, {"name": "S"}))
    folder.write("styles.ndjson", style | {"measurementChart": {"lines": [{"tolerance": "1.5"}]}})
    counts = await folder.import_records(client)
    assert counts["size-range-sizes"] == counts["measurement-charts"] == {"updated": 1}


async def test_samples_keep_what_was_asked_of_lines_that_go_later(
    client: Client, folder: ImportFolder
) -> None:
    line = {"lineId": 31, "name": "Hood", "isDeactivated": True}
    folder.write("size-ranges.ndjson", size_range(1, {"id": 11, "name": "S"}))
    folder.write(
        "styles.ndjson",
        {"id": 1, "number": "S1", "name": "Parka", "measurementChart": {"lines": [line]}},
    )
    measured = {"sizeRangeSizeId": 11, "lines": [{"lineId": 31, "companyMeasurement": "36.50"}]}
    folder.write(
        "sample-requests.ndjson",
        {"styleId": 1, "name": "Proto", "sizeRangeSizeIds": [11], "unit": "cm"}
        | {"requested": [{"lineId": 31, "sizeRangeSizeId": 11, "value": "36.00"}]}
        | {"measurements": [measured]},
    )
    for outcomes in ({"created", "updated"}, {"unchanged"}):
        counts = await folder.import_records(client)
        assert folder.rejected == []
        assert {outcome for counter in counts.values() for outcome in counter} == outcomes
    [style], [request] = await listed(client, "styles"), await listed(client, "sample-requests")
    path = f"/api/styles/{style['id']}/sample-requests/{request['id']}/measurements"
    [size] = (await client.get(path, exact=True)).body["data"]
    [hood] = size["lines"]
    assert (hood["lineId"], hood["name"]) == (None, "Hood")
    assert (hood["requestedMeasurement"], hood["companyMeasurement"]) == ("36.00", "36.50")


async def test_errors_of_measured_values_name_the_size(
    client: Client, folder: ImportFolder
) -> None:
    folder.write("size-ranges.ndjson", size_range(1, {"id": 11, "name": "S"}))
    folder.write("styles.ndjson", {"id": 1, "number": "S1", "name": "Parka"})
    request = {"styleId": 1, "name": "Proto", "sizeRangeSizeIds": [11]}
    folder.write(
        "sample-requests.ndjson",
        request | {"measurements": [{"approved": True}]},
        request | {"name": "Fit", "measurements": [{"sizeRangeSizeId": 11, "approved": 1}]},
        request | {"name": "Sales", "measurements": {}},
    )
    await folder.import_records(client, options=SKIP)
    assert folder.details() == [
        (1, "validation_error.required_field", "measurements[0].sizeRangeSizeId"),
        (2, "validation_error.invalid_type", "measurements[0].approved"),
        (3, "validation_error.invalid_type", "measurements"),
    ]
