"""Tests of reject files: NDJSON, and CSV for spreadsheets (tools, Files)."""

import csv
from pathlib import Path
from typing import Any

import pytest

from selvedge_client import Client, Detail
from service.extras.transfer.collections import transfer_collections
from service.extras.transfer.files import sources
from service.extras.transfer.import_files import ImportOptions
from service.extras.transfer.rejects import Rejects, reject_files
from service.schemas.messages import BLANK
from tests.transfer.conftest import ImportFolder, listed

pytestmark = pytest.mark.contract("Files")

SKIP = ImportOptions(skip=True)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [*csv.DictReader(file)]


async def test_a_table_names_file_line_column_and_message(
    client: Client, folder: ImportFolder
) -> None:
    """Columns are named as the file names them; lines are those where rows begin."""
    folder.write(
        "sub-suppliers.csv",
        "Name,latitude,CONTACTS[3].email,contacts[3].role,customId",
        '"Ada\nLtd",7,,,A',
        f"Größe,91.5,{'x' * 1001},,B",
        '"","48,5",,QA,C',
    )
    folder.write("size-ranges.csv", "name,SIZES[4].name,userDefinedId", "One,S,1", 'Two," ",2')
    await folder.import_records(client, options=SKIP)
    reported = [
        (row["file"], row["line"], row["column"], row["message"])
        for row in table(folder.path / "rejects.csv")
    ]
    assert sorted(reported) == [
        ("size-ranges.csv", "3", "SIZES[4].name", BLANK),
        ("sub-suppliers.csv", "4", "CONTACTS[3].email", "Use at most 1000 characters."),
        ("sub-suppliers.csv", "4", "latitude", "Use 90 or less."),
        ("sub-suppliers.csv", "5", "Name", "This field is required."),
        ("sub-suppliers.csv", "5", "latitude", "Use a number such as -12.5."),
    ]  # fmt: skip


async def test_cells_that_the_table_names_can_be_mended(
    client: Client, folder: ImportFolder
) -> None:
    """Colors without languages lose theirs before their translations are written again."""
    header = "userDefinedId,name,translations[0].languageId,translations[0].colorName"
    text = f"{header}\n1,Red,1,Rot\n2,Blue,ein,Blau\n"
    (folder.path / "colors.csv").write_text(text, encoding="utf-8")
    await folder.import_records(client, options=SKIP)
    [row] = table(folder.path / "rejects.csv")
    lines = text.splitlines()
    column_index = lines[0].split(",").index(row["column"])
    cells = lines[int(row["line"]) - 1].split(",")
    cells[column_index] = "1"
    lines[int(row["line"]) - 1] = ",".join(cells)
    folder.write("colors.csv", *lines)
    counts = await folder.import_records(client)
    assert counts["color-translations"] == {"updated": 2}
    assert len(await listed(client, "colors")) == 2
    assert not (folder.path / "rejects.csv").exists()


@pytest.mark.parametrize(
    ("named", "lines", "rows"),
    [
        ("rejects.ndjson", "rejects.ndjson", "rejects.csv"),
        ("rejects.csv", "rejects.ndjson", "rejects.csv"),
        ("rejects", "rejects", "rejects.csv"),
    ],
)
def test_both_files_are_private_and_may_be_named_by_either(
    folder: ImportFolder, named: str, lines: str, rows: str
) -> None:
    path = folder.path / named
    assert reject_files(path) == (folder.path / lines, folder.path / rows)
    folder.write("brands.ndjson", {"name": "Alpine"})
    [source] = sources(folder.path, transfer_collections())
    [line] = source.lines()
    with Rejects(path) as rejects:
        assert not any(file.exists() for file in reject_files(path))
        rejects.add(source, line, [Detail("conflict", None, "No.")])
    assert [file.stat().st_mode & 0o777 for file in reject_files(path)] == [0o600, 0o600]
    rejected: list[dict[str, Any]] = [*table(folder.path / rows)]
    assert rejected == [
        {"file": "brands.ndjson", "line": "1", "column": "", "message": "No.", "type": "conflict"}
    ]
