"""The completeness of some styles of the demo, row by row (contract, Completeness)."""

import pytest

from service import schemas
from tests.support.api import Api

pytestmark = [pytest.mark.contract("Completeness"), pytest.mark.shared_demo_data]

ALL = schemas.definition("channels", "requirement").schema["enum"]
#: By number: the demo has no main images of styles, and no texts in English.
EXPLAINED = {
    "TH26-10011": """
        image: The style has no active main image.
        translations: The style has no name in English.
    """,
    "TH26-10067": """
        skus: There is no active SKU in Midnight Slate, S.
        image: The style has no active main image.
        imagePerColor: There is no active image in Washed Mint.
        care: There is no care label in Midnight Slate.
        care: There is no care label in Washed Blush.
        care: There is no care label in Washed Mint.
        translations: The style has no name in English.
    """,
    "TH26-10081": """
        colors: The style has no active color.
        image: The style has no active main image.
        translations: The style has no name in English.
    """,
    "TH26-12025": """
        hsCode: The style has no HS code.
        image: The style has no active main image.
        care: There is no care label in Heather Royal.
        care: There is no care label in Heather Silver.
        care: There is no care label in Midnight Cognac.
        translations: The style has no name in English.
        customFields: There is no value of Gender.
    """,
    "TH25-11046": """
        brand: The style has no brand.
        skus: There is no active SKU in Heather Oat, XL.
        image: The style has no active main image.
        care: There is no care label in Washed Sage.
        care: There is no care label in Heather Oat.
        translations: The style has no name in English.
    """,
}


async def test_some_styles(api: Api) -> None:
    lists = [row["id"] for row in (await api.get("/api/price-lists", {"pageSize": "2"})).data]
    channel = {"name": "All", "requirements": ALL, "languageIds": [1], "priceListIds": lists}
    query = {"channelId": str((await api.post("/api/channels", channel)).data["id"])}
    for number, text in EXPLAINED.items():
        answer = await api.get(f"/api/styles/number={number}/completeness", query)
        rows = [f"{row['requirement']}: {row['message']}" for row in answer.data["missing"]]
        assert rows == [line.strip() for line in text.strip().splitlines()]
    query["channelId"] = str(
        (await api.post("/api/channels", channel | {"requirements": ["prices"]})).data["id"]
    )
    unpriced = (await api.get("/api/styles/number=TH25-10074/completeness", query)).data["missing"]
    live = {"style.number": "TH25-10074", "state": "active"}
    skus = [row["sku"] for row in (await api.get("/api/style-skus", live)).data]
    assert len(unpriced) == len(skus) * 2
    assert unpriced[0]["message"] == f"The SKU {skus[0]} has no price in Euro area, retail today."
