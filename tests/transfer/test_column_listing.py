"""Tests of ``selvedge import --columns``: listed are the columns of exports and imports."""

import csv
import re
from pathlib import Path

import orjson
import pytest

from service.extras.commands.column_listing import ColumnRow, column_rows
from service.extras.tables.csv_records import rows, write_table
from service.extras.tables.table_files import TABLE_ENCODING
from service.extras.transfer.collections import TransferCollection, transfer_collections
from service.files import DEMO

pytestmark = pytest.mark.contract("Files")

COLLECTIONS = [*transfer_collections().values()]
named = pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda collection: collection.name)


@named
def test_every_column_that_is_listed_can_be_in_a_header(collection: TransferCollection) -> None:
    header = ",".join(row.column for row in column_rows(collection))
    assert [*rows(header.encode(), collection.all_fields)] == []


@named
def test_every_column_of_an_export_is_listed(
    collection: TransferCollection, tmp_path: Path
) -> None:
    listed = {row.column for row in column_rows(collection)}
    table = tmp_path / "table.csv"
    write_table(DEMO / f"{collection.name}.ndjson", table, collection.exported_fields)
    with table.open(encoding=TABLE_ENCODING, newline="") as file:
        columns = next(csv.reader(file))
    assert {re.sub(r"\[\d+\]", "[0]", column) for column in columns} <= listed
    lines = (DEMO / f"{collection.name}.ndjson").read_bytes().splitlines()
    assert lines
    assert orjson.loads(lines[0]).keys() & {*columns}


def test_columns_have_types_lengths_and_values() -> None:
    columns = {
        row.column: row for name in ("styles", "size-ranges", "sample-requests", "sub-suppliers")
        for row in column_rows(transfer_collections()[name])
    }  # fmt: skip
    for row in (
        ColumnRow("number", "text", "yes", "1 to 500 characters; the own key"),
        ColumnRow(
            "groupIds", "whole numbers, separated by ;", "", "at most 200 entries; ids in groups"
        ),
        ColumnRow("state", "text", "", "active, inactive"),
        ColumnRow("latitude", "decimal number", "", "-90 to 90"),
        ColumnRow("sizes", "list", "", "at most 1000 entries; [] for none"),
        ColumnRow("sizes[0].name", "text", "yes", "1 to 1000 characters"),
        ColumnRow("sizes[0].isDeactivated", "true or false", "", ""),
        ColumnRow(
            "measurements[0].sizeRangeSizeId", "whole number", "yes", "an id in size-ranges/sizes"
        ),
        ColumnRow(
            "measurements[0].lines[0].companyMeasurement",
            "decimal number", "", "at most 10 digits after the point",
        ),
    ):  # fmt: skip
        assert columns[row.column] == row
