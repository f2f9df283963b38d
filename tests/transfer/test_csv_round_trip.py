"""Round-trip tests of CSV: every collection and part, written and read (Files)."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import orjson
import pytest

from service import limits
from service.extras.tables.csv_records import write_table
from service.extras.transfer.collections import TransferCollection, transfer_collections
from service.extras.transfer.errors import TransferError
from service.extras.transfer.files import Source
from service.extras.transfer.reference_keys import LineTranslation, ReferenceKeys
from service.files import DEMO

pytestmark = pytest.mark.contract("Files")
of_each_collection = pytest.mark.parametrize(
    "collection", [*transfer_collections().values()], ids=lambda collection: collection.name
)


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


@cache
def sent_lines(collection: TransferCollection) -> list[Any]:
    """Return the bodies of the demo file's lines."""
    return sent(collection, DEMO / f"{collection.name}.ndjson")


@of_each_collection
def test_a_table_says_what_the_lines_say_that_it_was_made_of(
    collection: TransferCollection, tmp_path: Path
) -> None:
    """In every collection and part, to the type and digit."""
    lines, table = DEMO / f"{collection.name}.ndjson", tmp_path / f"{collection.name}.csv"
    write_table(lines, table, collection.exported_fields)
    assert sent(collection, table) == sent_lines(collection)
    assert len(sent_lines(collection)) > 10


def by_value(value: Any) -> Any:
    """Return a value whose decimal texts have no zeros at the end, as numbers of cells."""
    if isinstance(value, dict):
        return {name: by_value(member) for name, member in value.items()}
    if isinstance(value, list):
        return [*map(by_value, value)]
    is_decimal = isinstance(value, str) and re.fullmatch(r"-?[0-9]+\.[0-9]+", value)
    return value.rstrip("0").rstrip(".") if is_decimal else value


@of_each_collection
def test_a_workbook_says_what_the_lines_say_that_it_was_made_of(
    collection: TransferCollection, tmp_path: Path
) -> None:
    lines, book = DEMO / f"{collection.name}.ndjson", tmp_path / f"{collection.name}.xlsx"
    write_table(lines, book, collection.exported_fields)
    assert by_value(sent(collection, book)) == by_value(sent_lines(collection))
    assert book.stat().st_mode & 0o777 == 0o600


def test_cells_of_a_workbook_are_typed_and_texts_stay_texts(tmp_path: Path) -> None:
    """Numbers and days are such cells; digits and formulas of texts are none."""
    note = "=1+1\x01_x0041_\r\n'=2"
    season = {"name": note, "userDefinedId": "007", "startDate": "2026-02-28"}
    item = {"name": "Zip", "number": "0012", "netWeight": "12.50"}
    for name, record in {"seasons": season, "items": item}.items():
        collection, book = transfer_collections()[name], tmp_path / f"{name}.xlsx"
        lines = tmp_path / f"{name}.ndjson"
        lines.write_bytes(orjson.dumps(record))
        write_table(lines, book, collection.exported_fields)
        [line] = Source(book, collection).lines()
        assert line.document == by_value(record)
        head, cells = openpyxl.load_workbook(book).worksheets[0].iter_rows(values_only=True)
        row = dict(zip(head, cells, strict=True))
        typed = {"startDate": datetime(2026, 2, 28), "netWeight": 12.5}
        texts = {"userDefinedId": "007", "number": "0012"}
        for field, value in (typed | texts).items():
            assert row.get(field, value) == value
    broken = tmp_path / "colors.xlsx"
    broken.write_bytes(b"PK\3\4broken")
    with pytest.raises(TransferError, match=r"colors\.xlsx, line 1: no workbook"):
        [*Source(broken, transfer_collections()["colors"]).lines()]


def _changed(book: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Change a part of a workbook."""
    with ZipFile(book) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    parts[name] = change(parts[name])
    with ZipFile(book, "w") as archive:
        for part, data in parts.items():
            archive.writestr(part, data)


@pytest.mark.parametrize("size", [b"A1", b"A1:XFD1048576"])
def test_the_size_that_a_workbook_names_does_not_count(size: bytes, tmp_path: Path) -> None:
    """Nothing is cut off, and no empty cells are read; hidden sheets are not read, either."""
    path, book = tmp_path / "colors.xlsx", openpyxl.Workbook()
    book.worksheets[0].append(["hidden"])
    book.worksheets[0].sheet_state = "hidden"
    for row in (["name", "userDefinedId"], ["Woad", "W-1"], ["Weld", "W-2"]):
        (book.worksheets[1] if book.worksheets[1:] else book.create_sheet()).append(row)
    book.save(path)
    sheet, named = "xl/worksheets/sheet2.xml", rb'<dimension ref="%b"' % size
    _changed(path, sheet, lambda xml: re.sub(rb'<dimension ref="[^"]*"', named, xml))
    source = Source(path, transfer_collections()["colors"])
    records = [(line.number, line.document) for line in source.lines()]
    assert records == [
        (2, {"name": "Woad", "userDefinedId": "W-1"}),
        (3, {"name": "Weld", "userDefinedId": "W-2"}),
    ]
    _changed(path, sheet, lambda xml: xml[: xml.index(b"Weld")])
    with pytest.raises(TransferError, match=r"colors\.xlsx, line [23]: no whole workbook"):
        [*source.lines()]


def test_workbooks_that_unpack_to_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, book = tmp_path / "colors.xlsx", openpyxl.Workbook()
    book.worksheets[0].append(["name"])
    book.save(path)
    source = Source(path, transfer_collections()["colors"])
    assert [*source.lines()] == []
    monkeypatch.setattr(limits, "MAX_UNPACKED_WORKBOOK_BYTES", 2**20)
    _changed(path, "xl/styles.xml", lambda xml: xml + b" " * 2**20)
    with pytest.raises(TransferError, match=r"no workbook: it is too large, save .* as CSV"):
        [*source.lines()]
