"""Tests of passports of SKUs (contract, Passports)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.sold_style import Sold, languages
from tests.support.sold_style import sold as sold  # a fixture

pytestmark = pytest.mark.contract("Passports")

CUTTING = {"process": "cutting", "processName": None, "tier": None, "countryCode": None}
GLN = "4012345000009"
OPERATOR = (
    *("address", "zipCode", "city", "stateOrRegion", "countryCode", "webSite", "email"),
    *("vatNumber", "eoriNumber", "gln"),
)


async def organization(api: Api, **fields: Any) -> dict[str, Any]:
    """Change fields of the organization, and return it."""
    [stored] = (await api.get("/api/organizations")).data
    changes = [replacing(f"/{name}", fields[name])[0] for name in fields]
    answer = await api.patch(f"/api/organizations/{stored['id']}", changes)
    assert answer.status == 200, answer.raw
    return dict(answer.data)


async def passport(sold: Sold, **query: str) -> dict[str, Any]:
    answer = await sold.api.get(f"/api/style-skus/{sold.ids['style-skus']}/passport", query)
    assert answer.status == 200, answer.raw
    return dict(answer.data)


async def test_the_document(sold: Sold) -> None:
    api, numbers = sold.api, {"gln": GLN, "osId": "TR2019"}
    base = "https://id.example.com/"
    stored = await organization(api, legalName="Selvedge AB", passportBaseUrl=base, gln=GLN)
    mill = await sold.make("sub-suppliers", name="Mill", countryCode="TR")
    site = {"subSupplierId": mill, "countryCode": "IT", **numbers}
    await sold.make("facilities", name="Dye house", **site)
    dyeing = {"process": "other", "processName": "Embossing", "tier": 2}
    steps = [
        {**dyeing, "facilityId": sold.ids["facilities"]},
        {"process": "cutting", "supplierId": sold.ids["suppliers"]},
    ]
    await sold.put(f"styles/{sold.ids['styles']}/supplier-facilities", steps)
    code = (await languages(api))[2]
    document = await passport(sold, language=code.upper())
    missing = document.pop("missing")
    text = {"text": "Deutsch"}
    assert document == {
        "schemaVersion": "draft-1",
        "identifiers": {
            "gtin14": "04006381333931",
            "sku": "PR-1-M",
            "digitalLink": "https://id.example.com/01/04006381333931",
        },
        "operator": {"name": "Selvedge AB", **{name: stored[name] for name in OPERATOR}},
        "product": {
            "brand": "A",
            "number": "PR-1",
            "name": "Jacke",
            "description": "Warm",
            "category": "A",
            "color": "Marine",
            "size": "M",
            "netWeight": 412.5,
            "hsCode": None,
            "countryOfOriginCode": None,
            "image": "https://example.com/a.jpg",
        },
        "composition": [
            {**text, "materials": [{**text, "percentage": 95.5, "recycledPercentage": 30}]}
        ],
        "care": [
            {"symbol": "wash30", "process": "washing", **text},
            {"symbol": "doNotBleach", "process": "bleaching", "text": "Second"},
            {"symbol": None, "process": None, "text": "Third"},
            {"symbol": None, "process": None, **text},
        ],
        "supplyChain": [
            {**dyeing, **numbers, "countryCode": "IT", "operator": "Mill", "facility": "Dye house"},
            {**CUTTING, "operator": "A", **dict.fromkeys(("facility", *numbers))},
        ],
    }
    assert [row["requirement"] for row in missing] == ["countryOfOrigin", "hsCode", "composition"]


async def test_languages(sold: Sold) -> None:
    """Without one it is the organization's; texts that are not translated are those of all."""
    await organization(sold.api, defaultLanguageId=None)
    plain = await passport(sold)
    assert (plain["product"]["name"], plain["product"]["color"]) == ("Jacket", "Navy")
    await organization(sold.api, defaultLanguageId=2)
    assert (await passport(sold))["product"]["name"] == "Jacke"
    other = await passport(sold, language=(await languages(sold.api))[3])
    assert (other["product"]["name"], other["composition"][0]["text"]) == ("Veste", "English")
    path = f"/api/style-skus/{sold.ids['style-skus']}/passport"
    unknown = await sold.api.get(path, {"language": "xx-none"})
    assert unknown.details == [("validation_error.unknown_reference", "language")]
    twice = await sold.api.get(path, [("language", "de"), ("language", "en"), ("a", "b")])
    assert {type_ for type_, _ in twice.details} == {
        "validation_error.duplicate",
        "validation_error.unknown_parameter",
    }


async def test_the_label_and_image_of_the_color_win(sold: Sold) -> None:
    path = f"styles/{sold.ids['styles']}/care-instructions"
    labels = (await sold.api.get(f"/api/{path}", {"form": "writable"})).data
    await sold.put(path, [*labels, {"styleColorId": sold.ids["style-colors"]}])
    document = await passport(sold)
    assert document["care"] == []
    assert "composition" not in [row["requirement"] for row in document["missing"]]
    url = "https://example.com/color.jpg"
    changed = replacing("/url", url)
    await sold.api.patch(f"/api/style-files/{sold.ids['file of color']}", changed)
    assert (await passport(sold))["product"]["image"] == url


async def test_paths(sold: Sold, other_api: Api) -> None:
    """By own keys and by barcode; without a GTIN there is no link, and it is missing."""
    await organization(sold.api, passportBaseUrl=None)
    expected = await passport(sold)
    link = "https://id.gs1.org/01/04006381333931"
    assert expected["identifiers"]["digitalLink"] == link
    barcode = f"/api/barcodes/{sold.ids['barcodes']}/passport"
    for path in ("/api/style-skus/sku=PR-1-M/passport", barcode):
        answer = await sold.api.get(path)
        assert answer.data == expected
        again = await sold.api.get(path, headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status == 304
    by_number = await sold.api.get("/api/barcodes/barcode=4006381333931/passport")
    assert by_number.data == expected
    assert (await other_api.get(barcode)).details == [("not_found", "id")]
    await sold.patch("styles", "status", "workInProgress")
    await sold.patch("barcodes", "styleSkuId", None)
    assert (await sold.api.get(barcode)).details == [("not_found", "id")]
    bare = await passport(sold)
    assert bare["identifiers"] == {"gtin14": None, "sku": "PR-1-M", "digitalLink": None}
    assert "barcodes" in [row["requirement"] for row in bare["missing"]]


async def test_what_other_colors_lack_is_not_missing(sold: Sold) -> None:
    before = (await passport(sold))["missing"]
    color = await sold.api.post("/api/colors", {"name": "Red"})
    made = {"styleId": sold.ids["styles"], "colorId": color.data["id"]}
    other = await sold.api.post("/api/style-colors", made)
    sku = {"sku": "PR-1-R", "styleColorId": other.data["id"], "sizeRangeSizeId": sold.ids["size"]}
    assert (await sold.api.post("/api/style-skus", sku)).status == 201
    assert (await passport(sold))["missing"] == before
