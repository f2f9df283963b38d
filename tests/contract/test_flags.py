"""Tests of flags that one record of several has: the default, main or primary one (States)."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from service import schemas
from service.resources.registry import MASTER_RECORDS
from tests.support.api import MERGE_PATCH, Api, replacing
from tests.support.judged_style import made
from tests.support.transactions import PATH as TRANSACTION

pytestmark = pytest.mark.contract("States")

NAMES: Final = {"isDefault", "isMain", "isPrimary"}
FLAGS: Final = {
    resource.name: name
    for resource in MASTER_RECORDS
    for name in NAMES & schemas.definition(resource.name, "fields").properties.keys()
}


async def own_fields(api: Api, collection: str) -> list[dict[str, Any]]:
    """Return the fields of two new records, of which one can have the flag."""
    if collection == "size-ranges":
        return [{"name": "First"}, {"name": "Second"}]
    if collection == "barcode-ranges":
        fields = {"name": "Range", "type": "gtin13"}
        return [fields | {"companyPrefix": prefix} for prefix in ("9521234", "9525678")]
    style = await made(api, "styles", number="FLAG-1", name="Jacket")
    if collection == "style-files":
        file = {"styleId": style, "category": "image", "url": "https://example.com/a.jpg"}
        return [file | {"fileName": name} for name in ("a.jpg", "b.jpg")]
    assert collection == "barcodes"
    sizes = await made(api, "size-ranges", name="Sizes")
    [size] = (await api.put(f"/api/size-ranges/{sizes}/sizes", [{"name": "M"}])).data
    assert (await api.patch(f"/api/styles/{style}", replacing("/sizeRangeId", sizes))).status == 200
    color = await made(api, "colors", name="Navy")
    style_color = await made(api, "style-colors", styleId=style, colorId=color)
    sku = {"sku": "FLAG-1", "styleColorId": style_color, "sizeRangeSizeId": size["id"]}
    barcode = {"styleSkuId": await made(api, "style-skus", **sku), "type": "internal"}
    return [barcode | {"barcode": name} for name in ("A", "B")]


@pytest.mark.contract("Size ranges", "Barcode ranges", "Barcodes", "Style files")
@pytest.mark.parametrize(("collection", "flag"), [*FLAGS.items()], ids=str)
async def test_no_deleted_record_takes_the_flag_from_a_live_one(
    api: Api, collection: str, flag: str
) -> None:
    """It is refused in every form of write, and the live record keeps the flag."""
    first, second = await own_fields(api, collection)
    holder = await made(api, collection, **first, **{flag: True})
    deleted = await made(api, collection, **second, **{flag: False})
    path = f"/api/{collection}"
    assert (await api.delete(f"{path}/{deleted}")).status == 200
    change: Mapping[str, Any] = {flag: True}
    merge = {"content_type": MERGE_PATCH}
    entry = {"collection": collection, "operation": "merge", "item": {"id": deleted, **change}}
    refused = [
        (await api.patch(f"{path}/{deleted}", replacing(f"/{flag}", True)), flag),
        (await api.patch(f"{path}/{deleted}", change, **merge), flag),
        (await api.patch(path, [{"id": deleted, **change}]), f"[0].{flag}"),
        (await api.post(TRANSACTION, [entry]), f"[0].item.{flag}"),
    ]
    for answer, field in refused:
        assert answer.status == 400, answer.raw
        assert answer.details == [("validation_error.invalid_value", field)]
        [row] = answer.json["error"]["details"]
        assert "deleted" in row["value"]
    assert (await api.get(f"{path}/{holder}")).data[flag] is True
    assert (await api.get(f"{path}/{deleted}")).data[flag] is False


@pytest.mark.parametrize(("collection", "flag"), [*FLAGS.items()], ids=str)
async def test_a_restored_record_takes_the_flag(api: Api, collection: str, flag: str) -> None:
    first, second = await own_fields(api, collection)
    holder = await made(api, collection, **first, **{flag: True})
    deleted = await made(api, collection, **second, **{flag: False})
    path = f"/api/{collection}"
    await api.delete(f"{path}/{deleted}")
    both = replacing(f"/{flag}", True) + replacing("/state", "active")
    assert (await api.patch(f"{path}/{deleted}", both)).data[flag] is True
    assert (await api.get(f"{path}/{holder}")).data[flag] is False
