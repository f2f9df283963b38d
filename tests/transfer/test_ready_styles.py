"""Tests of imports of styles that are ready for export (tools, Files; contract, Styles)."""

from typing import Any

import pytest

import selvedge_client
from selvedge_client import Client
from service.extras.transfer.import_files import ImportOptions
from tests.transfer.conftest import ImportFolder, listed

pytestmark = pytest.mark.contract("Files", "Styles")

FIELD = {"id": 1, "userDefinedId": "CARE", "name": "Care", "type": "text", "isMandatory": True}


def write(folder: ImportFolder, *valued: int) -> None:
    """Write three styles, two of which are ready, and the values of some."""
    styles: list[dict[str, Any]] = [
        {"id": n, "number": f"S{n}", "name": "Vest", "isReadyForExport": n < 3} for n in (1, 2, 3)
    ]
    folder.write("style-custom-fields.ndjson", FIELD)
    folder.write("styles.ndjson", *styles)
    values = [{"customFieldId": 1, "text": "x"}]
    folder.write("custom-field-values.ndjson", *({"styleId": n, "values": values} for n in valued))


async def ready(client: Client) -> dict[str, bool]:
    return {each["number"]: each["isReadyForExport"] for each in await listed(client, "styles")}


@pytest.mark.parametrize("entries", [1, 4, 10_000])
async def test_styles_become_ready_after_all_values(
    entries: int, client: Client, folder: ImportFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few lines a transaction has; once more changes nothing, and an edit is one."""
    monkeypatch.setattr(selvedge_client, "MAX_ENTRIES", entries)
    write(folder, 1, 2)
    counts = await folder.import_records(client)
    assert (folder.rejected, counts["styles"]) == ([], {"created": 3})
    assert await ready(client) == {"S1": True, "S2": True, "S3": False}
    before = await client.changes.now()
    for options in (ImportOptions(), ImportOptions(merge=True), ImportOptions(dry_run=True)):
        counts = await folder.import_records(client, options=options)
        assert counts["styles"] == {"unchanged": 3}
    assert await client.changes.now() == before
    lines = (folder.path / "styles.ndjson").read_text("utf-8").replace("Vest", "Coat", 1)
    folder.write("styles.ndjson", *lines.splitlines())
    counts = await folder.import_records(client)
    assert counts["styles"] == {"updated": 1, "unchanged": 2}
    folder.write("styles.ndjson", *lines.replace(":false", ":true").splitlines())
    folder.write(
        "custom-field-values.ndjson", {"styleId": 3, "values": [{"customFieldId": 1, "text": "y"}]}
    )
    counts = await folder.import_records(client)
    assert counts["styles"] == {"updated": 1, "unchanged": 2}


async def test_lines_that_lack_values_are_rejected_by_their_number(
    client: Client, folder: ImportFolder
) -> None:
    write(folder, 2)
    dry_run = await folder.import_records(client, options=ImportOptions(dry_run=True))
    assert dry_run["styles"] == {"checked": 2, "created": 1}
    counts = await folder.import_records(client, options=ImportOptions(skip=True))
    assert counts["styles"] == {"failed": 1, "created": 2}
    assert folder.details() == [(1, "conflict.incomplete", "isReadyForExport")]
    assert await ready(client) == {"S1": False, "S2": True, "S3": False}
    write(folder, 1, 2)
    counts = await folder.import_records(client)
    assert counts["styles"] == {"updated": 1, "unchanged": 2}
    assert await ready(client) == {"S1": True, "S2": True, "S3": False}
