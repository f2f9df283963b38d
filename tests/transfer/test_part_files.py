"""Tests of files of parts: a line for each owner, many owners in a request (tools, Files)."""

from typing import Any

import pytest

from selvedge_client import Client
from selvedge_client.transport import HttpResponse, Request, Transport
from service.extras.transfer.collections import select_collections
from service.extras.transfer.export_files import Export
from service.extras.transfer.import_files import ImportOptions
from tests.transfer.conftest import ImportFolder, listed

pytestmark = pytest.mark.contract("Files")

SKIP = ImportOptions(skip=True)
DRY_RUN = ImportOptions(skip=True, dry_run=True)


def ranges(*numbers: int) -> list[dict[str, Any]]:
    return [{"id": n, "name": f"Range {n}", "userDefinedId": f"SR{n}"} for n in numbers]


def sizes(owner: Any, *names: str, **more: Any) -> dict[str, Any]:
    return {"sizeRangeId": owner, "sizes": [{"name": name, **more} for name in names]}


async def names_by_owner(client: Client) -> dict[str, list[str]]:
    owners = {owner["id"]: owner["name"] for owner in await listed(client, "size-ranges")}
    return {
        owners[part["sizeRangeId"]]: [size["name"] for size in part["sizes"]]
        for part in await listed(client, "size-range-sizes")
    }


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the client's writes."""
    paths, send = list[str](), Transport.send

    async def watch(self: Transport, request: Request) -> HttpResponse:
        if request.method != "GET":
            paths.append(f"{request.method} {request.path}")
        return await send(self, request)

    monkeypatch.setattr(Transport, "send", watch)
    return paths


async def test_records_and_parts_go_in_one_transaction(
    client: Client, folder: ImportFolder, writes: list[str]
) -> None:
    """From a file of their own as from members of their owners' lines."""
    colors = [
        {"id": n, "userDefinedId": f"C{n}", "name": f"Color {n}", "languageIds": [1]}
        for n in range(300)
    ]
    parts = [
        {"colorId": n, "translations": [{"languageId": 1, "colorName": "Rot"}]} for n in range(300)
    ]
    folder.write("colors.ndjson", *colors)
    folder.write("color-translations.ndjson", *parts)
    for outcome in ("updated", "unchanged"):
        counts = await folder.import_records(client)
        assert counts["color-translations"] == {outcome: 300}
        assert writes == ["POST /api/transaction"]
        writes.clear()
    (folder.path / "color-translations.ndjson").unlink()
    folder.write("colors.ndjson", *(color | {"translations": []} for color in colors))
    assert (await folder.import_records(client))["color-translations"] == {"updated": 300}
    assert await listed(client, "color-translations") == []


async def test_a_file_of_parts_takes_precedence_over_members(
    client: Client, folder: ImportFolder
) -> None:
    folder.write("size-ranges.ndjson", *(line | {"sizes": []} for line in ranges(1, 2)))
    folder.write("size-range-sizes.csv", "sizeRangeId,sizes[0].name,sizes[1].name", "2,S,M")
    await folder.import_records(client)
    assert await names_by_owner(client) == {"Range 2": ["S", "M"]}


async def test_owners_are_found_by_their_own_keys(client: Client, folder: ImportFolder) -> None:
    """A second run finds everything as it is, and the own keys need no file of the owners."""
    folder.write("size-ranges.ndjson", *ranges(1, 2))
    related = {"relatedSizeRangeSizeId": {"sizeRangeId": {"userDefinedId": "SR1"}, "name": "S"}}
    folder.write("size-range-sizes.ndjson", sizes({"userDefinedId": "SR1"}, "S"))
    assert (await folder.import_records(client, options=SKIP))["size-range-sizes"] == {"updated": 1}
    both = [sizes({"userDefinedId": f"SR{n}"}, name) for n, name in ((1, "S"), (2, "M"))]
    both[1]["sizes"][0] |= related | {"id": 5}
    folder.write("size-range-sizes.ndjson", *both)
    for outcomes in ({"unchanged": 1, "updated": 1}, {"unchanged": 2}):
        counts = await folder.import_records(client, options=SKIP)
        assert folder.rejected == []
        assert counts["size-range-sizes"] == outcomes
    (folder.path / "size-ranges.ndjson").unlink()
    del both[1]["sizes"][0]["id"]
    folder.write("size-range-sizes.ndjson", *both)
    assert await folder.import_records(client, options=SKIP) == {
        "size-range-sizes": {"unchanged": 2}
    }
    assert await names_by_owner(client) == {"Range 1": ["S"], "Range 2": ["M"]}


