"""Round-trip tests of CSV: every collection and part, exported and imported (Files)."""

import csv
from pathlib import Path
from typing import Any

import pytest

from selvedge_client import Client
from service.extras.transfer.collections import (
    TransferCollection,
    select_collections,
    transfer_collections,
)
from service.extras.transfer.csv_records import write_table
from service.extras.transfer.export_files import Export
from service.extras.transfer.files import Source
from service.extras.transfer.reference_keys import LineTranslation, ReferenceKeys
from service.files import DEMO
from tests.support.api import issue_key
from tests.support.demo.files import export
from tests.transfer.conftest import ImportFolder, TransferEnvironment
from tests.transfer.test_demo_files import records

pytestmark = pytest.mark.contract("Files")


async def export_tables(environment: TransferEnvironment, key: str, folder: Path) -> None:
    async with Client(str(environment.url), key) as client:
        await Export(client, folder, select_collections([]), int, csv=True).run()


def header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file))


def without_null(value: Any) -> Any:
    """Return a value as it would be sent: null says the same as nothing."""
    if isinstance(value, dict):
        return {name: without_null(member) for name, member in value.items() if member is not None}
    return [*map(without_null, value)] if isinstance(value, list) else value


def sent(collection: TransferCollection, path: Path) -> list[Any]:
    """Return the bodies that an import sends for each line, with the file's own ids."""
    translation = LineTranslation(ReferenceKeys(()))
    return [
        without_null(translation.item(collection.fields, {**line.document, "id": None}))
        for line in Source(path, collection).lines()
    ]


@pytest.mark.parametrize(
    "collection", [*transfer_collections().values()], ids=lambda collection: collection.name
)
def test_a_table_says_what_the_lines_say_that_it_was_made_of(
    collection: TransferCollection, tmp_path: Path
) -> None:
    """In every collection and part, to the type and digit."""
    lines, table = DEMO / f"{collection.name}.ndjson", tmp_path / f"{collection.name}.csv"
    write_table(lines, table, collection.exported_fields)
    assert sent(collection, table) == sent(collection, lines)
    assert len(sent(collection, lines)) > 10


async def test_tables_of_organization_1_make_it_anew(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, tmp_path: Path
) -> None:
    """The records are those of the demo files; a second export has the same columns."""
    folder, after, again = ImportFolder(tmp_path / "csv"), tmp_path / "after", tmp_path / "again"
    await export_tables(environment, await issue_key(environment.dsn, 1, "read"), folder.path)
    assert {path.stem for path in folder.path.glob("*.csv")} == transfer_collections().keys()
    assert [*folder.path.glob("*.unfinished")] == []
    counts = await folder.import_records(client)
    assert folder.rejected == []
    assert {name for outcomes in counts.values() for name in outcomes} == {"created", "updated"}
    await export(str(environment.url), keys["write"], after)
    await export_tables(environment, keys["write"], again)
    assert records(after) == records(DEMO)
    for path in sorted(DEMO.iterdir()):
        tables = [directory / f"{path.stem}.csv" for directory in (folder.path, again)]
        assert header(tables[0]) == header(tables[1])
        source = transfer_collections()[path.stem]
        lines = [[*Source(table, source).lines()] for table in tables]
        assert len(lines[0]) == len(lines[1]) == len(path.read_bytes().splitlines())
