"""Tests of the rules of tables that `selvedge import` and the upload of `/data` share."""

from typing import Any, Final

import orjson
import pytest

from service.extras.tables.cells import value_of
from service.extras.tables.columns import column_of
from service.extras.tables.csv_records import TableRow, rows
from service.extras.tables.headings import Labels
from service.extras.tables.table_answers import TableRequest, answer
from service.extras.tables.table_cells import TableError
from service.extras.transfer.collections import TransferCollection, transfer_collections
from service.schemas.vocabulary import LANGUAGES, words
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
    *(
        TableCase(
            "styles", f"number,{name}\nS1,A\n", [{"number": "S1", "brandId": {"customId": "A"}}]
        )
        for name in ("Brand name", "Marke: Name", "Marque en clair")
    ),
    TableCase(
        "styles",
        "Marke: id,Marke in Worten,Gruppen in Worten\n7,A,\n8,,B;C\n",
        [
            {"brandId": 7},
            {"brandId": 8, "groupIds": [{"userDefinedId": "B"}, {"userDefinedId": "C"}]},
        ],
    ),
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


_COLLECTIONS: Final = [each for each in transfer_collections().values() if not each.owner]


@pytest.mark.parametrize("collection", _COLLECTIONS, ids=lambda each: each.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_and_words_of_each_language_come_back(
    language: str, collection: TransferCollection
) -> None:
    """Those of one heading mean the same field, whatever the languages of the others are."""
    fields = collection.all_fields
    labels = Labels(collection.name, language)
    for name, field in fields.members.items():
        for target, (title, *_) in labels.visit(name, field):
            column = column_of(title, collection.headings)
            assert {*column.path} - _SYNONYMS == {*target.path} - _SYNONYMS, title
            for choice in target.field.limits.get("enum", ()):
                word = words(language)["values"].get(choice, choice)
                assert value_of(str(word), target.field) == choice or choice is None, title


_SYNONYMS: Final = {"customId", "userDefinedId"}
"""Two own keys that entries of custom fields take."""
