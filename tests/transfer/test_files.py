"""Tests of import files: file names, formats and lines (tools, Files)."""

import re
from typing import Any

import pytest

from selvedge_client import Client
from service.extras.tables.cells import text_of, value_of
from service.extras.tables.csv_records import rows
from service.extras.tables.fields import Field
from service.extras.tables.table_cells import TableError
from service.extras.transfer.collections import transfer_collections
from service.extras.transfer.errors import TransferError
from service.extras.transfer.files import sources
from tests.transfer.conftest import ImportFolder, listed

pytestmark = pytest.mark.contract("Files")


def read(
    text: str | bytes, collection: str = "sub-suppliers", encoding: str | None = None
) -> list[dict[str, Any]]:
    raw = text if isinstance(text, bytes) else text.encode()
    fields = transfer_collections()[collection].all_fields
    return [row.document for row in rows(raw, fields, encoding)]


def test_cells_say_what_their_fields_are() -> None:
    text = '\ufeffname,latitude,zipCode,customId\nAda,48.5,01234,\n"Bo, Ltd",7,,B\n'
    assert read(text) == [
        {"name": "Ada", "latitude": 48.5, "zipCode": "01234"},
        {"name": "Bo, Ltd", "latitude": 7, "customId": "B"},
    ]


def test_lists_are_separated_or_have_columns_of_their_own() -> None:
    assert read("name,groupIds\nParka,3; 4\n", "styles") == [{"name": "Parka", "groupIds": [3, 4]}]
    text = (
        "contacts[0].email,contacts[1].email,contacts[1].role\na@example.com,,\n,b@example.com,QA\n"
    )
    assert read(text) == [
        {"contacts": [{"email": "a@example.com"}]},
        {"contacts": [{"email": "b@example.com", "role": "QA"}]},
    ]


def test_columns_of_parts_have_the_types_of_their_schemas() -> None:
    assert read("name,translations[0].languageId\nRed,8\n", "colors") == [
        {"name": "Red", "translations": [{"languageId": 8}]}
    ]
    header = "sizes[0].id,sizes[0].name,sizes[0].isDeactivated,sizes[0].gradingGroupId"
    assert read(f"{header}\n7,36,TRUE,2\n", "size-ranges") == [
        {"sizes": [{"id": 7, "name": "36", "isDeactivated": True, "gradingGroupId": 2}]}
    ]
    header = "measurements[0].sizeRangeSizeId,measurements[0].lines[0].companyMeasurement"
    assert read(f"{header}\n7,36.50\n", "sample-requests") == [
        {"measurements": [{"sizeRangeSizeId": 7, "lines": [{"companyMeasurement": "36.50"}]}]}
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("TRUE", True), ("wahr", "wahr"), ("1", True), ("0", False), ("No", False), (" yes ", True),
    ],
)  # fmt: skip
def test_flags_are_read_and_what_is_none_stays_a_text(text: str, value: Any) -> None:
    assert read(f"isMandatory\n{text}\n", "style-custom-fields") == [{"isMandatory": value}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12), (" 12 ", 12), ("12.0", 12), ("12.5", "12.5"), ("1.2E+05", "1.2E+05"),
        ("9223372036854775807", 2**63 - 1), ("9223372036854775808", "9223372036854775808"),
        ("-9223372036854775808", -(2**63)), ("1,200", "1,200"), ("\u0661", "\u0661"),
    ],
)  # fmt: skip
def test_whole_numbers_are_read(text: str, value: Any) -> None:
    assert read(f'maxChar\n"{text}"\n', "style-custom-fields") == [{"maxChar": value}]


@pytest.mark.parametrize(
    ("text", "value"), [("48.5", 48.5), ("-1e-05", -1e-05), ("1e400", "1e400"), ("48,5", "48,5")]
)
def test_decimal_numbers_are_read(text: str, value: Any) -> None:
    assert read(f'latitude\n"{text}"\n') == [{"latitude": value}]


