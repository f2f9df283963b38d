"""Tests of workbooks that other programs wrote: both doors read the same right values (Files)."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from selvedge_client import Client
from service.extras.transfer.import_files import ImportOptions
from tests.transfer import foreign_workbooks
from tests.transfer.conftest import ImportFolder, TransferEnvironment, listed
from tests.transfer.foreign_workbooks.table import HEADINGS, REFUSED, RIGHT

pytestmark = pytest.mark.contract("Files")

_FOLDER = Path(foreign_workbooks.__file__).parent
_WORKBOOKS = sorted(_FOLDER.glob("*.xlsx"))


def test_each_program_has_its_workbook() -> None:
    programs = {"exceljs", "libreoffice", "openpyxl", "strict", "xlsxwriter", "xlsxwriter-1904"}
    assert {path.stem for path in _WORKBOOKS} == programs


def values(record: dict[str, Any]) -> tuple[str, float, bool, str]:
    """Return the values of a style, or of the document that a row makes."""
    name, weight, is_ready, description = (record[heading] for heading in HEADINGS[1:])
    return name, float(weight), is_ready, description


async def read_by_the_page(
    environment: TransferEnvironment, key: str, content: bytes
) -> dict[str, Any]:
    url, options = environment.url.with_path("/data/tables"), {"collection": "styles"}
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/octet-stream"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, params=options, data=content, headers=headers) as response,
    ):
        answer: dict[str, Any] = await response.json()
    return answer["data"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("path", _WORKBOOKS, ids=lambda path: path.stem)
async def test_both_doors_read_the_right_values(
    path: Path,
    environment: TransferEnvironment,
    client: Client,
    keys: dict[str, str],
    folder: ImportFolder,
) -> None:
    content = await asyncio.to_thread(path.read_bytes)
    (folder.path / "styles.xlsx").write_bytes(content)
    await folder.import_records(client, options=ImportOptions(skip=True))
    stored = {record["number"]: values(record) for record in await listed(client, "styles")}
    assert stored == RIGHT
    [[rejected]] = [line["details"] for line in folder.rejected]
    assert rejected["value"] == REFUSED
    rows = (await read_by_the_page(environment, keys["write"], content))["rows"]
    good = {row["document"]["number"]: values(row["document"]) for row in rows[:-2] + rows[-1:]}
    assert good == RIGHT
    assert [problem["message"] for problem in rows[-2]["problems"]] == [REFUSED]
