"""Tests of the values of styles in custom fields (contract, Custom field values)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.changes import Follower
from tests.support.offenders import in_each
from tests.support.valued_styles import Valued, valued_style

pytestmark = pytest.mark.contract("Custom field values")

UNKNOWN, INVALID = "validation_error.unknown_reference", "validation_error.invalid_value"
TOO_MANY = "validation_error.too_many_items"
REQUIRED, IN_USE = "validation_error.required_field", "conflict.in_use"
_EMPTY = dict.fromkeys(("styleColorId", "sizeRangeSizeId", "text", "number", "allowedValueId"))


@pytest.fixture
async def valued(api: Api) -> Valued:
    return await valued_style(api)


async def test_values_are_named_by_field_color_and_size(valued: Valued) -> None:
    """Key objects take the place of ids, and a writable form changes nothing."""
    navy, size = valued.colors[0], valued.sizes[1]
    entries: list[dict[str, Any]] = [
        {"field": "T", "text": "Soft"},
        {"field": "N", "number": "12.5"},
        {"field": "A", "allowedValueId": {"value": "Knit"}},
        {"field": "AC", "styleColorId": navy, "allowedValueId": valued.value("AC", "Shiny")},
        {"field": "TS", "styleColorId": navy, "sizeRangeSizeId": size, "text": "x"},
        {"field": "X", "allowedValueId": valued.value("X", "Rib")},
    ]
    stored = (await valued.put(*entries)).data
    expected = [_EMPTY | {"customFieldId": valued.fields[e["field"]]["id"]} | e for e in entries]
    expected[1]["number"], expected[2]["allowedValueId"] = 12.5, valued.value("A", "Knit")
    assert stored == [{k: v for k, v in entry.items() if k != "field"} for entry in expected]
    follower = Follower(valued.api)
    await follower.begin()
    form = (await valued.api.get(valued.path, {"form": "writable"})).data
    assert form[1]["number"] == "12.5"
    assert (await valued.api.put(valued.path, form[::-1])).data == stored
    assert await follower.entries() == []
    merge = {"styleId": valued.style, "values": {"N": {"number": 3}, "T": None}}
    [merged] = (await valued.api.patch("/api/custom-field-values", [merge])).data
    assert merged["values"] == [stored[1] | {"number": 3}, *stored[2:]]


@pytest.mark.contract("Part collections")
@in_each(
    ("entry", "error", "member"),
    [
        ({"field": "T"}, REQUIRED, "text"),
        ({"field": "T", "text": "x", "number": 1}, INVALID, "number"),
        ({"field": "T", "text": "longer"}, "validation_error.too_long", "text"),
        ({"field": "N", "number": "1.25"}, INVALID, "number"),
        ({"field": "N", "number": 0.25}, INVALID, "number"),
        ({"field": "A", "allowedValueId": 2**40}, UNKNOWN, "allowedValueId"),
        ({"field": "A", "allowedValueId": {"value": "Rib"}}, UNKNOWN, "allowedValueId"),
        ({"field": "AC", "allowedValueId": {"value": "Dull"}}, REQUIRED, "styleColorId"),
        ({"field": "T", "text": "x", "styleColorId": 0}, INVALID, "styleColorId"),
        ({"field": "TS", "text": "x", "styleColorId": 0}, REQUIRED, "sizeRangeSizeId"),
        ({"field": "TS", "text": "x", "styleColorId": 2, "size": 0}, INVALID, "styleColorId"),
        ({"field": "TS", "text": "x", "styleColorId": 0, "size": 2}, INVALID, "sizeRangeSizeId"),
        ({"field": "TS", "text": "x", "styleColorId": 0, "size": 9}, UNKNOWN, "sizeRangeSizeId"),
        ({"field": "X", "allowedValueId": {"value": "Rib"}}, INVALID, "allowedValueId"),
        ({"customFieldId": 2**40, "text": "x"}, UNKNOWN, "customFieldId"),
    ],
)
async def test_errors(valued: Valued, entry: Any, error: str, member: str) -> None:
    """Colors and sizes are named by their position, a size in ``size``."""
    sent = dict(entry)
    if "field" in sent:
        sent["customFieldId"] = valued.fields[sent.pop("field")]["id"]
    if "styleColorId" in sent:
        sent["styleColorId"] = valued.colors[sent["styleColorId"]]
    if "size" in sent:
        sent["sizeRangeSizeId"] = [*valued.sizes, *[2**40] * 6][sent.pop("size")]
    answer = await valued.api.put(valued.path, [sent])
    assert answer.details == [(error, f"[0].{member}")]
    items = [{"styleId": valued.style, "values": [sent]}]
    answer = await valued.api.put("/api/custom-field-values", items)
    assert answer.details == [(error, f"[0].values[0].{member}")]


async def test_an_entry_is_once_and_a_nested_value_follows_its_parent(valued: Valued) -> None:
    """Stored entries that stay as they are follow nothing."""
    key = {"customFieldId": {"userDefinedId": "N"}, "number": 1}
    for twice in ([key, key], [key, {"customFieldId": valued.fields["N"]["id"], "number": 2}]):
        answer = await valued.api.put(valued.path, twice)
        assert answer.details == [("validation_error.duplicate", "[1].customFieldId")]
    free = {"field": "X", "allowedValueId": {"value": "Any"}}
    nested = {"field": "X", "allowedValueId": {"value": "Twill"}}
    knit, woven = ({"field": "A", "allowedValueId": {"value": v}} for v in ("Knit", "Woven"))
    assert (await valued.put(free)).status == 200
    assert (await valued.put(nested, knit)).details == [(INVALID, "[0].allowedValueId")]
    assert (await valued.put(nested, woven)).status == 200
    assert (await valued.put(nested, knit)).status == 200


async def test_too_many_values(valued: Valued) -> None:
    """Whatever else is wrong with the request."""
    values = [{"customFieldId": number} for number in range(1, 5002)]
    assert (await valued.api.put(valued.path, values)).details == [(TOO_MANY, None)]
    items = [{"styleId": valued.style, "values": values}, {"styleId": 2**40, "values": [None]}]
    details = [(TOO_MANY, "[0].values"), ("validation_error.invalid_type", "[1].values[0]")]
    assert (await valued.api.put("/api/custom-field-values", items)).details == details


async def test_restrictions(valued: Valued) -> None:
    """One record of each kind that restricts the field is enough."""
    brands = [await valued.made("brands", name=name) for name in "AB"]
    groups = [await valued.made("groups", name=name) for name in "AB"]
    await valued.field(
        "R",
        "text",
        associatedBrands=[{"id": id_} for id_ in brands],
        associatedGroups=[{"id": groups[0]}],
    )
    entry, style = {"field": "R", "text": "x"}, f"/api/styles/{valued.style}"
    for patch in (
        [],
        replacing("/brandId", brands[1]),
        replacing("/groupIds", [groups[1]]),
        replacing("/groupIds", groups),
    ):
        if patch:
            assert (await valued.api.patch(style, patch)).status == 200
        answer = await valued.put(entry)
        if patch and patch[0]["value"] == groups:
            assert answer.status == 200
        else:
            assert answer.details == [(INVALID, "[0].customFieldId")]
    assert (await valued.api.patch(style, replacing("/brandId", None))).status == 200
    assert (await valued.put(entry)).status == 200
    assert (await valued.put(entry | {"text": "y"})).details == [(INVALID, "[0].customFieldId")]


@pytest.mark.contract("Style custom fields", "States")
async def test_values_protect_fields_choices_and_sizes(valued: Valued) -> None:
    """Those of deleted styles protect nothing, and go with their allowed value."""
    navy, size = valued.colors[0], valued.sizes[0]
    await valued.put(
        {"field": "A", "allowedValueId": {"value": "Knit"}},
        {"field": "TS", "styleColorId": navy, "sizeRangeSizeId": size, "text": "x"},
    )
    api, fields, style = valued.api, "/api/style-custom-fields", f"/api/styles/{valued.style}"
    a, ts = (f"{fields}/{valued.fields[name]['id']}" for name in ("A", "TS"))
    child = f"{fields}/{valued.fields['X']['id']}"
    assert (await api.delete(child)).status == 200
    refused = await api.delete(a)
    assert refused.details == [(IN_USE, "id")]
    assert (
        refused.json["error"]["details"][0]["value"] == f'Used by styles: 1 ({valued.style} "T-1").'
    )
    refused = await api.patch(a, replacing("/allowedValues", [{"value": "Woven"}]))
    assert refused.details == [(IN_USE, "allowedValues")]
    message = f'Used by styles: Knit (1) of {valued.style} "T-1".'
    assert refused.json["error"]["details"][0]["value"] == message
    for name in ("diffPerColor", "diffPerSize"):
        assert (await api.patch(ts, replacing(f"/{name}", False))).details == [(IN_USE, name)]
        assert (await api.patch(a, replacing(f"/{name}", True))).details == [(IN_USE, name)]
    own = (await api.get(style)).data["sizeRangeId"]
    left = (await api.put(f"/api/size-ranges/{own}/sizes", [{"name": "M"}])).data
    assert {each["name"]: each["isDeactivated"] for each in left} == {"S": True, "M": False}
    assert (await api.patch(style, replacing("/sizeRangeId", None))).status == 200
    assert (await api.delete(f"/api/size-ranges/{own}")).details == [(IN_USE, "id")]
    assert (await api.delete(style)).status == 200
    assert (await api.patch(a, replacing("/allowedValues", []))).status == 200
    assert [entry["text"] for entry in (await api.get(valued.path)).data] == ["x"]
    assert (await api.delete(ts)).status == 200
    restore = replacing("/state", "active")
    assert (await api.patch(style, restore)).details == [(UNKNOWN, "state")]
    assert (await api.patch(ts, restore)).status == 200
    assert (await api.patch(style, restore)).status == 200


@pytest.mark.contract("Changes")
async def test_a_deleted_style_color_hides_its_values(valued: Valued) -> None:
    """Writes leave them, and the feed has what a delete and a restore do to the part."""
    navy = f"/api/style-colors/{valued.colors[0]}"
    dull = {"field": "AC", "styleColorId": valued.colors[0], "allowedValueId": {"value": "Dull"}}
    stored = (await valued.put(dull)).data
    follower = Follower(valued.api, collection="custom-field-values")
    await follower.begin()
    for patch, operation, shown in (
        (None, "deleted", []),
        (replacing("/state", "active"), "created", stored),
    ):
        assert (
            await (valued.api.patch(navy, patch) if patch else valued.api.delete(navy))
        ).status == 200
        assert (await valued.api.get(valued.path)).data == shown
        assert [entry["operation"] for entry in await follower.entries()] == [operation]
    await valued.api.delete(navy)
    own = f"/api/style-custom-fields/{valued.fields['AC']['id']}"
    assert (await valued.api.delete(own)).status == 200
    assert (await valued.api.patch(own, replacing("/state", "active"))).status == 200
    assert (await valued.put(dull)).details == [(UNKNOWN, "[0].styleColorId")]
    assert (await valued.put({"field": "T", "text": "x"})).status == 200
    await valued.api.patch(navy, replacing("/state", "active"))
    assert [e["text"] for e in (await valued.api.get(valued.path)).data] == ["x", None]
    style = f"/api/styles/{valued.style}"
    shown = (await valued.api.get(valued.path)).data
    await valued.api.delete(style)
    assert (await valued.api.get(valued.path)).data == shown
    await valued.api.patch(style, replacing("/state", "active"))
    assert (await valued.api.get(valued.path)).data == shown
    operations = [entry["operation"] for entry in await follower.entries()]
    assert operations == ["deleted", "created", "updated", "deleted", "updated"]


async def test_a_number_without_decimals_has_none(valued: Valued) -> None:
    await valued.field("Z", "numeric", allowedDecimals=0)
    for number in (b"100.0", b"1e2", b"100"):
        body = b'[{"customFieldId": {"userDefinedId": "Z"}, "number": %b}]' % number
        written = await valued.api.put(valued.path, body)
        assert b'"number":100,' in written.raw
        assert (await valued.api.get(valued.path, {"form": "writable"})).data[0]["number"] == "100"


@pytest.mark.contract("Filters by reference", "Cursors")
async def test_styles_filter_by_their_values(valued: Valued) -> None:
    """A field is named by its own key, of any characters; numbers compare as such."""
    api, other = valued.api, valued.style + 1
    await valued.field("a.B[0]=Ü", "text")
    await valued.put(
        {"field": "a.B[0]=Ü", "text": "Very soft"},
        {"field": "N", "number": "12.0"},
        {"field": "A", "allowedValueId": {"value": "Knit"}},
        {"field": "AC", "styleColorId": valued.colors[0], "allowedValueId": {"value": "Dull"}},
    )
    values = [{"customFieldId": {"userDefinedId": "N"}, "number": 12}]
    await api.put(f"/api/styles/{other}/custom-field-values", values)
    field = f"/api/style-custom-fields/{valued.fields['A']['id']}"
    keyed = [{"op": "add", "path": "/allowedValues/0/userDefinedId", "value": "K"}]
    await api.patch(field, keyed)
    for name, text, expected in (
        ("customFields.a.B[0]=Ü", "Very soft", [valued.style]),
        ("CUSTOMFIELDS.a.B[0]=Ü", "very soft", []),
        ("customFields.N", "12.00", [valued.style, other]),
        ("customFields.A", "K", [valued.style]),
        ("customFields.A", "Knit", []),
        ("customFields.AC", "Dull", [valued.style]),
    ):
        answer = await api.get("/api/styles", {name: text, "state": "active"})
        assert [style["id"] for style in answer.data] == expected, name
        indexed = {"filter[0].property": name, "filter[0].operator": "in", "filter[0].value": text}
        answer = await api.get("/api/styles", indexed)
        assert [style["id"] for style in answer.data] == expected, name
    query = {"customFields.N": "12.00", "pageSize": "1"}
    first = await api.get("/api/styles", query)
    again = {"cursor": first.json["pagination"]["cursor"], "customFields.N": "12.00"}
    assert [style["id"] for style in (await api.get("/api/styles", again)).data] == [other]
    for name, text, error in (
        ("customFields.n", "1", "validation_error.unknown_parameter"),
        ("customFields.", "1", "validation_error.unknown_parameter"),
        ("customFields.\0", "1", "validation_error.unknown_parameter"),
        ("customFields.N", "much", INVALID),
    ):
        answer = await api.get("/api/styles", {name: text})
        assert answer.details == [(error, name.replace("\0", "\\0"))]
    await api.delete(f"/api/style-colors/{valued.colors[0]}")
    assert (await api.get("/api/styles", {"customFields.AC": "Dull"})).data == []
