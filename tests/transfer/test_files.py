"""Files of an import: which there are, and what their lines say (contract, Files)."""

import io
from typing import Any

import pytest

from service.client import Client
from service.transfer.collections import travelling
from service.transfer.errors import TransferError
from service.transfer.files import sources
from service.transfer.tables import TableError, rows
from tests.transfer.conftest import Folder, listed


def read(text: str, collection: str = "sub-suppliers") -> list[dict[str, Any]]:
    file = io.BytesIO(text.encode())
    return [row for _, row, _ in rows(file, travelling()[collection].fields)]


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


def test_flags_are_read_and_what_is_none_stays_a_text() -> None:
    text = "isMandatory,maxChar,isMultiLine\nTRUE,12,perhaps\n"
    found = read(text, "style-custom-fields")
    assert found == [{"isMandatory": True, "maxChar": 12, "isMultiLine": "perhaps"}]


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("", 1, "no line that names the columns"),
        ("name,name\n", 1, "twice"),
        ("name,\n", 1, "names no field"),
        ("name\nA\nB,C\n", 3, "2 cells below 1 columns"),
        ('name\n"A\n', 2, "no CSV"),
        ("contacts,contacts[0].email\nx,y\n", 2, "disagree"),
        ("contacts[0],contacts.email\nx,y\n", 2, "disagree"),
    ],
)
def test_what_is_no_table_is_told(text: str, line: int, told: str) -> None:
    with pytest.raises(TableError, match=told) as caught:
        read(text)
    assert caught.value.line == line


def test_what_is_no_text_is_told() -> None:
    with pytest.raises(TableError, match="no UTF-8"):
        list(rows(io.BytesIO(b"name\n\xff\n"), travelling()["brands"].fields))


@pytest.mark.parametrize(
    ("raw", "told"),
    [("{", "line 2: no JSON"), ("[1]", "line 2: no JSON object"), ("name,state", "no JSON")],
)
async def test_a_file_that_is_no_ndjson_is_told_before_anything_is_sent(
    client: Client, folder: Folder, raw: str, told: str
) -> None:
    folder.write("brands.ndjson", {"name": "Alpine"}, raw)
    with pytest.raises(TransferError, match=told):
        await folder.bring(client)
    assert await listed(client, "brands") == []


def test_files_come_in_the_order_of_references(folder: Folder) -> None:
    for name in ("styles.csv", "style-relations.ndjson", "brands.ndjson", "rejects-1.ndjson"):
        folder.write(name)
    found = [source.path.name for source in sources(folder.path, travelling())]
    assert found == ["brands.ndjson", "styles.csv", "style-relations.ndjson"]


def test_files_that_are_no_collections_are_told(folder: Folder) -> None:
    with pytest.raises(TransferError, match="no files to import"):
        sources(folder.path, travelling())
    with pytest.raises(TransferError, match="no folder, and no file"):
        sources(folder.path / "colors.ndjson", travelling())
    folder.write("colours.ndjson")
    with pytest.raises(TransferError, match="colours is no collection; use brands, "):
        sources(folder.path, travelling())
    folder.write("colors.csv")
    with pytest.raises(TransferError, match="no collection"):
        sources(folder.path / "colours.ndjson", travelling())


def test_two_files_of_one_collection_are_told(folder: Folder) -> None:
    folder.write("colors.csv")
    folder.write("colors.ndjson")
    with pytest.raises(TransferError, match="are of one collection"):
        sources(folder.path, travelling())


async def test_a_table_goes_in(client: Client, folder: Folder) -> None:
    folder.write("brands.csv", "id,name", "7,Alpine")
    folder.write("styles.csv", "number,name,brandId", "S1,Parka,7", "S2,Anorak,")
    assert (await folder.bring(client))["styles"] == {"created": 2}
    [alpine] = await listed(client, "brands")
    brands = [style.get("brandId") for style in await listed(client, "styles")]
    assert brands == [alpine["id"], None]
