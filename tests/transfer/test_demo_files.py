"""Test of the demo files: organization 1 as files (tools, Files)."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from service.extras.tables.fields import Field
from service.extras.transfer.collections import transfer_collections
from service.extras.transfer.files import sources
from service.extras.transfer.reference_keys import ReferenceKeys
from service.files import DEMO
from tests.support.api import issue_key
from tests.support.demo.files import export
from tests.transfer.conftest import TransferEnvironment

pytestmark = pytest.mark.contract("Files", "Demo data")

OWN = {
    *("organizationId", "createdAt", "beginDate", "endDate", "requestedAt", "avatarColor"),
    *("statusChangedAt", "assignedAt"),
}
"""What no two imports have in common beside ids: times, and what is made up."""
_SHOWN = {
    "defaultGradingSizeId": "size-ranges/sizes",
    "sizeRangeSizeId": "size-ranges/sizes",
    "styleId": "styles",
    "colorId": "colors",
}
"""Targets of ids that documents show beside those of writes."""


async def test_the_demo_data_are_these_files(
    environment: TransferEnvironment, tmp_path: Path
) -> None:
    """`make demo-files` writes them anew where the demo data have changed."""
    await export(str(environment.url), await issue_key(environment.dsn, 1, "read"), tmp_path)
    generated, published = (
        {path.name: path.read_bytes() for path in folder.glob("*.ndjson")}
        for folder in (tmp_path, DEMO)
    )
    assert generated.keys() == published.keys()
    assert [name for name, raw in generated.items() if raw != published[name]] == []


def records(folder: Path) -> dict[str, list[str]]:
    """Return the records of an export with own keys in place of ids, as sorted texts."""
    found_files = sources(folder, transfer_collections())
    keys = ReferenceKeys({source.collection.name for source in found_files})
    for source in found_files:
        for line in source.lines():
            keys.add(source.collection, line.document)
    return {
        source.collection.name: sorted(
            orjson.dumps(keyed(keys, source.collection.fields, line.document)).decode()
            for line in source.lines()
        )
        for source in found_files
    }


def keyed(keys: ReferenceKeys, fields: Field, value: Any) -> Any:
    """Return a value with own keys in place of ids, and without what is each import's own."""
    if isinstance(value, list):
        members = [keyed(keys, fields.items or Field(), entry) for entry in value]
        return sorted(members, key=orjson.dumps) if fields.items else members
    if not isinstance(value, dict):
        return keys.find(fields.refers_to, value) if fields.refers_to else value
    shown = {
        name: _SHOWN.get(name)
        for name in value
        if name not in OWN and (name != "id" or fields.members.get("id"))
    }
    return {
        name: keys.find(target, value[name])
        if target
        else keyed(keys, fields.members.get(name, Field()), value[name])
        for name, target in sorted(shown.items())
        if name != fields.own_id
    }
