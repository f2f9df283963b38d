"""Writer of the demo data's files, rows and import files: ``make demo-files``."""

import asyncio
import tempfile
from pathlib import Path

from selvedge_client import Client
from service.extras.transfer.collections import select_collections
from service.extras.transfer.export_files import Export
from service.files import DEMO
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.demo import rows
from tests.support.serving import serving


async def export(url: str, key: str, folder: Path) -> None:
    """Write everything that the key's organization has."""
    async with Client(url, key) as client:
        await Export(client, folder, select_collections([]), int).run()


async def _write(server_dsn: str) -> None:
    dsn = fresh_database(server_dsn, "demo_files", DEMO_TEMPLATE)
    async with serving(dsn) as server:
        with tempfile.TemporaryDirectory() as folder:
            await export(str(server.make_url("/")), await issue_key(dsn, 1), Path(folder))
            _copy(Path(folder))


def _copy(folder: Path) -> None:
    for path in sorted(folder.glob("*.ndjson")):
        (DEMO / path.name).write_bytes(path.read_bytes())


if __name__ == "__main__":
    rows.write()
    with template_server() as dsn:
        asyncio.run(_write(dsn))
