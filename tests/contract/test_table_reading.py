"""Tests of `POST /data/tables`: files are read as by an import, and not stored (Files)."""

from typing import Any

import orjson
import pytest

from service import limits
from service.extras.tables.bounded_process import output_of
from service.extras.tables.csv_records import rows
from service.extras.tables.table_cells import TableError
from service.extras.transfer.collections import transfer_collections
from tests.support.api import Answer, Api
from tests.support.workbook_parts import number, packed, parts, row
from tests.transfer.test_hostile_tables import _REFUSED as REFUSED

pytestmark = pytest.mark.contract("Files")

_FILE = "application/octet-stream"
_WORKBOOK = packed(
    parts(
        row("Summer"),
        row("Artikelnummer", "Marke", "State", "Remark"),
        row("S1", "ACME", "Aktiv", "x"),
        row(number("42", 1), '<c t="e"><v>#N/A</v></c>', "", ""),
        formats=["00000"],
    )
)


async def read(api: Api, content: bytes, query: str = "collection=styles") -> Answer:
    return await api.post(f"/data/tables?{query}", content, content_type=_FILE)


async def test_a_file_is_answered_with_headings_rows_and_cells(api: Api) -> None:
    content = (await read(api, _WORKBOOK)).data
    assert [heading["field"] for heading in content["headings"]] == [
        {"path": ["number"], "each": None},
        {"path": ["brandId", "customId"], "each": None},
        {"path": ["state"], "each": None},
        None,
    ]
    assert [content["headingRow"], content["sheets"], content["isWorkbook"]] == [2, ["Sheet"], True]
    good, odd = content["rows"]
    brand = {"customId": "ACME"}
    assert good["document"] == {"number": "S1", "brandId": brand, "state": "active"}
    assert good["problems"] == []
    assert [odd["number"], odd["document"]] == [4, {"number": "00042"}]
    assert odd["problems"] == [{"column": 1, "message": "B4 shows #N/A."}]
    assert odd["cells"][0] == {"text": "00042", "kind": "number"}
    assert odd["cells"][1] == {"text": "", "kind": "text", "problem": "shows #N/A"}
    assert (await api.get("/api/styles", {"number": ["S1"]})).data == [], "nothing is stored"


def form(*files: bytes, boundary: str = "b-1") -> bytes:
    """Return a form with a field, and these files."""
    heads = [
        b'name="note"',
        *[b'name="f"; filename="colors.csv"\r\nContent-Type: text/csv'] * len(files),
    ]
    pieces = zip(heads, (b"x", *files), strict=True)
    parts = (
        b"--%b\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n"
        % (boundary.encode(), head, content)
        for head, content in pieces
    )
    return b"".join(parts) + f"--{boundary}--\r\n".encode()


async def test_a_file_may_come_in_a_form(api: Api) -> None:
    """To the byte: a workbook, and a text that ends with line breaks."""
    for content_type, boundary in (("boundary=b-1", "b-1"), ('boundary="b 2"', "b 2")):
        for content in (_WORKBOOK, b"number\r\nS1\r\n\r\n"):
            answer = await api.post(
                "/data/tables?collection=styles",
                form(content, boundary=boundary),
                content_type=f"multipart/form-data; {content_type}",
            )
            assert answer.data == (await read(api, content)).data


@pytest.mark.parametrize(
    ("files", "parameter"), [([], "; boundary=b-1"), ([b"a", b"b"], "; boundary=b-1"), ([b"a"], "")]
)
async def test_a_form_has_one_file(api: Api, files: list[bytes], parameter: str) -> None:
    content_type = f"multipart/form-data{parameter}"
    answer = await api.post("/data/tables", form(*files), content_type=content_type)
    assert answer.details == [("malformed_request", None)]
    message = answer.json["error"]["details"][0]["value"]
    assert message == "Send a form with one file, or the file itself as the body."


async def test_fields_sheet_and_row_of_headings_can_be_chosen(api: Api) -> None:
    chosen = [{"path": ["name"], "each": None}, None, {"path": ["groupIds"], "each": "customId"}]
    query = f"collection=styles&headingRow=1&columns={orjson.dumps(chosen).decode()}"
    table = b"number,x,state\n1,2,3;4\n"
    [line] = (await read(api, table, query)).data["rows"]
    assert line["document"] == {"name": "1", "groupIds": [{"customId": "3"}, {"customId": "4"}]}
    bare = (await read(api, table, "")).data
    assert [[cell["text"] for cell in line["cells"]] for line in bare["rows"]] == [
        ["number", "x", "state"],
        ["1", "2", "3;4"],
    ]
    assert bare["headingRow"] is None
    assert (await read(api, _WORKBOOK, "sheet=Other")).details == [("malformed_request", None)]


async def test_a_percentage_is_no_reference(api: Api) -> None:
    """Neither one nor a list; it would be a text without its sign."""
    cells = row("S1", number("0.95", 1), number("0.95", 1))
    content = packed(parts(row("number", "Brand", "Groups"), cells, formats=["0%"]))
    [line] = (await read(api, content)).data["rows"]
    assert [problem["message"] for problem in line["problems"]] == [
        f"{name} shows 95%, and the field is no percentage: format it as a number."
        for name in ("B2", "C2")
    ]


@pytest.mark.parametrize("name", sorted(REFUSED.keys() - {"large"}))
async def test_both_doors_refuse_what_is_no_table_in_the_same_words(api: Api, name: str) -> None:
    content, _ = REFUSED[name]
    fields = transfer_collections()["colors"].all_fields
    with pytest.raises(TableError) as caught:
        [*rows(content, fields)]
    answer = await read(api, content, "collection=colors")
    assert answer.status == 400
    [line] = answer.json["error"]["details"]
    # A command has an option for encodings.
    words = str(caught.value).removesuffix(", or name its encoding: --encoding cp1252")
    assert line["value"] == f"Line {caught.value.line}: {words}."


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("collection=shoes", "collection"),
        ("headingRow=0", "headingRow"),
        ("columns=x", "columns"),
        ('columns=[{"path":1}]', "columns"),
        ("column=1", "column"),
    ],
)
async def test_wrong_queries_are_refused(api: Api, query: str, field: str) -> None:
    answer = await read(api, b"name\nA\n", query)
    assert (answer.status, [name for _, name in answer.details]) == (400, [field])


async def test_a_key_and_a_known_media_type_are_needed(api: Api) -> None:
    assert (await read(Api(api.client, "secret"), b"a\n1\n")).status == 401
    other = await api.post("/data/tables", b"a", content_type="image/png")
    assert other.status == 415
    large = await read(api, b"a\n" * (limits.MAX_WORKBOOK_BYTES // 2 + 1))
    assert large.status == 413


async def test_a_table_has_a_maximum_of_rows(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_TABLE_ROWS", 2)
    answer = await read(api, b"name\nA\nB\nC\n", "collection=brands")
    assert "it has more than 2 rows: split it" in answer.json["error"]["details"][0]["value"]


async def test_output_is_complete_or_none() -> None:
    def work() -> Any:
        yield b"half"
        raise MemoryError

    with pytest.raises(Exception, match="too much memory"):
        await output_of(work)
