"""Tests of keys of colors and sizes within a style (contract, References)."""

from collections.abc import Iterator
from typing import Any

import pytest

from service import schemas
from service.records.keyed_values import keyed_fields
from service.records.reference_targets import SIZES
from service.records.writable_resource import WritableResource
from service.resources.registry import MASTER_RECORDS, PART_COLLECTIONS, PARTS, SKU_GENERATION
from service.schemas.key_forms import REFERS_TO
from tests.resources.test_style_colors import made
from tests.resources.test_style_skus import Style
from tests.support.api import Api, replacing
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("References")

SKUS, FILES, VALUES = "/api/style-skus", "/api/style-files", "/api/custom-field-values"
ITEMS, CARE = "/api/style-items", "/api/style-care-instructions"
CHARTS, MEASUREMENTS = "/api/measurement-charts", "/api/measurements"
REQUESTS, GENERATE = "/api/sample-requests", f"{SKUS}/generate"
UNKNOWN, INCOMPLETE = "validation_error.unknown_reference", "conflict.incomplete"
NAVY, SMALL = {"colorId": {"userDefinedId": "SK-NVY"}}, {"name": "S"}
KEY = {"styleId": {"number": "SK-1"}, **NAVY}


@pytest.fixture
async def style(api: Api) -> Style:
    """Return a style whose color and sizes have the keys of those of another style, too."""
    filled = Style()
    await filled.fill(api)
    other = await made(api, "size-ranges", name="Other")
    await api.put(f"/api/size-ranges/{other}/sizes", [{"name": "S"}, {"name": "L"}])
    shirt = await made(api, "styles", number="SK-2", name="Shirt", sizeRangeId=other)
    await made(api, "style-colors", styleId=shirt, colorId=filled.color)
    bare = await made(api, "styles", number="SK-3", name="Bare")
    await made(api, "style-colors", styleId=bare, colorId=filled.color)
    return filled


async def test_the_size_of_an_sku(api: Api, style: Style) -> None:
    """Its style color has an id, a key, or is stored; forms without a size keep it."""
    for color in (style.style_color, KEY):
        body = {"sku": "A", "styleColorId": color, "sizeRangeSizeId": SMALL}
        answer = await api.post(SKUS, body)
        assert answer.data["sizeRangeSizeId"] == style.small, answer.raw
        location = answer.headers["Location"]
        assert (await api.patch(location, replacing("/sizeRangeSizeId", SMALL))).status == 200
        same = {"sku": "B", "state": "active", "sizeRangeSizeId": {"name": "S"}}
        assert (await api.put(location, same)).status == 200
        wrong = await api.put(location, same | {"sizeRangeSizeId": {"name": "M"}})
        assert wrong.details == [("validation_error.read_only_field", "sizeRangeSizeId")]
        assert (await api.delete(location)).status == 200


@pytest.mark.usefixtures("style")
@in_each(
    ("color", "size", "error"),
    [
        (KEY, {"name": "L"}, (UNKNOWN, "sizeRangeSizeId")),
        (KEY, {"sizeId": "S"}, (UNKNOWN, "sizeRangeSizeId")),
        (KEY | {"styleId": {"number": "SK-3"}}, SMALL, (INCOMPLETE, "sizeRangeSizeId")),
        (KEY | {"styleId": {"number": "none"}}, SMALL, (UNKNOWN, "styleColorId")),
        (2**40, SMALL, (UNKNOWN, "styleColorId")),
        (NAVY, SMALL, ("validation_error.invalid_value", "styleColorId")),
    ],
)
async def test_sizes_that_an_sku_cannot_have(
    api: Api, color: Any, size: Any, error: tuple[str, str]
) -> None:
    right = {"sku": "A", "styleColorId": KEY, "sizeRangeSizeId": SMALL}
    body = {"sku": "B", "styleColorId": color, "sizeRangeSizeId": size}
    assert (await api.post(SKUS, body)).details == [error]
    several = await api.post(SKUS, [right, body])
    assert several.details == [(error[0], f"[1].{error[1]}")]


async def test_the_color_of_a_file(api: Api, style: Style) -> None:
    body = {"fileName": "a", "category": "image", "url": "https://example.com/a"}
    for own in (style.style, {"number": "SK-1"}):
        answer = await api.post(FILES, body | {"styleId": own, "styleColorId": NAVY})
        assert answer.data["styleColorId"] == style.style_color
        same = body | {"state": "active", "styleColorId": {"colorId": style.color}}
        assert (await api.put(answer.headers["Location"], same)).data == answer.data
    wrong = body | {"styleId": style.style, "styleColorId": {"colorId": 2**40}}
    assert (await api.post(FILES, wrong)).details == [(UNKNOWN, "styleColorId")]


