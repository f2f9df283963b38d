"""Tests of dry runs of parts, with those that cannot be checked (contract, Files)."""

from dataclasses import replace
from typing import Any

import pytest

from service.client import Client
from service.files import DEMO
from service.transfer.collections import transfer_collections
from service.transfer.files import sources
from service.transfer.id_map import open_id_map
from service.transfer.import_files import Import
from service.transfer.rejects import Rejects
from service.transfer.sender import ImportOptions
from tests.transfer.conftest import ImportFolder, listed

pytestmark = pytest.mark.contract("Files")

DRY_RUN = ImportOptions(skip=True, dry_run=True)
NO_LANGUAGE = 999_999


async def test_parts_of_records_to_be_created_are_held_against_the_schema(
    client: Client, folder: ImportFolder
) -> None:
    folder.write(
        "size-ranges.ndjson",
        {"id": 1, "name": "Wrong", "sizes": [{"name": " "}, {"name": "S", "isDeactivated": 1}]},
        {"id": 2, "name": "Right", "sizes": [{"id": 7, "name": "S", "relatedSizeRangeSizeId": 8}]},
        {"id": 3, "name": "Lost", "sizes": [{"name": "S", "relatedSizeRangeSizeId": 9}]},
        {"id": 4, "name": "Later", "sizes": [{"id": 8, "name": "M"}]},
        {"id": 5, "name": "No list", "sizes": {}},
    )
    counts = await folder.import_records(client, options=DRY_RUN)
    assert counts["size-ranges"] == {"created": 5}
    assert counts["size-range-sizes"] == {"checked": 2, "failed": 3}
    assert sorted(folder.details()) == [
        (1, "validation_error.invalid_type", "sizes[1].isDeactivated"),
        (1, "validation_error.invalid_value", "sizes[0].name"),
        (3, "validation_error.unknown_reference", "sizes[0].relatedSizeRangeSizeId"),
        (5, "validation_error.invalid_type", "sizes"),
    ]
    assert await listed(client, "size-ranges") == []


async def test_parts_of_stored_records_get_a_dry_run_by_the_service(
    client: Client, folder: ImportFolder
) -> None:
    color: dict[str, Any] = {"id": 1, "name": "Red", "translations": []}
    folder.write("colors.ndjson", color)
    await folder.import_records(client)
    before = await client.changes.now()
    for language, outcome in ((1, "updated"), (NO_LANGUAGE, "failed")):
        folder.write("colors.ndjson", color | {"translations": [{"languageId": language}]})
        counts = await folder.import_records(client, options=DRY_RUN)
        assert counts["color-translations"] == {outcome: 1}
    assert folder.details() == [
        (1, "validation_error.unknown_reference", "translations[0].languageId")
    ]
    assert await client.changes.now() == before


async def test_parts_of_new_records_are_checked_against_a_record_that_is_there(
    client: Client, folder: ImportFolder
) -> None:
    """So a language that nobody knows is found before the record is created."""
    await client.collection("colors").create({"name": "Blue"})
    folder.write("colors.ndjson", {"name": "Red", "translations": [{"languageId": NO_LANGUAGE}]})
    counts = await folder.import_records(client, options=DRY_RUN)
    assert counts["color-translations"] == {"failed": 1}
    assert folder.details() == [
        (1, "validation_error.unknown_reference", "translations[0].languageId")
    ]


async def test_measured_values_of_unrequested_sizes_are_reported(
    client: Client, folder: ImportFolder
) -> None:
    """Before the request has been created, nobody knows its sizes."""
    sizes = [{"id": 11, "name": "S"}, {"id": 12, "name": "M"}]
    folder.write("size-ranges.ndjson", {"id": 1, "name": "Range", "sizes": sizes})
    folder.write("styles.ndjson", {"id": 1, "number": "S1", "name": "Parka"})
    folder.write(
        "sample-requests.ndjson",
        {"styleId": 1, "name": "Proto", "sizeRangeSizeIds": [11]}
        | {"measurements": [{"sizeRangeSizeId": 11}, {"sizeRangeSizeId": 12}]},
    )
    for options, outcome in ((DRY_RUN, "checked"), (ImportOptions(skip=True), "failed")):
        counts = await folder.import_records(client, options=options)
        assert counts["measurements"] == {outcome: 1}
    assert folder.details() == [
        (1, "validation_error.unknown_reference", "measurements[1].sizeRangeSizeId")
    ]


