"""Tests of completeness (contract, Completeness)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.judged_style import Judged, made

pytestmark = pytest.mark.contract("Completeness")

EMPTY = (
    "brand season category supplier description countryOfOrigin hsCode netWeight colors sizeRange"
)


_REFERENCES = {
    "brandId": "brands",
    "seasonId": "seasons",
    "styleCategoryId": "style-categories",
    "supplierId": "suppliers",
    "sizeRangeId": "size-ranges",
}


async def test_fields_of_the_style(api: Api) -> None:
    """An empty style lacks all; each field that is set is missed no longer."""
    style = await Judged.create(api)
    rows = await style.missing(*EMPTY.split())
    assert [row["requirement"] for row in rows] == EMPTY.split()
    paths = [row["path"].replace(style.path, "") for row in rows]
    assert paths[:2] == ["#brandId", "#seasonId"]
    fields: dict[str, Any] = {
        name: await made(api, path, name="X") for name, path in _REFERENCES.items()
    }
    fields |= {
        "description": "Warm",
        "countryOfOriginCode": "PT",
        "hsCode": "610130",
        "netWeight": "1",
    }
    for name, value in fields.items():
        assert f"#{name}" in paths
        await style.set(**{name: value})
        paths = [row["path"].replace(style.path, "") for row in await style.missing(*EMPTY.split())]
        assert f"#{name}" not in paths
    assert paths == ["/api/style-colors#colorId"]


async def test_blank_texts_and_inactive_colors_do_not_count(api: Api) -> None:
    style = await Judged.create(api)
    await style.set(description=" ")
    assert await style.lacks("description")
    color = await made(
        api, "style-colors", styleId=style.style, colorId=await made(api, "colors", name="C")
    )
    assert not await style.lacks("colors")
    await api.patch(f"/api/style-colors/{color}", replacing("/state", "inactive"))
    assert await style.lacks("colors")


async def test_skus_barcodes_and_images(api: Api) -> None:
    style = await Judged.create(api)
    size_range = await made(api, "size-ranges", name="R")
    sizes = await api.put(f"/api/size-ranges/{size_range}/sizes", [{"name": "S"}, {"name": "M"}])
    small, medium = (size["id"] for size in sizes.data)
    await style.set(sizeRangeId=size_range)
    color = await made(
        api, "style-colors", styleId=style.style, colorId=await made(api, "colors", name="Navy")
    )
    rows = await style.missing("skus")
    assert [row["sizeRangeSizeId"] for row in rows] == [small, medium]
    assert rows[0]["message"] == "There is no active SKU in Navy, S."
    skus = [
        await made(api, "style-skus", sku=f"CO-{size}", styleColorId=color, sizeRangeSizeId=size)
        for size in (small, medium)
    ]
    assert not await style.missing("skus")
    await api.patch(f"/api/style-skus/{skus[1]}", replacing("/state", "inactive"))
    at = {"styleColorId": color, "sizeRangeSizeId": medium}
    assert await style.lacks("skus", **at)
    at["sizeRangeSizeId"] = small
    assert await style.lacks("barcodes", **at)
    number = await made(api, "barcodes", barcode="IN-1", type="internal", styleSkuId=skus[0])
    assert await style.lacks("barcodes", **at)
    await api.delete(f"/api/barcodes/{number}")
    number = await made(api, "barcodes", barcode="4006381333931", styleSkuId=skus[0])
    assert not await style.lacks("barcodes", **at)

    names = ("Retail", "Wholesale")
    prices = [
        await made(api, "price-lists", name=name, type="retail", currencyCode="EUR")
        for name in names
    ]
    await api.patch(f"/api/channels/{style.channel}", replacing("/priceListIds", prices))
    rows = await style.missing("prices")
    assert [(row["priceListId"], row["sizeRangeSizeId"]) for row in rows] == [
        (price_list, small) for price_list in prices
    ]
    assert rows[0]["path"] == f"{style.path}/prices/{prices[0]}#prices"
    assert rows[0]["message"] == f"The SKU CO-{small} has no price in Retail today."
    for price_list, price in zip(
        prices, ({"amount": 5}, {"amount": 5, "validTo": "2020-01-01"}), strict=True
    ):
        await api.put(f"{style.path}/prices/{price_list}", {"prices": [price]})
    assert await style.lacks("prices", **at, priceListId=prices[1])
    await api.patch(f"/api/price-lists/{prices[0]}", replacing("/state", "inactive"))
    assert len(await style.missing("prices")) == 2
    await api.patch(f"/api/channels/{style.channel}", replacing("/priceListIds", []))
    assert not await style.missing("prices")

    assert await style.lacks("image")
    assert await style.lacks("imagePerColor", styleColorId=color)
    image = {"styleId": style.style, "category": "image", "url": "https://example.com/a.jpg"}
    of_color = await made(
        api, "style-files", fileName="c.jpg", styleColorId=color, isMain=True, **image
    )
    assert await style.lacks("image")
    assert not await style.lacks("imagePerColor")
    plain = await made(api, "style-files", fileName="a.jpg", **image)
    assert await style.lacks("image")
    await api.patch(f"/api/style-files/{plain}", replacing("/isMain", True))
    assert not await style.lacks("image")
    await api.patch(f"/api/style-files/{plain}", replacing("/state", "inactive"))
    assert await style.lacks("image")
    await api.patch(f"/api/style-files/{of_color}", replacing("/category", "sketch"))


async def test_care_labels(api: Api) -> None:
    """A label of all colors does for each; layers of labels sum to 100."""
    style = await Judged.create(api)
    colors = [
        await made(
            api, "style-colors", styleId=style.style, colorId=await made(api, "colors", name=name)
        )
        for name in ("Navy", "Red")
    ]
    assert [row["styleColorId"] for row in await style.missing("care")] == colors
    layer = await made(api, "care-instruction-layers", text="Shell")
    materials = [
        {
            "careInstructionMaterialId": await made(api, "care-instruction-materials", text=name),
            "percentage": share,
        }
        for name, share in (("Wool", "60.5"), ("Silk", "30"))
    ]
    path = f"{style.path}/care-instructions"
    label = {"layers": [{"careInstructionLayerId": layer, "materials": materials}]}
    assert (await api.put(path, [{**label, "styleColorId": colors[0]}])).status == 200
    assert await style.lacks("care", styleColorId=colors[1])
    [row] = await style.missing("composition")
    assert (row["path"], row["styleColorId"]) == (f"{path}#layers", colors[0])
    assert row["message"] == "The layer Shell sums to 90.5, not to 100."
    await api.patch(f"/api/style-colors/{colors[0]}", replacing("/state", "inactive"))
    assert not await style.lacks("composition")
    materials[1]["percentage"] = "39.5"
    assert (await api.put(path, [label])).status == 200
    assert not await style.missing("care", "composition")
    label["layers"][0]["materials"] = []
    assert (await api.put(path, [label])).status == 200
    assert await style.lacks("composition")


async def test_translations(api: Api) -> None:
    style = await Judged.create(api, languageIds=[2, 3])
    path = f"{style.path}/translations"
    assert [row["languageId"] for row in await style.missing("translations")] == [2, 3]
    entries = [{"languageId": 2, "name": "Jacke"}, {"languageId": 3, "description": "Warm"}]
    assert (await api.put(path, entries)).status == 200
    [row] = await style.missing("translations")
    assert (row["languageId"], row["path"]) == (3, f"{path}#name")
    await api.patch(f"/api/channels/{style.channel}", replacing("/languageIds", []))
    assert not await style.missing("translations")


async def test_custom_fields(api: Api) -> None:
    """Mandatory active fields that apply, for each active color, where something can be chosen."""
    for old in (await api.get("/api/style-custom-fields", {"isMandatory": "true"})).data:
        await api.patch(f"/api/style-custom-fields/{old['id']}", replacing("/state", "inactive"))
    style = await Judged.create(api)
    brand = await made(api, "brands", name="B")
    mandatory = {"isMandatory": True}
    text = await made(api, "style-custom-fields", name="Fit", type="text", **mandatory)
    other = {"associatedBrands": [{"id": brand}], **mandatory}
    await made(api, "style-custom-fields", name="No", type="text", **other)
    await made(api, "style-custom-fields", name="Free", type="text")
    parent = await made(
        api,
        "style-custom-fields",
        name="Dye",
        type="allowedValue",
        diffPerColor=True,
        allowedValues=[{"value": "Garment"}, {"value": "Yarn"}],
        **mandatory,
    )
    choices = (await api.get(f"/api/style-custom-fields/{parent}")).data["allowedValues"]
    child = await made(
        api,
        "style-custom-fields",
        name="Depth",
        type="nestedAllowedValue",
        parentCustomFieldId=parent,
        allowedValues=[{"value": "Deep", "parentAllowedValueId": choices[0]["id"]}],
        **mandatory,
    )
    messages = [row["message"] for row in await style.missing("customFields")]
    assert messages == ["There is no value of Fit."]  # no color yet
    color = await made(
        api, "style-colors", styleId=style.style, colorId=await made(api, "colors", name="Navy")
    )
    rows = await style.missing("customFields")
    path = f"{style.path}/custom-field-values"
    assert {row["path"] for row in rows} == {f"{path}#customFieldId"}
    assert [(row["styleColorId"], row["message"]) for row in rows] == [
        (color, "There is no value of Dye in Navy."),
        (None, "There is no value of Fit."),
    ]
    values = [
        {"customFieldId": text, "text": "Slim"},
        {"customFieldId": parent, "styleColorId": color, "allowedValueId": choices[0]["id"]},
    ]
    assert (await api.put(path, values)).status == 200
    [row] = await style.missing("customFields")
    assert row["message"] == "There is no value of Depth in Navy."
    values[1]["allowedValueId"] = choices[1]["id"]
    assert (await api.put(path, values)).status == 200
    assert not await style.missing("customFields")
    await api.patch(f"/api/style-custom-fields/{child}", replacing("/isMandatory", False))
    await style.set(brandId=brand)
    assert await style.lacks("customFields")


async def test_the_channel_and_the_style(api: Api, other_api: Api) -> None:
    style = await Judged.create(api, userDefinedId="C-1", requirements=["brand"])
    path = f"{style.path}/completeness"
    by_key = await api.get("/api/styles/number=CO-1/completeness", {"channel.userDefinedId": "C-1"})
    by_id = await api.get(path, {"channelId": str(style.channel)})
    assert by_key.data == by_id.data
    assert not by_id.data["isComplete"]
    again = await api.get(
        path, {"channelId": str(style.channel)}, headers={"If-None-Match": by_id.headers["ETag"]}
    )
    assert again.status == 304
    await api.patch(f"/api/channels/{style.channel}", replacing("/state", "inactive"))
    assert (await api.get(path, {"channelId": str(style.channel)})).data == by_id.data
    unknown = "validation_error.unknown_reference"
    for query, details in {
        (): [("validation_error.required_field", "channelId")],
        (("channelId", "x"), ("a", "1")): [
            ("validation_error.invalid_value", "channelId"),
            ("validation_error.unknown_parameter", "a"),
        ],
        (("channelId", "1"), ("channel.userDefinedId", "C-1")): [
            ("validation_error.exclusive_parameters", "channel.userDefinedId")
        ],
        (("channelId", "1"), ("channelId", "2")): [("validation_error.duplicate", "channelId")],
        (("channelId", str(2**62)),): [(unknown, "channelId")],
        (("channel.userDefinedId", "none"),): [(unknown, "channel.userDefinedId")],
        (("channel.userDefinedId", "a\0"),): [
            ("validation_error.invalid_value", "channel.userDefinedId")
        ],
    }.items():
        answer = await api.get(path, query)
        assert (answer.status, answer.details) == (400, details), query
    twin = await made(api, "channels", name="Twin", userDefinedId="C-1")
    ambiguous = await api.get(path, {"channel.userDefinedId": "C-1"})
    assert ambiguous.details == [("conflict.ambiguous_key", "channel.userDefinedId")]
    await api.delete(f"/api/channels/{twin}")
    await api.delete(f"/api/channels/{style.channel}")
    deleted = await api.get(path, {"channelId": str(style.channel)})
    assert deleted.details == [(unknown, "channelId")]
    foreign = await other_api.get(path, {"channelId": str(style.channel)})
    assert foreign.details == [("not_found", "id")]
