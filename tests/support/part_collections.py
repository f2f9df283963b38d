"""Requests to part collections: walks of lists, bulk replaces and their items."""

from typing import Any, Final

from service import schemas
from service.resources.registry import MEASUREMENTS
from service.routes import collection_path
from service.writing.part_collections import PartCollection
from tests.support.api import Answer, Api

_LINE: Final = ("lineId", "companyMeasurement", "supplierMeasurement", "newMeasurement")


async def listed(api: Api, path: str, **params: str) -> list[Any]:
    """Return all records of a list, read by pages."""
    records = list[Any]()
    query: dict[str, str] = {"pageSize": "7", **params}
    while query:
        answer = await api.get(path, query)
        assert answer.status == 200, answer.raw
        records += answer.data
        following = answer.json["pagination"].get("cursor")
        query = {"cursor": following} if following else {}
    return records


async def put(api: Api, path: str, *items: Any, **params: str) -> Answer:
    return await api.put(path, [*items], params=params)


async def replaceable(api: Api, collection: PartCollection, count: int = 2) -> list[Any]:
    """Return items that replace parts by what is stored."""
    path = collection_path(collection)
    items = (await api.get(path, {"pageSize": str(count)})).data
    if collection.part is MEASUREMENTS:
        for item in items:
            item["sizes"] = [
                {
                    "sizeRangeSizeId": size["sizeRangeSizeId"],
                    "designerComment": size["designerComment"],
                    "approved": "approved" in size["properties"],
                    "designerVisibleOnly": "designerVisibleOnly" in size["properties"],
                    "lines": [
                        {name: line[name] for name in line if name in _LINE}
                        for line in size["lines"]
                        if line["lineId"] is not None
                    ],
                }
                for size in item["sizes"]
            ]
    if name := collection.part.list_name:
        entry = schemas.definition(collection.part.name, "replace").items.properties
        written = {member for member, field in entry.items() if "readOnly" not in field.schema}
        for item in items:
            item[name] = [{m: each[m] for m in each if m in written} for each in item[name]]
    return list(items)
