"""Tests of previews of parts, one by one and by their owners (contract, Dry runs)."""

from typing import Any, Final

import pytest

from service.resources.registry import MEASUREMENTS, PART_COLLECTIONS
from service.routes import collection_path
from service.writing.part_collections import PartCollection
from tests.support import parts
from tests.support.api import Api
from tests.support.openapi_validation import form
from tests.support.part_collections import replaceable
from tests.support.previews import difference

pytestmark = [pytest.mark.contract("Dry runs", "Part collections"), pytest.mark.demo_data]

PREVIEW: Final = {"dryRun": "true", "preview": "true"}
#: New entries, where a name is not enough.
_NEW: Final[dict[str, dict[str, Any]]] = {
    "style-contacts": {"role": "Design", "type": "brand", "name": "Previewed"},
    "style-supplier-facilities": {
        "process": "other",
        "processName": "Previewed",
        "countryCode": "PT",
    },
}

of_each = pytest.mark.parametrize(
    "collection", PART_COLLECTIONS, ids=lambda collection: collection.collection
)


async def changed(api: Api, collection: PartCollection, item: dict[str, Any]) -> dict[str, Any]:
    """Return the item with another list, in which an entry is new where entries can be."""
    if collection.part is MEASUREMENTS:
        sizes = [size | {"designerComment": "Previewed"} for size in item["sizes"]]
        return item | {"sizes": sizes}
    if collection.part is parts.PRICES:
        lists = [{**entry, "prices": entry["prices"][1:]} for entry in item["priceLists"]]
        return item | {"priceLists": lists}
    if collection.part is parts.SWATCHES:
        return item | {"hex": "#ABCDEF"}
    if collection.part in parts.FREE:
        languages = (await api.get("/api/languages", {"pageSize": "100"})).data
        name = "colorName" if collection.part is parts.TRANSLATIONS else "name"
        names = [{"languageId": each["id"], name: "Previewed"} for each in languages]
        return item | {"translations": names[:2]}
    name = collection.part.list_name or "lines"
    if name in ("values", "sets") or collection.part.name == "style-items":
        return item | {name: item[name][1:]}
    return item | {name: [*item[name], _NEW.get(collection.part.name, {"name": "Previewed"})]}


async def writable(api: Api, collection: PartCollection, owner: int) -> dict[str, Any]:
    """Return the writable form of the part of an owner, in the collection's shape."""
    part, key = collection.part, collection.key
    if part is parts.PRICES:
        records = (await api.get("/api/style-prices", {key: str(owner)})).data
        lists = [each["priceListId"] for record in records for each in record["priceLists"]]
        prices = [
            (await api.get(f"/api/styles/{owner}/prices/{id_}", {"form": "writable"})).data
            for id_ in lists
        ]
        entries = [{"priceListId": id_} | each for id_, each in zip(lists, prices, strict=True)]
        return {key: owner, "priceLists": entries}
    if part is not MEASUREMENTS:
        data = (await api.get(parts.path(part, owner), {"form": "writable"})).data
        return {key: owner} | ({part.list_name: data} if part.list_name else data)
    record = (await api.get(f"/api/sample-requests/{owner}")).data
    path = f"/api/styles/{record['styleId']}/sample-requests/{owner}/measurements"
    ids = [size["sizeRangeSizeId"] for size in (await api.get(path)).data]
    sizes = [(await api.get(f"{path}/{id_}", {"form": "writable"})).data for id_ in ids]
    return {
        key: owner,
        "sizes": [{"sizeRangeSizeId": id_} | size for id_, size in zip(ids, sizes, strict=True)],
    }


@of_each
async def test_a_preview_tells_the_difference_that_the_write_of_parts_makes(
    collection: PartCollection, api: Api
) -> None:
    root, key = collection_path(collection), collection.key
    items = await replaceable(api, collection)
    items[0] = await changed(api, collection, items[0])
    before = [await writable(api, collection, item[key]) for item in items]
    failed = {**items[1], key: 2**62}
    params = PREVIEW | {"onError": "skip"}
    previews = [
        await api.call(method, root, [*items, failed], params=params) for method in ("PUT", "PATCH")
    ]
    assert (await api.put(root, items)).status == 200
    after = [await writable(api, collection, item[key]) for item in items]
    differences = [difference(*pair) for pair in zip(before, after, strict=True)]
    assert [bool(changes) for changes in differences] == [True, False]
    for preview in previews:
        assert [row["outcome"] for row in preview.data] == ["updated", "unchanged", "failed"]
        assert [row["changes"] for row in preview.data] == [*differences, []]
        for row in preview.data:
            form("common/envelope", "itemOutcome").validate(row)


@of_each
async def test_a_preview_of_a_single_part(collection: PartCollection, api: Api) -> None:
    """Its fields are those of the part; a part that is a list has the list as its field."""
    part = collection.part
    [item] = await replaceable(api, collection, 1)
    body: Any
    if part is MEASUREMENTS:
        path = (await parts.paths(api, part))[0]
        body = {"designerComment": "Previewed"}
    elif part is parts.PRICES:
        path, body = (await parts.paths(api, part))[0], {"prices": [{"amount": 1}]}
    else:
        path, body = parts.path(part, item[collection.key]), await changed(api, collection, item)
        body.pop(collection.key)
        body = body[part.list_name] if part.list_name else body

    async def fields() -> dict[str, Any]:
        data = (await api.get(path, {"form": "writable"})).data
        return {part.list_name: data} if part.list_name else dict(data)

    before = await fields()
    preview = await api.put(path, body, params=PREVIEW)
    assert preview.data["outcome"] == "updated"
    assert await fields() == before
    assert (await api.put(path, body)).status == 200
    assert preview.data["changes"] == difference(before, await fields())
    again = await api.put(path, body, params=PREVIEW)
    assert again.data["changes"] == []
