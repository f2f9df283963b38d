"""Tests of the cells of workbooks: each says what it shows, or is refused by its name (Files)."""

import re
from typing import Any

import pytest

from service.extras.tables.csv_records import TableRow, rows
from service.extras.tables.table_cells import SheetFacts, TableError
from service.extras.tables.table_files import read as read_file
from service.extras.transfer.collections import transfer_collections
from tests.support import workbook_parts as book
from tests.support.workbook_parts import number, packed, parts, row

pytestmark = pytest.mark.contract("Files")

_FORMATS = (
    "0%", "h:mm", "[h]:mm:ss", "yyyy-mm-dd", "dd/mm/yy hh:mm", r"_-* #,##0.00\ _D_i_n_._-",
    "#,##0.00;[Red]-#,##0.00", "General", "00000", '[$-407]d. mmm. yy;@', "0.00E+00", '"day "0',
    "mm:ss", "0000-000",
)  # fmt: skip
_STYLE = {code: index for index, code in enumerate(_FORMATS, 1)}


def read(content: bytes, collection: str = "colors") -> list[TableRow]:
    return [*rows(content, transfer_collections()[collection].all_fields)]


def documents(content: bytes, collection: str = "colors") -> list[dict[str, Any]]:
    table_rows = read(content, collection)
    assert [problem for each in table_rows for problem in each.problems] == []
    return [each.document for each in table_rows]