async def test_colors_and_sizes_of_custom_field_values(api: Api, style: Style) -> None:
    """In a part, and in its collection, whose items may name the style by key."""
    differs = {"type": "text", "diffPerColor": True, "diffPerSize": True}
    field = await made(api, "style-custom-fields", name="Fit", **differs)
    entry = {"customFieldId": field, "text": "Slim", "styleColorId": NAVY}
    path = f"{style.path}/custom-field-values"
    [stored] = (await api.put(path, [entry | {"sizeRangeSizeId": SMALL}])).data
    ids = (style.style_color, style.small)
    assert (stored["styleColorId"], stored["sizeRangeSizeId"]) == ids
    item = {"styleId": {"number": "SK-1"}, "values": [entry | {"sizeRangeSizeId": SMALL}]}
    bare = {"styleId": {"number": "SK-3"}, "values": [entry | {"sizeRangeSizeId": SMALL}]}
    [same] = (await api.put(VALUES, [item])).data
    assert same["values"] == [stored]
    refused = await api.put(VALUES, [item, bare])
    assert refused.details == [(INCOMPLETE, "[1].values[0].sizeRangeSizeId")]
    sage = {"colorId": {"userDefinedId": "SAGE"}}
    wrong = [entry | {"styleColorId": sage, "sizeRangeSizeId": {"name": "L"}}]
    names = ("styleColorId", "sizeRangeSizeId")
    assert (await api.put(path, wrong)).details == [(UNKNOWN, f"[0].{name}") for name in names]


async def test_colors_and_sizes_of_lines(api: Api, style: Style) -> None:
    """Two keys of one size are found to be equal."""
    item = await made(api, "items", number="I-1", name="Zip")
    size = {"sizeRangeSizeId": SMALL, "quantity": 2}
    line = {"itemId": item, "colors": [{"styleColorId": NAVY, "isOmitted": True}], "sizes": [size]}
    path = f"{style.path}/items"
    [stored] = (await api.put(path, [line])).data
    assert stored["colors"][0]["styleColorId"] == style.style_color
    assert stored["sizes"][0]["sizeRangeSizeId"] == style.small
    [same] = (await api.put(ITEMS, [{"styleId": {"number": "SK-1"}, "lines": [line]}])).data
    assert same["lines"] == [stored]
    twice = line | {"sizes": [size, size | {"sizeRangeSizeId": style.small}]}
    answer = await api.put(path, [twice])
    assert answer.details == [("validation_error.duplicate", "[0].sizes[1].sizeRangeSizeId")]
    bare = await api.put(ITEMS, [{"styleId": {"number": "SK-3"}, "lines": [line]}])
    assert bare.details == [(INCOMPLETE, "[0].lines[0].sizes[0].sizeRangeSizeId")]
    sage = [line | {"colors": [{"styleColorId": {"colorId": {"userDefinedId": "SAGE"}}}]}]
    assert (await api.put(path, sage)).details == [(UNKNOWN, "[0].colors[0].styleColorId")]


async def test_the_color_of_a_care_set(api: Api, style: Style) -> None:
    path, sets = f"{style.path}/care-instructions", [{"styleColorId": NAVY}, {}]
    _, stored = (await api.put(path, sets)).data
    assert stored["styleColorId"] == style.style_color
    item = {"styleId": {"number": "SK-1"}, "sets": sets}
    [same] = (await api.put(CARE, [item])).data
    assert same["sets"][1] == stored
    twice = [*sets, {"styleColorId": style.style_color}]
    answer = await api.put(path, twice)
    assert answer.details == [("validation_error.duplicate", "[2].styleColorId")]
    sage = {"colorId": {"userDefinedId": "SAGE"}}
    answer = await api.put(path, [{"styleColorId": sage}])
    assert answer.details == [(UNKNOWN, "[0].styleColorId")]


async def test_colors_and_sizes_of_a_generation(api: Api, style: Style) -> None:
    item = {"styleId": {"number": "SK-1"}, "styleColorIds": [NAVY], "sizeRangeSizeIds": [SMALL]}
    [row] = (await api.post(GENERATE, [item])).data
    assert (row["styleColorId"], row["sizeRangeSizeId"]) == (style.style_color, style.small)
    twice = item | {"sizeRangeSizeIds": [style.small, SMALL]}
    answer = await api.post(GENERATE, [twice])
    assert answer.details == [("validation_error.duplicate", "[0].sizeRangeSizeIds[1]")]
    bare = item | {"styleId": {"number": "SK-3"}}
    assert (await api.post(GENERATE, [bare])).details[0] == (INCOMPLETE, "[0].sizeRangeSizeIds[0]")


