"""Tests of the rules of tables that `selvedge import` and the upload of `/data` share."""

import base64
import shutil
import subprocess
from pathlib import Path
from typing import Any

import orjson
import pytest

from service import openapi
from service.extras.tables.csv_records import TableRow, rows
from service.extras.tables.table_cells import TableError
from service.extras.transfer.collections import transfer_collections
from service.files import PAGE
from service.schemas.vocabulary import words
from tests.support.time_limits import limit
from tests.transfer.table_cases import TABLE_CASES, TableCase

pytestmark = pytest.mark.contract("Files")

_SCRIPT = Path(__file__).with_name("read_tables.js")
_LANGUAGES = [{"id": 2, "name": "German", "code": "de"}, {"id": 3, "name": "French", "code": "fr"}]


@pytest.mark.parametrize("case", TABLE_CASES)
def test_the_import_reads_a_table(case: TableCase) -> None:
    columns = transfer_collections()[case.collection].all_fields
    raw = _raw(case)
    if case.documents is None:
        with pytest.raises(TableError):
            _refuse([*rows(raw, columns)])
    else:
        assert [row.document for row in rows(raw, columns)] == case.documents


def _refuse(table_rows: list[TableRow]) -> None:
    """Raise the error of the first row with a problem."""
    for row in table_rows:
        for problem in row.problems:
            raise TableError(row.line, problem.message)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_page_reads_the_same_tables_alike(tmp_path: Path) -> None:
    documents = _read_by_page(TABLE_CASES, tmp_path)
    for case, read in zip(TABLE_CASES, documents, strict=True):
        assert read == case.documents, case


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_page_reads_more_names_of_columns(tmp_path: Path) -> None:
    """Titles, languages and own keys; names beside ids and reasons of rejections are not read."""
    german = {"translations": [{"languageId": 2, "colorName": "Rot"}]}
    cases = [
        *(
            TableCase("colors", f"{name}\nRot\n", [german])
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
        TableCase("styles", "Brand\n0815\n", [{"brandId": {"customId": "0815"}}]),
        TableCase(
            "styles", "brandId.customId,Brand name\nA,Alpine\n", [{"brandId": {"customId": "A"}}]
        ),
        TableCase(
            "styles",
            "Groups\nA; B\n",
            [{"groupIds": [{"userDefinedId": "A"}, {"userDefinedId": "B"}]}],
        ),
        TableCase("brands", "name,Why it was rejected\nA,Name: too long\n", [{"name": "A"}]),
        TableCase(
            "colors",
            "Color code,Color name,Status,Groups\nA,Red,Active,W1;W2\n",
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
        TableCase("brands", "name\nGrößen\n".encode("cp1252"), [{"name": "Größen"}]),
    ]
    for case, read in zip(cases, _read_by_page(cases, tmp_path), strict=True):
        assert read == case.documents, case


def _raw(case: TableCase) -> bytes:
    return case.table if isinstance(case.table, bytes) else case.table.encode()


def _read_by_page(cases: list[TableCase], folder: Path) -> list[Any]:
    """Run the page's modules in Node.js, which takes them for modules in a package of modules."""
    shutil.copytree(PAGE / "data", folder / "data")
    (folder / "data" / "words.en.json").write_bytes(orjson.dumps(words()))
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copy(_SCRIPT, folder)
    tables = [
        {"collection": case.collection, "table": base64.b64encode(_raw(case)).decode()}
        for case in cases
    ]
    request = {"document": openapi.build(), "languages": _LANGUAGES, "cases": tables}
    command = ["node", str(folder / _SCRIPT.name)]
    done = subprocess.run(
        command, input=orjson.dumps(request), capture_output=True, timeout=limit(60), check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    documents: list[Any] = orjson.loads(done.stdout)
    return documents
