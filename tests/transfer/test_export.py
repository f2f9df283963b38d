"""Tests of exports beside other writers, and of empty lists (tools, Files)."""

from typing import Any

import orjson
import pytest

from selvedge_client import Client
from selvedge_client.collections import Collection
from service.extras.transfer.collections import select_collections
from service.extras.transfer.export_files import Export
from tests.transfer.conftest import ImportFolder

pytestmark = pytest.mark.contract("Files")


async def test_records_deleted_between_list_and_read_are_left_out(
    client: Client, folder: ImportFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import could not create them."""
    fields = client.collection("style-custom-fields")
    made = await fields.create_many([{"name": name, "type": "text"} for name in ("Fit", "Cut")])
    read = Collection.read

    async def read_late(self: Any, record_id: Any, **options: Any) -> Any:
        if record_id == made[0]["id"]:
            await fields.delete(record_id)
        return await read(self, record_id, **options)

    monkeypatch.setattr(Collection, "read", read_late)
    collections = select_collections([fields.name])
    assert await Export(client, folder.path, collections, int).run() == {fields.name: 1}
    [line] = (folder.path / f"{fields.name}.ndjson").read_bytes().splitlines()
    assert orjson.loads(line)["name"] == "Cut"