def test_commas_are_decimal_points_where_semicolons_separate_cells() -> None:
    assert read("name;latitude\nAda;48,5\nBo;-7.25\n") == [
        {"name": "Ada", "latitude": 48.5},
        {"name": "Bo", "latitude": -7.25},
    ]
    text = "name;measurementChart.lines[0].name;measurementChart.lines[0].tolerance\nA;1,5;1,50\n"
    assert read(text, "styles") == [
        {"name": "A", "measurementChart": {"lines": [{"name": "1,5", "tolerance": "1.50"}]}}
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_of_spreadsheets_are_understood(delimiter: str) -> None:
    header, cells = ("number", "name", "groupIds"), ("S1", '"a,b;c\td|e"', '"3;4"')
    text = f"{delimiter.join(header)}\r\n{delimiter.join(cells)}\r\n"
    assert read(text, "styles") == [{"number": "S1", "name": "a,b;c\td|e", "groupIds": [3, 4]}]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "utf-16-le"]
)
def test_encodings_of_spreadsheets_are_understood(encoding: str) -> None:
    """By their byte order mark, else by name."""
    text = "name\nGrößen\n".encode(encoding)
    is_marked = encoding in {"utf-8", "utf-8-sig", "utf-16", "utf-32"}
    assert read(text, encoding=None if is_marked else encoding) == [{"name": "Größen"}]
    if is_marked:
        assert read(text, encoding="cp1252" if encoding != "utf-8" else None) == [
            {"name": "Größen"}
        ]


def test_names_of_columns_may_be_capitalised_and_columns_without_a_name_empty() -> None:
    text = "ID,Name,CONTACTS[0].eMail,,\n1,Ada,a@example.com,,\n2,Bo,,,,,\n"
    assert read(text) == [
        {"id": "1", "name": "Ada", "contacts": [{"email": "a@example.com"}]},
        {"id": "2", "name": "Bo"},
    ]


def test_read_only_fields_may_have_columns() -> None:
    """They are in files that were made of documents; nothing of them is sent."""
    documents = read("name,properties[0],beginDate\nAda,inUse,2026-01-01\n", "groups")
    assert [document["name"] for document in documents] == ["Ada"]


def test_empty_lists_and_empty_texts_differ_from_no_value() -> None:
    text = 'name,contacts,city,zipCode\nAda,[],"""""",\nBo,,"""",""""""""\n'
    assert read(text) == [
        {"name": "Ada", "contacts": [], "city": ""},
        {"name": "Bo", "city": '"', "zipCode": '"'},
    ]


@pytest.mark.parametrize(
    "value", ["", '"', '""', '"""', " x ", "a\nb", "a\r\nb", "=1+1", "[]", "null"]
)
def test_texts_are_read_as_they_were_written(value: str) -> None:
    assert value_of(text_of(value), Field(frozenset({"string"}))) == value


def test_lines_are_those_where_rows_begin() -> None:
    content = b'name,city\n"A\nB",C\n\n,\nD,E\n'
    table_rows = [*rows(content, transfer_collections()["sub-suppliers"].all_fields)]
    assert [(row.line, row.document["name"]) for row in table_rows] == [(2, "A\nB"), (6, "D")]


def test_columns_are_numbered_despite_empty_list_entries() -> None:
    raw = b"NAME,contacts[2].email,contacts[4].email\nA,,b@example.com\n"
    [row] = rows(raw, transfer_collections()["sub-suppliers"].all_fields)
    columns = [
        row.column(field) for field in ("name", "contacts[0].email", "contacts[0].role", None)
    ]
    assert columns == ["NAME", "contacts[4].email", "contacts[4].role", ""]


def test_values_of_a_list_are_in_the_column_of_the_list() -> None:
    [row] = rows(b"Number,groupIDs\nS1,3;4\n", transfer_collections()["styles"].all_fields)
    assert [row.column(field) for field in ("groupIds[1]", "brandId")] == ["groupIDs", "brandId"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "there is no header"),
        ("name,Name\n", 1, "the column Name is there twice: remove one"),
        ("name,custom-id\n", 1, "custom-id names no field: use names such as"),
        ("naem\n", 1, "naem names no field: did you mean name?.*import --columns"),
        ("contacts[0].mail\n", 1, "did you mean email?"),
        ("contacts.email\n", 1, r"an index such as \[0\] is missing before email"),
        ("name[0]\n", 1, r"there is no list before \[0\]"),
        ('name\n"A\n', 2, "no CSV"),
        ('name\n"5" inch"\n', 2, "no CSV.*double each quotation mark"),
    ],
)
def test_malformed_tables_are_refused(text: str, line: int, message: str) -> None:
    with pytest.raises(TableError, match=message) as caught:
        read(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,\nA,B\nC\n", "cell 2 has no column name"),
        ("name\nA,B\nC\n", "cell 2 has no column name: name its column"),
        ("name,contacts,contacts[0].email\nA,[],y\nC\n", "another column has"),
        ("name,contacts\nA,x\nC\n", r"the cell of contacts .*use \[\] for an empty list"),
        ("name,contacts[0]\nA,x\nC\n", r"use a column for each field: id, "),
    ],
)
def test_odd_rows_are_rejected_and_the_others_are_not(text: str, message: str) -> None:
    odd, good = rows(text.encode(), transfer_collections()["sub-suppliers"].all_fields)
    [problem] = odd.problems
    assert re.search(message, problem.message)
    assert (good.document, [*good.problems]) == ({"name": "C"}, [])