async def test_ids_of_parts_without_a_file_of_owners_are_of_the_service(
    client: Client, folder: ImportFolder
) -> None:
    """So that an exported file can be edited and imported by itself."""
    folder.write("size-ranges.ndjson", *(line | {"sizes": [{"name": "S"}]} for line in ranges(1)))
    await folder.import_records(client)
    out = ImportFolder(folder.path / "out")
    await Export(client, out.path, select_collections(["size-range-sizes"]), int).run()
    path = out.path / "size-range-sizes.ndjson"
    path.write_text(path.read_text("utf-8").replace('"S"', '"Small"'), "utf-8")
    (out.path / "manifest.json").unlink()
    [before] = await listed(client, "size-range-sizes")
    assert await out.import_records(client) == {"size-range-sizes": {"updated": 1}}
    [after] = await listed(client, "size-range-sizes")
    assert [size["id"] for size in after["sizes"]] == [size["id"] for size in before["sizes"]]
    assert await names_by_owner(client) == {"Range 1": ["Small"]}


async def test_collections_are_exported_with_their_parts(
    client: Client, folder: ImportFolder
) -> None:
    """Each in a file of its own; the records' lines do not repeat them."""
    folder.write("size-ranges.ndjson", *(line | {"sizes": [{"name": "S"}]} for line in ranges(1)))
    await folder.import_records(client)
    counts = await Export(
        client, folder.path / "out", select_collections(["size-ranges"]), int
    ).run()
    assert counts == {"size-ranges": 1, "size-range-sizes": 1}
    assert '"sizes"' not in (folder.path / "out" / "size-ranges.ndjson").read_text("utf-8")


_REJECTED = [
    (1, "validation_error.invalid_value", "sizes[0].name"),
    (2, "validation_error.duplicate", "sizeRangeId"),
    (2, "validation_error.invalid_value", "name"),
    (3, "validation_error.unknown_reference", "sizeRangeId"),
    (4, "validation_error.unknown_reference", "sizeRangeId"),
    (5, "validation_error.required_field", "sizeRangeId"),
    (6, "not_found", "sizeRangeId"),
    (7, "validation_error.duplicate", "sizeRangeId"),
]


async def test_rejected_parts_name_the_line_of_their_file(
    client: Client, folder: ImportFolder
) -> None:
    folder.write("size-ranges.ndjson", *ranges(1), {"id": 2, "name": " ", "userDefinedId": "SR2"})
    folder.write(
        "size-range-sizes.ndjson",
        sizes(1, " "),
        sizes(1, "S"),
        sizes(2, "S"),
        sizes(3, "S"),
        {"sizes": []},
        sizes({"userDefinedId": "Nobody"}, "S"),
        {"sizeRangeId": {"userDefinedId": "SR1"}},
    )
    for options in (DRY_RUN, SKIP):
        counts = await folder.import_records(client, options=options)
        assert counts["size-range-sizes"]["failed"] == 7
        assert sorted(folder.details(), key=str) == _REJECTED
    folder.write("size-range-sizes.ndjson", sizes(1, "S"))
    assert (await folder.import_records(client, options=SKIP))["size-range-sizes"] == {"updated": 1}


async def test_a_rejected_part_ends_the_import(client: Client, folder: ImportFolder) -> None:
    folder.write("size-ranges.ndjson", *ranges(1, 2))
    folder.write("size-range-sizes.ndjson", sizes(1, "S"), sizes(2, " "))
    folder.write(
        "styles.ndjson", {"number": "S1", "name": "Parka", "measurementChart": {"lines": []}}
    )
    for options in (ImportOptions(dry_run=True), ImportOptions()):
        counts = await folder.import_records(client, options=options)
        assert counts == {"size-range-sizes": {"failed": 1}}
        assert await names_by_owner(client) == {}


async def test_parts_with_deactivated_entries_come_last(
    client: Client, folder: ImportFolder
) -> None:
    """Records may refer to these entries as long as they are active; a dry run checks that."""
    folder.write("size-ranges.ndjson", *ranges(1))
    folder.write("size-range-sizes.ndjson", sizes(1, "S", isDeactivated=True) | {"id": 1})
    size = {"sizeRangeId": {"userDefinedId": "SR1"}, "name": "S"}
    folder.write("styles.ndjson", {"number": "S1", "name": "Parka"})
    folder.write(
        "sample-requests.ndjson",
        {"styleId": {"number": "S1"}, "name": "Proto", "unit": "cm", "sizeRangeSizeIds": [size]},
    )
    counts = await folder.import_records(client, options=DRY_RUN)
    assert (counts["size-range-sizes"], counts["sample-requests"]) == (
        {"checked": 1},
        {"created": 1},
    )
    for outcome in ("updated", "unchanged"):
        counts = await folder.import_records(client)
        assert counts["size-range-sizes"] == {outcome: 1}
    [stored] = await listed(client, "size-range-sizes")
    assert [entry["isDeactivated"] for entry in stored["sizes"]] == [True]
    assert (await folder.import_records(client, options=DRY_RUN))["size-range-sizes"] == {
        "unchanged": 1
    }
