"""Tests of imports whose files have odd cells and lines: nothing is lost in silence (Files)."""

import re

import pytest

from selvedge_client import Client
from service.extras.transfer.errors import TransferError
from service.extras.transfer.import_files import ImportOptions
from tests.support.workbook_parts import packed, parts, row
from tests.transfer.conftest import ImportFolder, TransferEnvironment, listed
from tests.transfer.test_commands import selvedge

pytestmark = pytest.mark.contract("Files")

_NOT_CALCULATED = '<c><f>CONCATENATE("19-",4024)</f></c>'
_NOT_THERE = '<c t="e"><f>VLOOKUP(A2,X:Y,2)</f><v>#N/A</v></c>'


def _write(folder: ImportFolder, name: str, *rows: str) -> None:
    (folder.path / name).write_bytes(packed(parts(*rows)))


async def test_a_cell_without_a_value_clears_nothing(client: Client, folder: ImportFolder) -> None:
    """Neither as a value nor as an own key; the other rows are written, if they are to be."""
    navy = {"userDefinedId": "NVY", "name": "Navy", "colorReference": "19-4024"}
    folder.write("colors.ndjson", navy, {"userDefinedId": "RED", "name": "Red"})
    await folder.import_records(client)
    (folder.path / "colors.ndjson").unlink()
    heads = row("userDefinedId", "name", "colorReference")
    odd = [row("NVY", "Blue", _NOT_CALCULATED), row(_NOT_THERE, "Lost", "")]
    _write(folder, "colors.xlsx", heads, *odd, row("RED", "Rouge", ""))
    counts = await folder.import_records(client)
    assert counts["colors"]["failed"] == 2
    stored = {each["userDefinedId"]: each for each in await listed(client, "colors")}
    assert stored["NVY"] == stored["NVY"] | navy
    assert stored["RED"]["name"] == "Red"
    messages = [row["value"] for reject in folder.rejected for row in reject["details"]]
    assert messages[0].startswith("C2 has a formula without a result: open the file in a")
    assert messages[1] == "A3 shows #N/A."
    options = ImportOptions(skip=True, missing={"at_most": 1.0})
    assert (await folder.import_records(client, options=options))["colors"]["updated"] == 1
    stored = {each["userDefinedId"]: each for each in await listed(client, "colors")}
    assert [stored["RED"]["name"], stored["NVY"]["name"]] == ["Rouge", "Navy"]


async def test_rejected_rows_take_their_parts_with_them(
    client: Client, folder: ImportFolder
) -> None:
    heads = row("userDefinedId", "name", "translations[0].languageId", "translations[0].colorName")
    _write(folder, "colors.xlsx", heads, row("A", "Red", "1", _NOT_THERE), row("B", "Blue"))
    await folder.import_records(client, options=ImportOptions(skip=True))
    assert [each["userDefinedId"] for each in await listed(client, "colors")] == ["B"]
    assert [reject["line"] for reject in folder.rejected] == [2]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
async def test_lines_of_json_may_have_the_encodings_of_tables(
    client: Client, folder: ImportFolder, encoding: str
) -> None:
    line = '{"userDefinedId": "A1", "name": "Größe"}\n'
    (folder.path / "colors.ndjson").write_bytes(line.encode(encoding))
    named = "cp1252" if encoding == "cp1252" else None
    assert (await folder.import_records(client, encoding=named))["colors"] == {"created": 1}
    assert [each["name"] for each in await listed(client, "colors")] == ["Größe"]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"name": "Navy", "name": "Red"}', "line 1: no JSON: name: Remove this member: its"),
        (b'{"a": [{"b": 1, "b": 2}]}', r"line 1: no JSON: a\[0\].b: Remove this member"),
        (b'{"name": "Gr\xf6\xdfe"}', "line 1: no UTF-8: save the file as UTF-8, or .*cp1252"),
        (b'{"name": }', "line 1: no JSON: there is a syntax error at line 1, column 10"),
        ('{"name": "A"}\n'.encode("utf-16") + b"\x00\xd8\n", "line 2: no UTF-16: save it as UTF-8"),
    ],
)
async def test_lines_are_read_as_strictly_as_bodies(
    client: Client, folder: ImportFolder, raw: bytes, message: str
) -> None:
    (folder.path / "colors.ndjson").write_bytes(raw)
    with pytest.raises(TransferError, match=message):
        await folder.import_records(client)
    assert await listed(client, "colors") == []


async def test_commands_name_no_part_of_the_program(
    environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    """Nor that they can be repeated where that cannot help; a refusal has at most three lines."""
    contents = {
        "damaged": b"PK\3\4\0\0",
        "cell": packed(parts(row("userDefinedId", "name"), row("A", _NOT_THERE))),
        "heads": packed(parts(row("userDefinedId", "nmae"), row("A", "B"))),
    }
    for name, content in contents.items():
        (folder.path / "colors.xlsx").write_bytes(content)
        ended = await selvedge(
            str(environment.url), keys["write"], "import", str(folder.path / "colors.xlsx")
        )
        assert ended.returncode == 1, name
        lines = [line for line in ended.stderr.splitlines() if "lines/s" not in line]
        assert len(lines) <= 3, lines
        assert not re.search(r"run the same|Traceback|openpyxl|Warning|\.py", ended.stderr), name
