"""Tests of the rules of tables that `selvedge import` and the upload of `/data` share."""

from typing import Any, Final

import orjson
import pytest

from service.extras.tables.csv_records import TableRow, rows
from service.extras.tables.table_answers import TableRequest, answer
from service.extras.tables.table_cells import TableError
from service.extras.transfer.collections import transfer_collections
from tests.transfer.table_cases import TABLE_CASES, TableCase

pytestmark = pytest.mark.contract("Files")

_GERMAN: Final = {"translations": [{"languageId": 8, "colorName": "Rot"}]}
_MORE_NAMES: Final = [
    *(
        TableCase("colors", f"{name}\nRot\n", [_GERMAN])
        for name in (
            *("Translation German", "German", "translations.de", "Translations: German"),
            *("GERMAN COLOR NAME", "Color name (de)"),
        )
    ),
    TableCase(
        "colors",
        "User Defined ID;Color reference\nA;=1\n",
        [{"userDefinedId": "A", "colorReference": "=1"}],
    ),
    *(
        TableCase("styles", f"{name}\n0815\n", [{"brandId": {"customId": "0815"}}])
        for name in ("Brand", "brandId.customId", "Marke", "marque", "BRAND ID CUSTOM ID")
    ),
    TableCase("styles", "brandId.customId,Brand name\nA,X\n", [{"brandId": {"customId": "A"}}]),
    TableCase(
        "styles",
        'number,Brand,brandId\nS1,,"{""customId"": ""ACME""}"\n',
        [{"number": "S1", "brandId": {"customId": "ACME"}}],
    ),
    TableCase(
        "styles", "Groups\nA; B\n", [{"groupIds": [{"userDefinedId": "A"}, {"userDefinedId": "B"}]}]
    ),
    *(
        TableCase("brands", f"name,{name}\nA,Name: too long\n", [{"name": "A"}])
        for name in ("Why it was rejected", "Warum es abgelehnt wurde", "Pourquoi c'est refusé")
    ),
    TableCase(
        "colors",
        "Color code,Color name,Status,Groups\nA,Red,Aktiv,W1;W2\n",
        [
            {
                "userDefinedId": "A",
                "name": "Red",
                "state": "active",
                "colorGroupIds": [{"userDefinedId": "W1"}, {"userDefinedId": "W2"}],
            }
        ],
    ),
    TableCase("colors", "Color id,name\n5,Red\n", None),
    TableCase("styles", "Marke,Brand\nA,B\n", None),
]
"""Labels in any language, languages, own keys, and columns that downloads have beside ids."""


@pytest.mark.parametrize("case", [*TABLE_CASES, *_MORE_NAMES])
def test_both_doors_read_a_table_alike(case: TableCase) -> None:
    raw = case.table if isinstance(case.table, bytes) else case.table.encode()
    if case.documents is None:
        with pytest.raises(TableError):
            _refuse([*rows(raw, transfer_collections()[case.collection].headings)])
    else:
        assert _imported(raw, case.collection) == case.documents
    assert _answered(raw, case.collection) == case.documents


def _imported(raw: bytes, collection: str) -> list[dict[str, Any]]:
    """Return the documents as an import sends them: without what the service sets."""
    return [row.document for row in rows(raw, transfer_collections()[collection].headings)]


def _refuse(table_rows: list[TableRow]) -> None:
    """Raise the error of the first row with a problem."""
    for row in table_rows:
        for problem in row.problems:
            raise TableError(row.line, problem.message)


def _answered(raw: bytes, collection: str) -> list[dict[str, Any]] | None:
    """Return the documents that `/data` gets; None if it says that something is wrong."""
    request = TableRequest(transfer_collections()[collection].headings)
    text = b"".join(answer(raw, request))
    if b"\n" in text:
        return None
    content = orjson.loads(text)
    named = [heading["field"] for heading in content["headings"] if heading["name"]]
    fields = [orjson.dumps(field) for field in named if field and field["path"]]
    is_wrong = None in named or len({*fields}) < len(fields)
    if is_wrong or any(row["problems"] for row in content["rows"]):
        return None
    return [row["document"] for row in content["rows"]]


def test_bytes_that_are_no_utf_8_are_those_of_spreadsheets() -> None:
    """Where nobody can name an encoding."""
    assert _answered("name\nGrößen\n".encode("cp1252"), "brands") == [{"name": "Größen"}]