def _references(schema: schemas.ResolvedSchema) -> Iterator[schemas.ResolvedSchema]:
    """Yield the references to sizes in a form, in nested lists, too."""
    for member in schema.properties.values():
        if member.schema.get(REFERS_TO) == SIZES.name:
            yield member.items if "array" in member.types else member
        elif REFERS_TO not in member.schema:
            yield from _references(member.items if "array" in member.types else member)


WITH_SIZES = [
    resource
    for resource in (*MASTER_RECORDS, *PARTS, *PART_COLLECTIONS, SKU_GENERATION)
    if resource.table != "size_range"
    and any(
        field.target.table == SIZES.table
        for field in keyed_fields(resource.name, resource.list_name)
    )
]


@pytest.mark.parametrize("resource", WITH_SIZES, ids=lambda resource: resource.name)
def test_each_reference_to_a_size_takes_both_keys(resource: WritableResource) -> None:
    """A name and a ``sizeId``, with a size range or without: those of the style's."""
    assert resource.sizes_of
    forms = schemas.load()[resource.name]["$defs"].keys() & {
        "create",
        "replace",
        "item",
        "generate",
    }
    references = [
        reference
        for form in forms
        for schema in (schemas.definition(resource.name, form),)
        for reference in _references(schema.items if "array" in schema.types else schema)
    ]
    assert references
    for reference in references:
        keys = [
            key.properties.keys() for key in map(reference._part, reference.schema["anyOf"][1:])
        ]
        assert keys == [{"sizeRangeId", "name"}, {"sizeRangeId", "sizeId"}]
        needed = [reference._part(key).schema["required"] for key in reference.schema["anyOf"][1:]]
        assert needed == [["name"], ["sizeId"]]


@pytest.mark.contract(
    "Measurement charts", "Sample requests", "Measured values", "Prices of styles"
)
@in_each("size", [{"name": "S"}, {"sizeId": "S-01"}])
async def test_sizes_of_charts_requests_measurements_and_prices(
    api: Api, style: Style, size: dict[str, str]
) -> None:
    """A style without a size range is reported; parts name the style by key, too."""
    sizes = [{"name": "S", "sizeId": "S-01"}, {"name": "M"}]
    await api.put(f"/api/size-ranges/{style.range}/sizes", sizes)
    owner, bare = {"styleId": {"number": "SK-1"}}, {"styleId": {"number": "SK-3"}}
    line = {"name": "Chest", "requested": [{"sizeRangeSizeId": size, "value": 1}]}
    [chart] = (await api.put(CHARTS, [{**owner, "unit": "cm", "lines": [line]}])).data
    assert chart["lines"][0]["requested"][0]["sizeRangeSizeId"] == style.small
    refused = await api.put(CHARTS, [{**bare, "lines": [line]}])
    assert refused.details == [(INCOMPLETE, "[0].lines[0].requested[0].sizeRangeSizeId")]
    frozen = {"lineId": {"name": "Chest"}, "sizeRangeSizeId": size, "value": 2}
    body = {"name": "Proto", "sizeRangeSizeIds": [size], "requested": [frozen]}
    made_ = await api.post(REQUESTS, {**owner, **body})
    assert [each["sizeRangeSizeId"] for each in made_.data["sizes"]] == [style.small], made_.raw
    refused = await api.post(REQUESTS, {**bare, "name": "Proto", "sizeRangeSizeIds": [size]})
    assert refused.details == [(INCOMPLETE, "sizeRangeSizeIds[0]")]
    replaced = await api.put(made_.headers["Location"], {"name": "Two", "sizeRangeSizeIds": [size]})
    assert replaced.data["sizes"] == made_.data["sizes"]
    request = {"sampleRequestId": made_.data["id"]}
    lines = [{"lineId": {"name": "Chest"}, "supplierMeasurement": 3}]
    values = {"sizeRangeSizeId": size, "lines": lines}
    [measured] = (await api.put(MEASUREMENTS, [{**request, "sizes": [values]}])).data
    assert measured["sizes"][0]["lines"][0]["supplierMeasurement"] == 3
    prices = await made(api, "price-lists", name="A", type="retail", currencyCode="EUR")
    price = {"amount": 5, "sizeRangeSizeId": size}
    stored = await api.put(f"{style.path}/prices/{prices}", {"prices": [price]})
    assert stored.data["prices"][0]["sizeRangeSizeId"] == style.small
