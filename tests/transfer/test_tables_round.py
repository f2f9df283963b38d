"""Every collection and part goes out as CSV and comes in again (contract, Files)."""

import csv
from pathlib import Path

from service.client import Client
from service.files import DEMO
from service.transfer.collections import chosen, travelling
from service.transfer.exporting import Export
from service.transfer.files import Source
from service.transfer.known import knowledge
from tests.support.api import issue_key
from tests.support.demo_files import export
from tests.transfer.conftest import Folder, Stage
from tests.transfer.test_demo_files import became, mapped, records, without_own


async def export_tables(stage: Stage, key: str, folder: Path) -> None:
    async with Client(str(stage.url), key) as client:
        await Export(client, folder, chosen([]), int, csv=True).run()


def header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file))


async def test_tables_of_organization_1_make_it_anew(
    stage: Stage, keys: dict[str, str], client: Client, tmp_path: Path
) -> None:
    """The records are those of the demo files; a second export has the same columns."""
    folder, after, again = Folder(tmp_path / "csv"), tmp_path / "after", tmp_path / "again"
    await export_tables(stage, await issue_key(stage.dsn, 1, "read"), folder.path)
    assert {path.stem for path in folder.path.glob("*.csv")} == travelling().keys()
    assert [*folder.path.glob("*.unfinished")] == []
    counts = await folder.bring(client)
    assert folder.rejected == []
    assert {name for found in counts.values() for name in found} == {"created", "updated"}
    await export(str(stage.url), keys["write"], after)
    await export_tables(stage, keys["write"], again)
    with knowledge(folder.path / "ids.sqlite3", rehearsal=False) as known:
        for path in sorted(DEMO.iterdir()):
            collection, made = path.stem, records(after / path.name)
            sent = {
                became(known, collection, one): mapped(known, collection, document)
                for one, document in records(path).items()
            }
            assert sent == {one: without_own(document) for one, document in made.items()}
            tables = [place / f"{collection}.csv" for place in (folder.path, again)]
            assert header(tables[0]) == header(tables[1])
            source = travelling()[collection]
            lines = [[*Source(table, source).lines()] for table in tables]
            assert len(lines[0]) == len(lines[1]) == len(made)
