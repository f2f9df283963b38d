"""Tests of GTINs of styles that were published: they stay with their SKUs (contract, Barcodes)."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.sold_style import Sold
from tests.support.transactions import SKIP, entry, send, shown

pytestmark = pytest.mark.contract("Barcodes", "States", "Transactions over collections")

IN_USE = "conflict.in_use"
GTIN = {"barcode": "4006381333931"}


@pytest.fixture
async def sold(api: Api) -> Sold:
    sold = Sold(api)
    await sold.open()
    return sold


async def test_a_style_in_work_again_frees_its_numbers_in_the_same_request(sold: Sold) -> None:
    """Whether they are deleted or taken from the SKU."""
    delete = entry("barcodes", "delete", **GTIN)
    taken = entry("barcodes", "merge", **GTIN, styleSkuId=None)
    refused = {"delete": "[0].item.barcode", "merge": "[0].item.styleSkuId"}
    in_work = entry("styles", "merge", number="PR-1", status="workInProgress")
    for freed in (delete, taken):
        answer = await send(sold.api, [freed])
        assert answer.details == [(IN_USE, refused[freed["operation"]])]
        dry = await send(sold.api, [freed, in_work], params={"dryRun": "true"})
        assert shown(dry) == ["deleted" if freed is delete else "updated", "updated"]
    assert shown(await send(sold.api, [delete, in_work])) == ["deleted", "updated"]


async def test_numbers_of_deleted_styles_stay_and_their_refusal_names_none(sold: Sold) -> None:
    api = sold.api
    gone = [entry("styles", "delete", number="PR-1"), entry("style-skus", "delete", sku="PR-1-M")]
    assert shown(await send(api, gone)) == ["deleted"] * 2
    answer = await send(api, [entry("barcodes", "delete", **GTIN)])
    [row] = answer.json["error"]["details"]
    assert (row["type"], row["value"]) == (IN_USE, "Used by styles: 1.")


async def test_a_night_without_numbers_keeps_those_of_published_styles(sold: Sold) -> None:
    """With onError=skip all else goes."""
    night: list[dict[str, Any]] = [
        entry("barcodes", "delete", **GTIN),
        entry("style-skus", "delete", sku="PR-1-M"),
        entry("styles", "delete", number="PR-1"),
    ]
    answer = await send(sold.api, night, params=SKIP)
    assert shown(answer) == ["failed", "deleted", "deleted"]