async def test_measured_values_of_a_stored_request_get_a_dry_run(
    client: Client, folder: ImportFolder
) -> None:
    """Values of sizes that are only asked for now are checked by the schema alone."""
    sizes = [{"id": 11, "name": "S"}, {"id": 12, "name": "M"}]
    request = {"id": 1, "styleId": 1, "name": "Proto"}
    chart = {"lines": [{"lineId": 31, "name": "Hood"}]}
    folder.write("size-ranges.ndjson", {"id": 1, "name": "Range", "sizes": sizes})
    folder.write(
        "styles.ndjson", {"id": 1, "number": "S1", "name": "Parka", "measurementChart": chart}
    )
    folder.write("sample-requests.ndjson", request | {"sizeRangeSizeIds": [11]})
    await folder.import_records(client)
    value = {"lineId": 31, "companyMeasurement": "36.50"}
    for ids, lines, outcome in (
        ([11], [value], "updated"),
        ([11, 12], [value], "checked"),
        ([11], [value | {"companyMeasurement": "36,50"}], "failed"),
    ):
        measured = [{"sizeRangeSizeId": size_id, "lines": lines} for size_id in ids]
        line = request | {"sizeRangeSizeIds": ids, "measurements": measured}
        folder.write("sample-requests.ndjson", line)
        counts = await folder.import_records(client, options=DRY_RUN)
        assert counts["measurements"] == {outcome: 1}


@pytest.mark.parametrize("name", ["Proto", "Fit"], ids=["stored", "new"])
async def test_a_dry_run_accepts_references_to_deactivated_entries(
    client: Client, folder: ImportFolder, name: str
) -> None:
    """A real import activates them before it sends the records that refer to them."""
    sizes = [{"id": 11, "name": "S"}, {"id": 12, "name": "S", "isDeactivated": True}]
    lines = [{"lineId": 31, "name": "Hood"}, {"lineId": 32, "name": "Hood", "isDeactivated": True}]
    requested = [
        {"lineId": line_id, "sizeRangeSizeId": size_id, "value": "36.50"}
        for line_id in (31, 32)
        for size_id in (11, 12)
    ]
    request = {"id": 1, "styleId": 1, "sizeRangeSizeIds": [11, 12], "requested": requested}
    folder.write(
        "size-ranges.ndjson", {"id": 1, "name": "Range", "userDefinedId": "R1", "sizes": sizes}
    )
    folder.write(
        "styles.ndjson",
        {"id": 1, "number": "S1", "name": "Parka", "measurementChart": {"lines": lines}},
    )
    folder.write("sample-requests.ndjson", request | {"name": "Proto"})
    await folder.import_records(client)
    folder.write("sample-requests.ndjson", request | {"name": name})
    for options in (DRY_RUN, ImportOptions()):
        counts = await folder.import_records(client, options=replace(options, match=True))
        outcome = "unchanged" if name == "Proto" else "created"
        assert counts["sample-requests"] == {outcome: 1}
        assert folder.details() == []


async def test_a_dry_run_rejects_what_refers_to_entries_of_rejected_owners(
    client: Client, folder: ImportFolder
) -> None:
    folder.write("size-ranges.ndjson", {"id": 1, "name": " "}, {"id": 2, "name": "Right"})
    folder.write(
        "size-range-sizes.ndjson",
        {"sizeRangeId": 1, "sizes": [{"id": 11, "name": "S"}]},
        {"sizeRangeId": 2, "sizes": [{"id": 12, "name": "S"}]},
    )
    folder.write("styles.ndjson", {"id": 1, "number": "S1", "name": "Parka"})
    requests = [
        {"styleId": 1, "name": name, "sizeRangeSizeIds": [size_id]}
        for name, size_id in (("Lost", 11), ("Right", 12))
    ]
    folder.write("sample-requests.ndjson", *requests)
    for options in (DRY_RUN, ImportOptions(skip=True)):
        counts = await folder.import_records(client, options=options)
        assert counts["sample-requests"] == {"created": 1, "failed": 1}
        assert folder.details() == [
            (1, "validation_error.invalid_value", "name"),
            (1, "validation_error.unknown_reference", "sizeRangeId"),
            (1, "validation_error.unknown_reference", "sizeRangeSizeIds[0]"),
        ]


async def test_a_dry_run_of_the_demo_files_finds_nothing_wrong(
    client: Client, folder: ImportFolder
) -> None:
    """Also where their parts are checked against records that are there."""
    await client.collection("size-ranges").create({"name": "There"})
    await client.collection("styles").create({"number": "There", "name": "There"})
    with (
        open_id_map(folder.path / "ids.sqlite3", dry_run=True) as id_map,
        Rejects(None) as rejects,
    ):
        source_files, messages = sources(DEMO, transfer_collections()), list[Any]()
        counts = await Import(
            client, source_files, id_map, rejects, DRY_RUN, messages.append, messages.append
        ).run()
    assert (rejects.count, rejects.first) == (0, "")
    assert {name for name, count in counts.items() if count.keys() == {"checked"}} == {
        "color-translations",
        "measurements",
        "size-range-sizes",
        "measurement-charts",
    }