def test_cells_that_are_missing_at_the_end_of_a_row_are_empty() -> None:
    assert read("name,city\nA,B\nC\n") == [{"name": "A", "city": "B"}, {"name": "C"}]


@pytest.mark.parametrize(
    ("raw", "encoding", "line", "message"),
    [
        (b"name,city\nA,B\nC,\xd6\n", None, 3, "no UTF-8: save.*--encoding cp1252"),
        (b"name\n\x81\n", "cp1252", 2, "no CP1252"),
        ("name\nA\n".encode("utf-16") + b"\x00\xd8\n", None, 3, "no UTF-16"),
        (b"\xef\xbb\xbfname\n\xff\n", None, 2, "no UTF-8"),
        ("name\nA\n".encode("utf-16-le"), None, 1, "looks like UTF-16.*--encoding utf-16-le"),
    ],
)
def test_undecodable_files_are_refused(
    raw: bytes, encoding: str | None, line: int, message: str
) -> None:
    with pytest.raises(TableError, match=message) as caught:
        read(raw, encoding=encoding)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("raw", "message"),
    [("{", "line 2: no JSON"), ("[1]", "line 2: no JSON object"), ("name,state", "no JSON")],
)
async def test_malformed_ndjson_is_reported_before_any_request(
    client: Client, folder: ImportFolder, raw: str, message: str
) -> None:
    folder.write("brands.ndjson", {"name": "Alpine"}, raw)
    with pytest.raises(TransferError, match=message):
        await folder.import_records(client)
    assert await listed(client, "brands") == []


def test_files_come_in_the_order_of_references(folder: ImportFolder) -> None:
    for name in ("styles.csv", "style-relations.ndjson", "brands.ndjson", "rejects-1.ndjson"):
        folder.write(name)
    files = [
        (source.path.name, source.collection.name)
        for source in sources(folder.path, transfer_collections())
    ]
    assert files[:2] == [("brands.ndjson", "brands"), ("styles.csv", "styles")]
    parts = {part.name for part in transfer_collections()["styles"].parts}
    assert {"measurement-charts", "style-contacts"} < parts
    of_parts = [("styles.csv", name) for name in sorted(parts)]
    assert sorted(files[2:]) == [("style-relations.ndjson", "style-relations"), *of_parts]


def test_files_of_unknown_collections_are_refused(folder: ImportFolder) -> None:
    with pytest.raises(TransferError, match="no files to import"):
        sources(folder.path, transfer_collections())
    with pytest.raises(TransferError, match="no folder and no file"):
        sources(folder.path / "colors.ndjson", transfer_collections())
    folder.write("colours.ndjson")
    names = ", ".join(sorted(transfer_collections()))
    with pytest.raises(TransferError, match=f"colours is no collection; use {names}"):
        sources(folder.path, transfer_collections())
    folder.write("colors.csv")
    with pytest.raises(TransferError, match="no collection"):
        sources(folder.path / "colours.ndjson", transfer_collections())


def test_workbooks_are_named_with_the_remedy(folder: ImportFolder) -> None:
    """Unless the table beside it has the records of the same collection."""
    folder.write("Season.XLSX")
    for path in (folder.path, folder.path / "colors.ods"):
        with pytest.raises(TransferError, match="is a workbook: save each sheet as CSV UTF-8"):
            sources(path, transfer_collections())
    folder.write("brands.csv")
    folder.write("brands.ods")
    assert [source.path.name for source in sources(folder.path, transfer_collections())] == [
        "brands.csv"
    ]
    folder.write("colors.ods")
    with pytest.raises(TransferError, match=r"colors\.ods is a workbook"):
        sources(folder.path, transfer_collections())


def test_two_files_of_one_collection_are_refused(folder: ImportFolder) -> None:
    folder.write("colors.csv")
    folder.write("colors.ndjson")
    with pytest.raises(TransferError, match="are of the same collection"):
        sources(folder.path, transfer_collections())


async def test_a_table_goes_in(client: Client, folder: ImportFolder) -> None:
    folder.write("brands.csv", "id,name,customId", "7,Alpine,A")
    folder.write("styles.csv", "number,name,brandId", "S1,Parka,7", "S2,Anorak,")
    assert (await folder.import_records(client))["styles"] == {"created": 2}
    [alpine] = await listed(client, "brands")
    brands = [style.get("brandId") for style in await listed(client, "styles")]
    assert brands == [alpine["id"], None]
