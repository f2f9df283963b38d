"""Tests of the demo files: organization 1 as files, and imported again (contract, Files)."""

import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from service.client import Client
from service.files import DEMO
from service.transfer.collections import TransferPart, transfer_collections
from service.transfer.id_map import IdMap, open_id_map
from tests.support.api import issue_key
from tests.support.demo_files import export
from tests.transfer.conftest import ImportFolder, TransferEnvironment

pytestmark = pytest.mark.contract("Files", "Demo data")

#: What no two imports have in common beside ids: times, and what is made up.
OWN = {"organizationId", "createdAt", "beginDate", "endDate", "requestedAt", "avatarColor"}
NAMED = {
    "brandId": "brands",
    "styleCategoryId": "style-categories",
    "groupIds": "groups",
    "itemCategoryId": "item-categories",
    "styleId": "styles",
    "sizeRangeId": "size-ranges",
    "colorId": "colors",
    "sampleRequestId": "sample-requests",
    "relatedStyleId": "styles",
    "subSupplierId": "sub-suppliers",
    "parentCustomFieldId": "{}",
    "parentAllowedValueId": "{}/allowedValues",
    "lineId": "styles/measurement-chart",
    "sizeRangeSizeId": "size-ranges/sizes",
    "relatedSizeRangeSizeId": "size-ranges/sizes",
    "defaultGradingSizeId": "size-ranges/sizes",
}
"""Of whom members hold ids; the braces are the record's own collection."""
IN_LISTS = {
    "allowedValues": "{}/allowedValues",
    "contacts": "{}/contacts",
    "sizes": "{}/sizes",
    "colorGroups": "color-groups",
    "associatedBrands": "brands",
    "associatedGroups": "groups",
    "associatedStyleCategories": "style-categories",
}
"""What the objects of lists are, whose ``id`` it is; of others it is nobody's concern."""


async def test_the_demo_data_are_these_files(
    environment: TransferEnvironment, tmp_path: Path
) -> None:
    """`make demo-files` writes them anew where the demo data have changed."""
    await export(str(environment.url), await issue_key(environment.dsn, 1, "read"), tmp_path)
    generated, published = files(tmp_path), files(DEMO)
    assert generated.keys() == published.keys()
    assert [name for name, raw in generated.items() if raw != published[name]] == []


async def test_an_empty_organization_becomes_organization_1(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, tmp_path: Path
) -> None:
    """And once more changes nothing."""
    folder, after = ImportFolder(tmp_path / "files"), tmp_path / "after"
    shutil.copytree(DEMO, folder.path)
    counts = await folder.import_records(client)
    assert folder.rejected == []
    assert {name for outcomes in counts.values() for name in outcomes} == {"created", "updated"}
    await export(str(environment.url), keys["write"], after)
    with open_id_map(folder.path / "ids.sqlite3", dry_run=False) as id_map:
        for path in sorted(DEMO.iterdir()):
            assert_imported(id_map, path, after / path.name)
    before = await client.changes.now()
    counts = await folder.import_records(client)
    assert {name for outcomes in counts.values() for name in outcomes} == {"not sent"}
    assert await client.changes.now() == before


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.ndjson")}


def assert_imported(id_map: IdMap, path: Path, exported: Path) -> None:
    """Compare a file that was imported with an export of what it became."""
    collection = transfer_collections()[path.stem]
    owner = collection.owner if isinstance(collection, TransferPart) else collection.name
    sent = {
        became(id_map, owner, record_id): mapped(id_map, owner, document)
        for record_id, document in records(path).items()
    }
    assert sent == {
        record_id: without_own(document) for record_id, document in records(exported).items()
    }


def records(path: Path) -> dict[Any, dict[str, Any]]:
    id_field = transfer_collections()[path.stem].id_field
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    return {line[id_field]: line for line in lines}


def became(id_map: IdMap, collection: str, source_id: Any) -> Any:
    entry = id_map.find(collection, str(source_id))
    assert entry, (collection, source_id)
    return entry.id


def mapped(id_map: IdMap, collection: str, value: Any, home: str = "") -> Any:
    """Return a value of a file with its present ids; ``home`` owns its own id."""
    if isinstance(value, list):
        return [mapped(id_map, collection, entry, home) for entry in value]
    if not isinstance(value, dict):
        return value
    translated = {}
    for name, member in without_own(value, is_deep=False).items():
        target = NAMED.get(name, home or None if name == "id" else None)
        if target and member is not None:
            target, is_list = target.format(collection), isinstance(member, list)
            ids = [became(id_map, target, each) for each in (member if is_list else [member])]
            translated[name] = ids if is_list else ids[0]
        elif name != "id":
            translated[name] = mapped(id_map, collection, member, IN_LISTS.get(name, ""))
    return translated


def without_own(value: Any, home: str = "", *, is_deep: bool = True) -> Any:
    """Return a value without what is each import's own; ids of nobody's concern, too."""
    if isinstance(value, list):
        return [without_own(entry, home) for entry in value]
    if not isinstance(value, dict):
        return value
    return {
        name: without_own(member, IN_LISTS.get(name, "")) if is_deep else member
        for name, member in value.items()
        if name not in OWN and (not is_deep or name != "id" or home)
    }
