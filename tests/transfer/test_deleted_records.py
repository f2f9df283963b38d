"""Tests of what deleted records leave behind in exports and imports (tools, Files)."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import aiohttp
import asyncpg
import orjson
import pytest

from selvedge_client import Client
from service.extras.transfer.collections import select_collections
from service.extras.transfer.export_files import Export
from service.organizations import administration
from tests.support.api import issue_key
from tests.transfer.conftest import ImportFolder, TransferEnvironment

pytestmark = pytest.mark.contract("Files")

ACTIVE: Final = {"state": "active"}
STYLE: Final[Any] = {"number": "DEL-1"}
MILL: Final[Any] = {"customId": "DEL-M"}
SIZES: Final[Any] = {"userDefinedId": "DEL-R"}
COLOR: Final[Any] = {"userDefinedId": "DEL-C"}
SIZE: Final = {"sizeRangeId": SIZES, "name": "M"}
PAIR: Final = {"styleId": STYLE, "colorId": COLOR}
SKU: Final = {"sku": "DEL-1-M"}
RANGE: Final = {"userDefinedId": "DEL-N"}
STEPS: Final = [
    {"process": process, "facilityId": {"name": name, "subSupplierId": MILL}}
    for process, name in (("weaving", "Hall"), ("dyeing", "Shed"))
]
NUMBERS: Final = {"type": "gtin13", "companyPrefix": "95276543210", "lastReference": 4}
RECORDS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("sub-suppliers", {**MILL, "name": "Mill"}),
    *(("facilities", {"name": name, "subSupplierId": MILL}) for name in ("Hall", "Shed")),
    ("items", {"number": "DEL-S", "name": "Snap"}),
    ("size-ranges", {**SIZES, "name": "Sizes"}),
    ("colors", {**COLOR, "name": "Navy"}),
    ("styles", {**STYLE, "name": "Jacket", "sizeRangeId": SIZES}),
    ("style-colors", PAIR),
    ("style-skus", {**SKU, "styleColorId": PAIR, "sizeRangeSizeId": SIZE}),
    ("barcode-ranges", {**RANGE, "name": "Numbers", **NUMBERS}),
]
PARTS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("size-range-sizes", {"sizeRangeId": SIZES, "sizes": [{"name": "M"}]}),
    ("style-supplier-facilities", {"styleId": STYLE, "steps": STEPS}),
    ("style-items", {"styleId": STYLE, "lines": [{"itemId": {"number": "DEL-S"}}]}),
]
DELETED: Final = {
    "barcodes": 1,
    "barcode-ranges": 1,
    "facilities": 1,
    "items": 1,
    "style-skus": 1,
    "sub-suppliers": 0,
}
"""Deleted records that an export has."""


class Installation:
    """An organization of the service, as a caller sees it."""

    def __init__(self, environment: TransferEnvironment, key: str) -> None:
        self.url, self.key = environment.url, key
        self.client = Client(str(self.url), key)

    async def allocate(self, **numbers: Any) -> list[str]:
        """Return the numbers that the range gives."""
        headers = {"Authorization": f"Bearer {self.key}"}
        path = self.url / "api/barcodes/allocate"
        async with aiohttp.ClientSession(headers=headers) as session:
            body = [{"barcodeRangeId": RANGE} | numbers]
            async with session.post(path, json=body) as response:
                answer = await response.json()
                assert response.status == 201, answer
                return [row["key"] for row in answer["data"]]

    async def fill(self) -> None:
        """Store a style whose step, line and barcode refer to deleted records."""
        async with self.client.transaction() as entries:
            for collection, item in RECORDS:
                entries.upsert(collection, item | ACTIVE)
            for collection, item in PARTS:
                entries.upsert(collection, item)
        await self.allocate(styleSkuIds=[SKU])
        _, gone = await self.allocate(count=2)
        hall, style = {"name": "Hall", "subSupplierId": MILL}, {**STYLE, "name": "Jacket"}
        async with self.client.transaction() as entries:
            entries.delete("barcodes", {"barcode": gone})
            entries.delete("style-skus", SKU)
            entries.delete("facilities", hall)
            entries.delete("barcode-ranges", RANGE)
        # Lines keep an item that is deleted while their style is.
        for items in ([("styles", STYLE)], [("items", {"number": "DEL-S"})]):
            async with self.client.transaction() as entries:
                for collection, item in items:
                    entries.delete(collection, item)
        async with self.client.transaction() as entries:
            entries.upsert("styles", style | {"sizeRangeId": SIZES} | ACTIVE)

    async def export(self, folder: Path) -> dict[str, list[dict[str, Any]]]:
        """Export everything; return the lines by collection."""
        chosen = select_collections([])
        await Export(self.client, folder, chosen, int).run()
        return {
            each.name: [
                orjson.loads(line)
                for line in (folder / f"{each.name}.ndjson").read_bytes().splitlines()
            ]
            for each in chosen
        }


async def new_installation(environment: TransferEnvironment) -> AsyncIterator[Installation]:
    connection = await asyncpg.connect(environment.dsn)
    organization_id = await administration.create_organization(
        connection, "Copy", multiple_language=True, pro=True
    )
    await connection.close()
    made = Installation(environment, await issue_key(environment.dsn, organization_id))
    async with made.client:
        yield made


@pytest.fixture
async def original(environment: TransferEnvironment) -> AsyncIterator[Installation]:
    async for made in new_installation(environment):
        await made.fill()
        yield made


@pytest.fixture
async def copy(environment: TransferEnvironment) -> AsyncIterator[Installation]:
    async for made in new_installation(environment):
        yield made


def states(lines: dict[str, list[dict[str, Any]]]) -> dict[str, int]:
    return {name: sum(line["state"] == "deleted" for line in lines[name]) for name in DELETED}


@pytest.mark.contract("Transactions over collections", "Allocation of barcodes")
async def test_a_copy_has_deleted_records_that_live_ones_need(
    original: Installation, copy: Installation, folder: ImportFolder
) -> None:
    """Its parts are the same, and no number is given again."""
    lines = await original.export(folder.path)
    assert states(lines) == DELETED
    counts = await folder.import_records(copy.client)
    assert folder.rejected == []
    assert {outcome for each in counts.values() for outcome in each} == {"created", "updated"}
    copied = await copy.export(folder.path / "copy")
    assert states(copied) == DELETED
    [steps], [bill] = copied["style-supplier-facilities"], copied["style-items"]
    assert [step["facilityId"] for step in steps["steps"]] == [
        next(each["id"] for each in copied["facilities"] if each["name"] == name)
        for name in ("Hall", "Shed")
    ]
    assert bill["lines"][0]["itemNumber"] == "DEL-S"
    skus = {(line["barcode"], line["sku"], line["state"]) for line in lines["barcodes"]}
    assert skus == {(line["barcode"], line["sku"], line["state"]) for line in copied["barcodes"]}
    again = await folder.import_records(copy.client)
    assert {outcome for each in again.values() for outcome in each} == {"unchanged"}
    for each in (original, copy):
        restored = {**RANGE, "name": "Numbers", "lastReference": 4} | ACTIVE
        async with each.client.transaction() as entries:
            entries.upsert("barcode-ranges", restored)
    given = [await each.allocate(count=2) for each in (original, copy)]
    assert given[0] == given[1]
    # The range is used up, and says so in its line.
    [line] = (await original.export(folder.path))["barcode-ranges"]
    assert line["nextReference"] == 5


async def test_a_deleted_record_with_the_key_of_a_live_one_is_that_one(
    original: Installation, copy: Installation, folder: ImportFolder
) -> None:
    hall = {"name": "Hall", "subSupplierId": MILL, **ACTIVE}
    async with original.client.transaction() as entries:
        entries.create("facilities", hall)
    lines = await original.export(folder.path)
    halls = [line for line in lines["facilities"] if line["name"] == "Hall"]
    assert [line["state"] for line in halls] == ["active", "deleted"]
    counts = await folder.import_records(copy.client)
    assert (folder.rejected, counts["facilities"]["unchanged"]) == ([], 1)
    copied = await copy.export(folder.path / "copy")
    live = {line["id"] for line in copied["facilities"] if line["state"] == "active"}
    [steps] = copied["style-supplier-facilities"]
    assert {step["facilityId"] for step in steps["steps"]} == live


async def test_deleted_lines_without_an_id_are_absent(
    copy: Installation, folder: ImportFolder
) -> None:
    """Those that a person or an ERP writes delete what there is, and create nothing."""
    folder.write("brands.ndjson", {"customId": "DEL-B", "name": "Brand", "state": "deleted"})
    counts = await folder.import_records(copy.client)
    assert counts == {"brands": Counter(absent=1)}
