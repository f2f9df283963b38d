"""Organization 1 as files: what the demo data are, and what makes them again (contract, Files)."""

import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from service.client import Client
from service.files import DEMO
from service.transfer.id_map import IdMap, open_id_map
from tests.support.api import issue_key
from tests.support.demo_files import export
from tests.transfer.conftest import Folder, Stage

pytestmark = pytest.mark.contract("Files", "Demo data")

#: What no two imports have in common beside ids: times, and what is made up.
OWN = {"organizationId", "createdAt", "beginDate", "endDate", "requestedAt", "avatarColor"}
NAMED = {
    "brandId": "brands",
    "styleCategoryId": "style-categories",
    "groupIds": "groups",
    "itemCategoryId": "item-categories",
    "styleId": "styles",
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


async def test_the_demo_data_are_these_files(stage: Stage, tmp_path: Path) -> None:
    """`make demo-files` writes them anew where the demo data have changed."""
    await export(str(stage.url), await issue_key(stage.dsn, 1, "read"), tmp_path)
    found, wanted = files(tmp_path), files(DEMO)
    assert found.keys() == wanted.keys()
    assert [name for name, raw in found.items() if raw != wanted[name]] == []


async def test_an_empty_organization_becomes_organization_1(
    stage: Stage, keys: dict[str, str], client: Client, tmp_path: Path
) -> None:
    """And once more changes nothing."""
    folder, after = Folder(tmp_path / "files"), tmp_path / "after"
    shutil.copytree(DEMO, folder.path)
    counts = await folder.bring(client)
    assert folder.rejected == []
    assert {name for found in counts.values() for name in found} == {"created", "updated"}
    await export(str(stage.url), keys["write"], after)
    with open_id_map(folder.path / "ids.sqlite3", dry_run=False) as known:
        for path in sorted(DEMO.iterdir()):
            collection, made = path.stem, records(after / path.name)
            sent = {
                became(known, collection, one): mapped(known, collection, document)
                for one, document in records(path).items()
            }
            assert sent == {one: without_own(document) for one, document in made.items()}
    before = await client.changes.now()
    counts = await folder.bring(client)
    assert {name for found in counts.values() for name in found} == {"as before"}
    assert await client.changes.now() == before


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.ndjson")}


def records(path: Path) -> dict[Any, dict[str, Any]]:
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    return {line["id"]: line for line in lines}


def became(known: IdMap, collection: str, one: Any) -> Any:
    found = known.find(collection, str(one))
    assert found, (collection, one)
    return found.id


def mapped(known: IdMap, collection: str, value: Any, home: str = "") -> Any:
    """A value of a file with the ids that it should have now; ``home`` is whose its own id is."""
    if isinstance(value, list):
        return [mapped(known, collection, one, home) for one in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for name, one in without_own(value, is_deep=False).items():
        target = NAMED.get(name, home or None if name == "id" else None)
        if target and one is not None:
            target, is_list = target.format(collection), isinstance(one, list)
            ids = [became(known, target, each) for each in (one if is_list else [one])]
            found[name] = ids if is_list else ids[0]
        elif name != "id":
            found[name] = mapped(known, collection, one, IN_LISTS.get(name, ""))
    return found


def without_own(value: Any, home: str = "", *, is_deep: bool = True) -> Any:
    """A value without what is each import's own; ids of nobody's concern, too."""
    if isinstance(value, list):
        return [without_own(one, home) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: without_own(one, IN_LISTS.get(name, "")) if is_deep else one
        for name, one in value.items()
        if name not in OWN and (not is_deep or name != "id" or home)
    }
