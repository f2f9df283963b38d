"""Tests of random tables: what other programs write is read to the digit (tools, Files)."""

import io
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any, NamedTuple

import openpyxl
import pytest
import xlsxwriter
from openpyxl.cell import WriteOnlyCell

from service.extras.tables.bounded_reading import read_bounded
from service.extras.tables.table_cells import SheetFacts, TableCell
from service.extras.tables.table_files import read
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("Files")


class Written(NamedTuple):
    """Value of a cell as a program writes it, its format, and the text that it is read as."""

    value: Any
    format: str
    text: str
    kind: str = "number"


def _text(random: Random) -> Written:
    signs = "abc 012 =+-@'\"<>&;,\n\tßéß\u4e2d\N{SPOOL OF THREAD}_x0041_"
    text = "".join(random.choices(signs, k=random.randint(1, 12)))
    return Written(text, "@", text, "text")


def _whole(random: Random) -> Written:
    number = random.randint(-(10 ** random.randint(1, 15)) + 1, 10 ** random.randint(1, 15) - 1)
    return Written(number, "General", str(number))


def _decimal(random: Random) -> Written:
    places = random.randint(1, 6)
    number = round(random.uniform(-99999, 99999), places)
    form = random.choice(["General", "#,##0.00", "#,##0.00;[Red]-#,##0.00", r"_-* 0.0\ _D_i_n"])
    text = f"{number:.{places}f}".rstrip("0").rstrip(".")
    return Written(number, form, text)


def _padded(random: Random) -> Written:
    number = random.randint(1, 99999)
    return Written(number, "00000", f"{number:05}")


def _percent(random: Random) -> Written:
    number = random.randint(0, 10000)
    text = f"{number / 100:.2f}".rstrip("0").rstrip(".")
    return Written(number / 10000, "0.00%", text, "percent")


def _flag(random: Random) -> Written:
    flag = random.random() < 0.5
    return Written(flag, "General", str(flag).lower(), "boolean")


def _day(random: Random) -> Written:
    day = date(1900, 3, 1) + timedelta(days=random.randrange(60000))
    form = random.choice(["yyyy-mm-dd", "[$-407]d. mmmm yyyy", "m/d/yy", "dd.mm.yyyy;@"])
    return Written(datetime.combine(day, time()), form, day.isoformat(), "day")


def _moment(random: Random) -> Written:
    moment = datetime(1950, 1, 1) + timedelta(seconds=random.randrange(1, 4 * 10**9))
    kind = "moment" if moment.time() != time() else "day"
    text = moment.isoformat() if kind == "moment" else moment.date().isoformat()
    return Written(moment, "yyyy-mm-dd hh:mm:ss", text, kind)


def _time(random: Random) -> Written:
    moment = (datetime.min + timedelta(seconds=random.randrange(86400))).time()
    return Written(moment, random.choice(["h:mm", "hh:mm:ss AM/PM"]), moment.isoformat(), "time")


def _duration(random: Random) -> Written:
    seconds = random.randrange(10**6)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return Written(timedelta(seconds=seconds), "[h]:mm:ss", text, "time")


_KINDS = (_text, _whole, _decimal, _padded, _percent, _flag, _day, _moment, _time, _duration)
_Table = Sequence[Sequence[Written | None]]


def _table(random: Random) -> _Table:
    width = random.randint(1, 6)
    return [
        [random.choice(_KINDS)(random) if random.random() < 0.8 else None for _ in range(width)]
        for _ in range(random.randint(1, 4))
    ]


def _by_openpyxl(table: _Table) -> bytes:
    file, book = io.BytesIO(), openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for cells in table:
        row = []
        for written in cells:
            cell = WriteOnlyCell(sheet, None if written is None else written.value)
            if written:
                cell.number_format = written.format
            if written and isinstance(written.value, str):
                # This library leaves it to its callers to escape what looks like an escape.
                cell.value = written.value.replace("_x0041_", "_x005F_x0041_")
                cell.data_type = "s"
            row.append(cell)
        sheet.append(row)
    book.save(file)
    return file.getvalue()


def _by_xlsxwriter(table: _Table) -> bytes:
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    sheet = book.add_worksheet()
    for number, cells in enumerate(table):
        for column, written in enumerate(cells):
            if written:
                form = book.add_format({"num_format": written.format})
                _write(sheet, number, column, written, form)
    book.close()
    return file.getvalue()


def _write(sheet: Any, number: int, column: int, written: Written, form: Any) -> None:
    if isinstance(written.value, str):
        sheet.write_string(number, column, written.value, form)
    elif isinstance(written.value, bool):
        sheet.write_boolean(number, column, written.value, form)
    elif isinstance(written.value, int | float):
        sheet.write_number(number, column, written.value, form)
    else:
        sheet.write_datetime(number, column, written.value, form)


def _meant(table: _Table) -> list[tuple[int, list[TableCell]]]:
    """Return the rows with cells, and these without empty ones at the end."""
    rows = []
    for number, cells in enumerate(table, start=1):
        read_cells = [TableCell(each.text, each.kind) if each else TableCell() for each in cells]
        while read_cells and not read_cells[-1].text:
            read_cells.pop()
        if read_cells:
            rows.append((number, read_cells))
    return rows


@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("write", [_by_openpyxl, _by_xlsxwriter])
def test_random_tables_come_back_equal(
    write: Callable[[_Table], bytes], part: int, sample: Sample
) -> None:
    """5,000 by each of two programs, in `make test-all`."""
    for seed in sample(range(part * 500, part * 500 + 500), 50):
        table = _table(Random(seed))
        read_rows = [(row.number, row.cells) for row in read(write(table), None, SheetFacts()).rows]
        assert read_rows == _meant(table), seed


def test_rows_are_the_same_from_a_process_of_its_own() -> None:
    content = _by_openpyxl([*_table(Random(7)), *_table(Random(8))])
    rows = [*read(content, None, SheetFacts()).rows]
    assert rows == [*read_bounded(content).rows]
    assert rows
