"""Tests of the contents that `selvedge verify` compares (tools, Files)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from selvedge_client import Client
from service.extras.commands import verify
from service.extras.transfer.collections import transfer_collections
from service.extras.transfer.files import sources
from tests.support.api import issue_key
from tests.transfer.conftest import ImportFolder, TransferEnvironment
from tests.transfer.test_commands import selvedge
from tests.transfer.test_deleted_records import Installation, copy, original

pytestmark = pytest.mark.contract("Files", "Migration verification")
__all__ = ["copy", "original"]

Lines = list[dict[str, Any]]


async def different(client: Client, path: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Return the own keys of missing and different lines, by collection."""
    files = sources(path, transfer_collections())
    contents = await verify.compare_contents(client, files)
    return {
        name: (each.missing, each.different)
        for name, each in contents.items()
        if each.missing or each.different
    }


def change(path: Path, collection: str, edit: Callable[[Lines], object]) -> None:
    file = path / f"{collection}.ndjson"
    lines = [orjson.loads(line) for line in file.read_bytes().splitlines()]
    edit(lines)
    file.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))


def first(name: str, value: Any) -> Callable[[Lines], object]:
    return lambda lines: lines[0].update({name: value})


EDITS: Final[list[tuple[str, Callable[[Lines], object], str]]] = [
    ("styles", first("name", "Other"), "DEL-1"),
    ("styles", first("sizeRangeId", None), "DEL-1"),
    ("barcode-ranges", first("nextReference", 1), "DEL-N"),
    ("barcodes", first("isPrimary", False), ""),
    ("barcodes", first("styleSkuId", None), ""),
    ("style-supplier-facilities", lambda lines: lines[0]["steps"].pop(), "DEL-1"),
    ("style-supplier-facilities", lambda lines: lines[0]["steps"][0].update(tier=2), "DEL-1"),
    ("style-items", lambda lines: lines[0]["lines"][0].update(quantity="2.5"), "DEL-1"),
    ("size-range-sizes", lambda lines: lines[0]["sizes"][0].update(sizeId="7"), "DEL-R"),
]


async def test_a_copy_has_the_same_content_until_a_line_changes(
    original: Installation, copy: Installation, folder: ImportFolder
) -> None:
    """References are the same by their keys, whatever their ids."""
    await original.export(folder.path)
    await folder.import_records(copy.client)
    for each in (original, copy):
        assert await different(each.client, folder.path) == {}
    for collection, edit, key in EDITS:
        file = folder.path / f"{collection}.ndjson"
        before = file.read_bytes()
        change(folder.path, collection, edit)
        [(name, (missing, [shown]))] = (await different(copy.client, folder.path)).items()
        assert (name, missing) == (collection, [])
        assert shown == key or not key
        file.write_bytes(before)


async def test_what_the_service_has_not_is_missing(
    original: Installation, copy: Installation, folder: ImportFolder
) -> None:
    """A part of a style, and the number of a deleted barcode."""
    await original.export(folder.path)
    await folder.import_records(copy.client)
    gone = orjson.loads((folder.path / "barcodes.ndjson").read_bytes().splitlines()[-1])
    assert gone["state"] == "deleted"
    added = gone | {"id": 1, "barcode": "95276543"}
    change(folder.path, "barcodes", lambda lines: lines.append(added))
    contact = {"role": "Buyer", "type": "brand", "name": "A"}
    style = orjson.loads((folder.path / "style-items.ndjson").read_bytes())["styleId"]
    folder.write("style-contacts.ndjson", {"styleId": style, "contacts": [contact]})
    assert await different(copy.client, folder.path) == {
        "barcodes": (["95276543"], []),
        "style-contacts": (["DEL-1"], []),
    }


async def test_lines_that_people_write_have_the_same_content(
    copy: Installation, folder: ImportFolder
) -> None:
    """Of a line the fields that it has count; numbers and lists have several forms."""
    folder.write("brands.csv", "customId,name", "DEL-B,Brand")
    folder.write("groups.csv", "userDefinedId,name", "G1,First", "G2,Second")
    folder.write(
        "styles.ndjson",
        {
            "number": "W-1",
            "name": "Coat",
            "brandId": {"customId": "DEL-B"},
            "groupIds": [{"userDefinedId": "G2"}, {"userDefinedId": "G1"}],
            "netWeight": "412.50",
            "translations": [{"languageId": {"code": "DE"}, "name": "Mantel"}],
        },
    )
    folder.write("price-lists.csv", "userDefinedId,name,type,currencyCode", "RRP,Euro,retail,EUR")
    prices = {"priceListId": {"userDefinedId": "RRP"}, "prices": [{"amount": 12.5}]}
    folder.write("style-prices.ndjson", {"styleId": {"number": "W-1"}, "priceLists": [prices]})
    await folder.import_records(copy.client)
    assert folder.rejected == []
    assert await different(copy.client, folder.path) == {}


async def test_the_command_names_what_differs(
    environment: TransferEnvironment,
    original: Installation,
    folder: ImportFolder,
) -> None:
    await original.export(folder.path)
    reader = await issue_key(environment.dsn, int(original.key.split("_")[1]), "read")
    change(folder.path, "style-items", lambda lines: lines[0]["lines"][0].update(comment="New"))
    ended = await selvedge(str(original.url), reader, "verify", str(folder.path))
    assert (ended.returncode, ended.stderr) == (1, "selvedge: different: style-items\n")
    assert "style-items, different: DEL-1" in ended.stdout.splitlines()