def sheet(*cells: str, column: str = "colorNote", **options: Any) -> bytes:
    """Return a workbook whose rows have a name, and one of the cells."""
    lines = (row(f"C{index}", cell) for index, cell in enumerate(cells))
    return packed(parts(row("name", column), *lines, formats=_FORMATS, **options))


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (number("0.5208333333333334", _STYLE["h:mm"]), "12:30:00"),
        (number("44593.5208333333334", _STYLE["h:mm"]), "12:30:00"),
        (number("1.5", _STYLE["[h]:mm:ss"]), "36:00:00"),
        (number("0.0427199074074074", _STYLE["mm:ss"]), "01:01:31"),
        (number("20", _STYLE["yyyy-mm-dd"]), "1900-01-20"),
        (number("59", _STYLE["yyyy-mm-dd"]), "1900-02-28"),
        (number("61", _STYLE["yyyy-mm-dd"]), "1900-03-01"),
        (number("46055", _STYLE["yyyy-mm-dd"]), "2026-02-02"),
        (number("46055", _STYLE["[$-407]d. mmm. yy;@"]), "2026-02-02"),
        (number("46055.25", _STYLE["dd/mm/yy hh:mm"]), "2026-02-02T06:00:00"),
        (number("46055", _STYLE["dd/mm/yy hh:mm"]), "2026-02-02"),
        ('<c t="d"><v>2026-02-02</v></c>', "2026-02-02"),
        ('<c t="d"><v>2026-02-02T00:00:00</v></c>', "2026-02-02"),
        ('<c t="d"><v>2026-02-02T12:30:00.000Z</v></c>', "2026-02-02T12:30:00"),
        ('<c t="d"><v>T12:30:00</v></c>', "12:30:00"),
        (number("12.5", _STYLE[r"_-* #,##0.00\ _D_i_n_._-"]), "12.5"),
        (number("-12.5", _STYLE["#,##0.00;[Red]-#,##0.00"]), "-12.5"),
        (number("0.30000000000000004", _STYLE["General"]), "0.3"),
        (number("1.5E-7", _STYLE["0.00E+00"]), "0.00000015"),
        (number("1E+16"), "10000000000000000"),
        (number("7", _STYLE['"day "0']), "7"),
        (number("123456789012345678"), "123456789012345678"),
        (number("1234567890123.4567"), "1234567890123.4567"),
        (number("42", _STYLE["00000"]), "00042"),
        (number("123456", _STYLE["00000"]), "123456"),
        ("#N/A", "#N/A"),
        ("00123", "00123"),
        ("=1+1", "=1+1"),
        ("'=1", "'=1"),
        ('<c t="b"><v>1</v></c>', "true"),
        ('<c t="str"><f>A1</f><v>a</v></c>', "a"),
        ('<c t="inlineStr"><is><r><t>N</t></r><r><t>a</t></r><rPh><t>x</t></rPh></is></c>', "Na"),
        ('<c t="inlineStr"><is><t>a_x000A_b_x005F_x0041__xD83D__xDE00_</t></is></c>',
         "a\nb_x0041_\N{GRINNING FACE}"),
        ('<c t="s"><v>1</v></c>', "shared"),
    ],
)  # fmt: skip
def test_a_cell_is_read_as_it_is_shown(cell: str, value: str) -> None:
    content = sheet(cell, texts=["none", "shared"])
    assert documents(content) == [{"name": "C0", "colorNote": value}]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ('<c t="e"><f>VLOOKUP(1,A:A,1)</f><v>#N/A</v></c>', "B2 shows #N/A."),
        ('<c t="e"><v>#REF!</v></c>', "B2 shows #REF!."),
        ("<c><f>1+1</f></c>", "B2 has a formula without a result: open the file in a spreadsheet"),
        ("<c><f>1+1</f><v/></c>", "B2 has a formula without a result"),
        ('<c t="str"><f>A1</f></c>', "B2 has a formula without a result"),
        ('<c t="s"><v>2</v></c>', "B2 names a text that the file does not have."),
        (number("60", _STYLE["yyyy-mm-dd"]), "B2 shows the number 60 as a day: there is none."),
        (number("-1", _STYLE["yyyy-mm-dd"]), "B2 shows the number -1 as a day"),
        (number("2958466", _STYLE["yyyy-mm-dd"]), "B2 shows the number 2958466 as a day"),
        (number("-0.5", _STYLE["h:mm"]), "B2 shows a time before 0:00."),
        ('<c t="d"><v>soon</v></c>', "B2 has neither a day nor a time: soon."),
        (number("0.05", _STYLE["0%"]), "B2 shows 5%, and the field is no percentage"),
        (number("1.2345678901234568E+17"), "B2 has a number of more than 15 digits"),
        (number("many"), "B2 has no number: many."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("column", ["colorNote", "userDefinedId"])
def test_a_cell_without_a_value_is_refused_by_its_name(cell: str, reason: str, column: str) -> None:
    """Its row alone is: the others are what they are."""
    odd, good = read(sheet(cell, "kept", texts=["a", "b"], column=column))
    assert [problem.message[: len(reason)] for problem in odd.problems] == [reason]
    assert (good.document, [*good.problems]) == ({"name": "C1", column: "kept"}, [])


def test_a_formula_whose_result_is_the_empty_text_is_an_empty_cell() -> None:
    assert documents(sheet('<c t="str"><f>""</f><v></v></c>')) == [{"name": "C0"}]


def test_percentages_are_those_of_their_fields() -> None:
    heads = ("styleId", "lines[0].itemId", "lines[0].wastagePercent")
    cells = (number("0.05", _STYLE["0%"]), number("0.955", _STYLE["0%"]), "5%", "5,5 %", "7.5")
    lines = (row('{"number": "ST"}', '{"number": "FAB"}', cell) for cell in cells)
    content = packed(parts(row(*heads), *lines, formats=_FORMATS))
    values = [each["lines"][0]["wastagePercent"] for each in documents(content, "style-items")]
    assert values == ["5", "95.5", "5", "5.5", "7.5"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("00000", None), ('"000"0', "42"), (r"\0\00", "42"), ("0 000", "42"), ("0,000", "42"),
        ("0-00", "42"), ("?000", "42"), ('"ST-"0', "42"), ("00.0", "42"), ('"A"0000', "0042"),
        ("0E+00", None), ("##0.0E+0", None), ("#,##0.00", None), (r"0.0\ _D_i_n_.", None),
        ('#,##0.00 "€"', None),
    ],
)  # fmt: skip
def test_what_a_format_shows_and_the_value_lacks_is_said(code: str, text: str | None) -> None:
    facts = SheetFacts()
    content = packed(parts(row(number("42", 1)), formats=[code]))
    [_] = read_file(content, None, facts).rows
    about = "Numbers are read without the signs of their formats"
    assert facts.notes == ([f"{about}: A1 as {text}."] if text else [])


def test_a_percentage_is_no_entry_of_a_list() -> None:
    content = packed(parts(row("groupIds"), row(number("0.95", 1)), formats=["0%"]))
    [line] = read(content, "styles")
    assert line.document == {}
    assert [each.message for each in line.problems] == [
        "A2 shows 95%, and the field is no percentage: format it as a number."
    ]


