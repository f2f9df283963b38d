"""Tests of files that are no tables, damaged or made up: one clear line, within bounds (Files)."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from service import limits
from service.extras.tables import bounded_process, csv_records
from service.extras.tables.bounded_reading import read_bounded
from service.extras.tables.table_cells import SheetFacts, TableError
from service.extras.tables.table_files import read
from service.extras.transfer.collections import transfer_collections
from tests.support import workbook_parts as book
from tests.support.sampling import Sample
from tests.support.workbook_parts import number, packed, parts, row

pytestmark = pytest.mark.contract("Files")

_HEADS = row("name", "colorNote")
_GOOD = parts(_HEADS, row("Navy", number("1")), texts=["shared"])


def _changed(part: str, change: Callable[[str], str]) -> bytes:
    return packed({**_GOOD, part: change(_GOOD[part])})


def _with_sheet(xml: str) -> bytes:
    return _changed(book.SHEET, lambda sheet: sheet.replace("</sheetData>", f"{xml}</sheetData>"))


def _bomb(_: str) -> str:
    entities = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    return f'<!DOCTYPE x [<!ENTITY a0 "haha">{entities}]><worksheet>&a9;</worksheet>'


_EXTERNAL = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><worksheet>&a;</worksheet>'
_REFUSED = {
    "row": (_with_sheet('<row r="999999999999"><c><v>1</v></c></row>'), "row 999999999999 after"),
    "rows": (_with_sheet('<row r="2"><c><v>1</v></c></row>'), "a row 2 after row 2"),
    "column": (_with_sheet('<row><c r="ZZZZ1"><v>1</v></c></row>'), "damaged"),
    "bomb": (_changed(book.SHEET, _bomb), "has a document type"),
    "external": (_changed(book.SHEET, lambda _: _EXTERNAL), "has a document type"),
    "truncated": (_changed(book.SHEET, lambda xml: xml[: len(xml) // 2]), "damaged"),
    "cells": (_with_sheet('<row><c r="XFD1"><v>1</v></c></row>' * 700), "too many cells"),
    "no book": (packed({"a": "b"}), "no workbook: save it as XLSX"),
    "no sheet": (packed({**_GOOD, book.BOOK_RELATIONS: "<Relationships/>"}), "has no sheet"),
    "binary": (packed({"xl/workbook.bin": b""}), "is a binary workbook"),
    "open document": (packed({"content.xml": "<x/>"}), "is an OpenDocument file"),
    "broken": (b"PK\3\4broken", "damaged"),
    "encrypted": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "an encrypted workbook"),
    "packed": (b"\x1f\x8b\x08\0colors", "is packed: save it as XLSX or CSV UTF-8"),
    "rar": (b"Rar!\x1a\x07\0colors", "is packed"),
    "page": (b"<html><table><tr><td>name</td></tr></table></html>", "is a web page or XML"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0", "looks like UTF-16|no UTF-8"),
    "large": (packed(_GOOD) + bytes(16 * 2**20), "at most 16 MiB"),
}


def _records(content: bytes) -> list[csv_records.TableRow]:
    return [*csv_records.rows(content, transfer_collections()["colors"].all_fields)]


@pytest.mark.parametrize("name", _REFUSED)
def test_what_is_no_table_is_refused_in_a_line(name: str) -> None:
    content, message = _REFUSED[name]
    with pytest.raises(TableError, match=message) as caught:
        _records(content)
    assert "\n" not in str(caught.value)
    assert not re.search(r"Error|Traceback|/work|\.py|openpyxl|expat", str(caught.value))


def test_texts_that_unpack_to_much_are_counted_while_they_are_unpacked() -> None:
    """Whatever the directory of the archive says."""
    text = f"<t>{'x' * (210 * 2**20)}</t>"
    content = _changed(book.TEXTS, lambda xml: xml.replace("<t>shared</t>", text))
    assert len(content) < 2**20
    with pytest.raises(TableError, match="no workbook: it is too large, save its sheet as CSV"):
        _records(content)


def test_what_the_cells_do_not_need_is_not_read() -> None:
    """Links to other files, charts before the sheet, and hidden sheets."""
    sheets = '<sheet name="Chart" r:id="rId8"/><sheet name="Old" state="hidden" r:id="rId1"/>'
    external = '<Relationship Id="rId9" Type="x/externalLink" Target="gone/external.xml"/>'
    chart = '<Relationship Id="rId8" Type="x/chartsheet" Target="chartsheets/sheet1.xml"/>'
    content = {
        **_GOOD,
        "xl/chartsheets/sheet1.xml": "<chartsheet/>",
        book.BOOK: _GOOD[book.BOOK].replace("<sheets>", f"<sheets>{sheets}"),
        book.BOOK_RELATIONS: _GOOD[book.BOOK_RELATIONS].replace(
            "</Relationships>", f"{external}{chart}</Relationships>"
        ),
    }
    [navy] = _records(packed(content))
    assert navy.document == {"name": "Navy", "colorNote": "1"}


def test_a_file_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WORKBOOK_SECONDS", 0)
    with pytest.raises(TableError, match="takes more than 0 s, or too much memory"):
        _records(packed(_GOOD))


def test_a_defect_of_the_reader_is_no_fault_of_the_file() -> None:
    def fail() -> Any:
        raise ZeroDivisionError

    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        [*bounded_process.run(fail)]


def _mutated(content: bytes, random: Random) -> bytes:
    """Return an archive with some bytes changed, or of parts with some characters changed."""
    if random.random() < 0.5:
        data = bytearray(content)
        for _ in range(random.randint(1, 8)):
            data[random.randrange(len(data))] = random.randrange(256)
        return bytes(data[: random.randint(len(data) // 2, len(data))])
    changed = dict(_GOOD)
    name = random.choice([*changed])
    text = changed[name]
    for _ in range(random.randint(1, 4)):
        start = random.randrange(len(text) + 1)
        end = min(start + random.randint(0, 12), len(text))
        text = text[:start] + random.choice(_PIECES) + text[end:]
    changed[name] = text
    return packed(changed)


_PIECES = (
    *("", "<", ">", "&", '"', "\0", "</row>", "<row>", "<c>", "<v>1</v>", "r=", "9" * 20, "-1"),
    *('t="s"', 't="e"', 's="99"', "<!--", "<![CDATA[", "&#0;", "&#xD800;", "<f>", "\ud7ff", "/../"),
)


def test_mutated_workbooks_are_read_or_refused_in_a_line(sample: Sample) -> None:
    """1,000 of them, in the process of the test: any other exception fails it."""
    whole = packed(_GOOD)
    for seed in sample(range(1000), 100):
        assert "\n" not in _refusal(_mutated(whole, Random(seed))), seed


def _refusal(content: bytes) -> str:
    """Return the message that refuses a workbook; an empty one if it is read."""
    try:
        assert len([*read(content, None, SheetFacts()).rows]) < 100
    except TableError as error:
        return str(error)
    return ""


def test_text_files_are_read_here_and_workbooks_elsewhere(tmp_path: Path) -> None:
    assert [row.number for row in read_bounded(b"a,b\n1,2\n").rows] == [1, 2]
    assert [row.number for row in read_bounded(packed(_GOOD)).rows] == [1, 2]
    assert not [*tmp_path.iterdir()]