def test_days_are_counted_from_the_first_one_of_the_workbook() -> None:
    style = _STYLE["yyyy-mm-dd"]
    of_1904 = sheet(number("44593", style), number("0", style), options='date1904="1"')
    notes = [each["colorNote"] for each in documents(of_1904)]
    assert notes == ["2026-02-02", "1904-01-01"]


def test_numbers_that_are_texts_are_read_where_they_are_not_ambiguous() -> None:
    cells = ("41,5", "41.5", "WAHR", "1.234", "1,234", "0.125")
    *good, point, comma, small = read(sheet(*cells, column="latitude"), "sub-suppliers")
    assert [each.document["latitude"] for each in (*good, small)] == [41.5, 41.5, "WAHR", 0.125]
    for odd, text in ((point, "1.234"), (comma, "1,234")):
        [problem] = odd.problems
        assert f"has {text}, which may be 1234 or a decimal number" in problem.message
    flags = read(sheet("WAHR", "vrai", "FALSCH", column="isMandatory"), "style-custom-fields")
    assert [each.document["isMandatory"] for each in flags] == [True, True, False]
    states = read(sheet("Aktiv", "inactif", "ACTIVE", "other", column="state"))
    assert [each.document["state"] for each in states] == ["active", "inactive", "active", "other"]


def test_numbers_of_text_files_have_the_decimal_sign_of_the_file() -> None:
    def values(text: str) -> list[Any]:
        fields = transfer_collections()["sub-suppliers"].all_fields
        return [
            each.problems[0].message if each.problems else each.document["latitude"]
            for each in rows(text.encode(), fields)
        ]

    assert values("name;latitude\nA;1,234\nB;12.5\n") == [1.234, 12.5]
    assert "may be 1234" in values("name;latitude\nA;1.234\n")[0]
    assert values("name\tlatitude\nA\t12,5\nB\t7\n") == [12.5, 7]
    assert values("name\tlatitude\nA\t1.234\n") == [1.234]
    assert values('name,latitude\nA,1.234\nB,"1,5"\n') == [1.234, "1,5"]


@pytest.mark.parametrize(
    "renamed",
    [
        {book.TEXTS: "xl/SharedStrings.xml"},
        {book.BOOK: "xl/workbook2.xml", book.BOOK_RELATIONS: "xl/_rels/workbook2.xml.rels"},
        {book.SHEET: "xl\\worksheets\\Sheet1.xml"},
        {book.SHEET: "xl/tables.xml"},
    ],
    ids=["texts", "book", "backslashes", "sheet"],
)
def test_parts_are_found_by_their_relations(renamed: dict[str, str]) -> None:
    """Names differ in case, and in what programs call them."""
    content = parts(row("name", "colorNote"), row("Navy", '<c t="s"><v>0</v></c>'), texts=["dark"])
    changed = {renamed.get(name, name): data for name, data in content.items()}
    for old, new in renamed.items():
        for name in ("_rels/.rels", renamed.get(book.BOOK_RELATIONS, book.BOOK_RELATIONS)):
            path = new.replace("\\", "/").removeprefix("xl/")
            changed[name] = changed[name].replace(old.removeprefix("xl/"), path)
    assert documents(packed(changed)) == [{"name": "Navy", "colorNote": "dark"}]


def test_strict_workbooks_and_prefixes_are_read() -> None:
    content = parts(
        row("name", "colorNote"), row("Navy", '<c t="d"><v>2026-02-02T00:00:00</v></c>')
    )
    navy = [{"name": "Navy", "colorNote": "2026-02-02"}]
    assert documents(packed(book.strict(content))) == navy
    content[book.SHEET] = re.sub("<(/?)", r"<\1x:", content[book.SHEET]).replace("xmlns", "xmlns:x")
    assert documents(packed(content)) == navy


def test_the_headings_are_found_below_a_title() -> None:
    content = packed(
        parts(
            row("Colors of summer"), row(), row("Name", "Note", "userDefinedId"), row("Navy", "x")
        )
    )
    [navy] = read(packed(parts(row("Colors of summer"), row("Name", "colorNote"), row("Navy"))))
    assert navy.document == {"name": "Navy"}
    assert navy.line == 3
    with pytest.raises(TableError, match="Note names no field") as caught:
        read(content)
    assert caught.value.line == 3
