"""Tests of styles that become ready for export (contract, Styles, Custom field values)."""

from collections import Counter
from typing import Any

import pytest

from tests.support.api import Answer, Api, replacing
from tests.support.openapi_validation import is_failure
from tests.support.transactions import entry, send, shown
from tests.support.valued_styles import Valued, valued_style

pytestmark = pytest.mark.contract("Styles", "Custom field values", "Transactions over collections")

STYLES, READY, INCOMPLETE = "/api/styles", "isReadyForExport", "conflict.incomplete"
NUMBER = {"number": "T-1"}


@pytest.fixture
async def valued(api: Api) -> Valued:
    """A style with two colors and sizes that lacks a text, and one per color and size."""
    of = await valued_style(api)
    for name in ("T", "TS"):
        path = f"/api/style-custom-fields/{of.fields[name]['id']}"
        assert (await api.patch(path, replacing("/isMandatory", True))).status == 200
    return of


def text(of: Valued, name: str = "T", **more: Any) -> dict[str, Any]:
    return {"customFieldId": of.fields[name]["id"], "text": "x", **more}


def pairs(of: Valued) -> list[dict[str, Any]]:
    return [
        text(of, "TS", styleColorId=color, sizeRangeSizeId=size)
        for color in of.colors[:2]
        for size in of.sizes[:2]
    ]


def messages(answer: Answer, field: str = READY) -> list[str]:
    is_failure(answer, 409, INCOMPLETE)
    assert {*answer.details} == {(INCOMPLETE, field)}
    return [row["value"] for row in answer.json["error"]["details"]]


async def is_ready(of: Valued) -> bool:
    return bool((await of.api.get(f"{STYLES}/{of.style}")).data[READY])


async def test_every_write_of_one_style_is_judged(valued: Valued) -> None:
    api, path = valued.api, f"{STYLES}/{valued.style}"
    form = (await api.get(path, {"form": "writable"})).data | {READY: True}
    field, per_pair = valued.fields["T"]["id"], valued.fields["TS"]["id"]
    lacks = f"Mandatory custom field {per_pair} has no value for style color"
    lacking = [f"Mandatory custom field {field} has no value: T."] + [
        f"{lacks} {color} in size {size}: TS."
        for color in valued.colors[:2]
        for size in valued.sizes[:2]
    ]
    for answer in (
        await api.put(path, form),
        await api.put(f"{STYLES}/number=T-1", form),
        await api.patch(path, replacing(f"/{READY}", True)),
    ):
        assert messages(answer) == lacking
    items = [{"id": valued.style, READY: True}]
    assert messages(await api.patch(STYLES, items), f"[0].{READY}") == lacking
    by_key = [NUMBER | {"name": "Vest", READY: True}]
    for write in (api.put, api.patch):
        by_key[0] |= {"state": "active", "sizeRangeId": form["sizeRangeId"]}
        answer = await write(STYLES, by_key, params={"match": "number"})
        assert messages(answer, f"[0].{READY}") == lacking
    assert not await is_ready(valued)
    await valued.put({"field": "T", "text": "x"})
    assert len(messages(await api.put(path, form))) == 4
    assert (await api.put(valued.path, [text(valued), *pairs(valued)])).status == 200
    assert (await api.patch(path, replacing(f"/{READY}", True))).data[READY]


async def test_creates_are_judged_and_failing_items_skipped(valued: Valued) -> None:
    """A new style has no colors, of each of which a field could differ."""
    body = {"number": "T-9", "name": "New", READY: True}
    assert len(messages(await valued.api.post(STYLES, body))) == 1
    items = [body, body | {"number": "T-8", READY: False}, {"id": valued.style, READY: True}]
    answer = await valued.api.post(STYLES, items[:2], params={"onError": "skip"})
    assert [row["outcome"] for row in answer.data] == ["failed", "created"]
    assert [row["type"] for row in answer.data[0]["details"]] == [INCOMPLETE]
    item = {"id": valued.style, "name": "Vest", READY: True}
    answer = await valued.api.patch(STYLES, [item], params={"onError": "skip"})
    assert Counter(row["type"] for row in answer.data[0]["details"]) == {INCOMPLETE: 5}


async def test_later_changes_do_not_clear_it(valued: Valued) -> None:
    """Only false to true is judged: not what is kept, repeated, or restored."""
    api, path = valued.api, f"{STYLES}/{valued.style}"
    await api.put(valued.path, [text(valued), *pairs(valued)])
    assert (await api.patch(path, replacing(f"/{READY}", True))).status == 200
    assert (await api.put(valued.path, [])).status == 200
    form = (await api.get(path, {"form": "writable"})).data
    assert (await api.put(path, form | {"name": "Renamed"})).status == 200
    form.pop(READY)
    assert (await api.put(path, form)).data[READY]
    assert (await api.delete(path)).status == 200
    assert (await api.patch(path, replacing("/state", "active"))).data[READY]
    assert (await api.patch(path, replacing(f"/{READY}", False))).status == 200
    assert len(messages(await api.patch(path, replacing(f"/{READY}", True)))) == 5


async def test_fields_for_others_and_colors_that_are_not_active_count_not(valued: Valued) -> None:
    api, path = valued.api, f"{STYLES}/{valued.style}"
    brands = [await valued.made("brands", name=name) for name in "AB"]
    own = [{"id": brands[0]}]
    await valued.field("R", "text", isMandatory=True, associatedBrands=own)
    await valued.field("I", "text", isMandatory=True, state="inactive")
    await valued.field("E", "allowedValue", isMandatory=True)
    await api.patch("/api/style-colors", [{"id": valued.colors[0], "state": "inactive"}])
    await api.put(valued.path, [text(valued), *pairs(valued)[2:]])
    answers = [
        await api.patch(
            path,
            replacing("/brandId", brand) + replacing(f"/{READY}", True),
            params={"dryRun": "true"},
        )
        for brand in (brands[1], None, brands[0])
    ]
    assert [answer.status for answer in answers] == [200, 200, 409]
    assert [each[-3:] for each in messages(answers[2])] == [" R."]


async def test_a_transaction_is_judged_as_a_whole(valued: Valued) -> None:
    """In any order, and with what it makes of fields, colors and sizes, too."""
    api = valued.api
    ready = entry("styles", "merge", **NUMBER, isReadyForExport=True)
    values = entry("custom-field-values", styleId=NUMBER, values=[text(valued), *pairs(valued)])
    few = entry("custom-field-values", styleId=NUMBER, values=[text(valued), *pairs(valued)[1:]])
    answer = await send(api, [ready, few])
    assert len(messages(answer, f"[0].item.{READY}")) == 1
    field = entry("style-custom-fields", "delete", userDefinedId="TS")
    alone = entry("custom-field-values", styleId=NUMBER, values=[text(valued)])
    assert shown(await send(api, [ready, field, alone], params={"dryRun": "true"}))[0] == "updated"
    color = entry("style-colors", "merge", id=valued.colors[0], state="inactive")
    assert shown(await send(api, [ready, few, color], params={"dryRun": "true"}))[0] == "updated"
    for entries in ([ready, values], [values, ready]):
        assert shown(await send(api, entries, params={"dryRun": "true"})) == ["updated"] * 2
    new = entry("styles", number="T-9", name="New", isReadyForExport=True)
    of_new = entry("custom-field-values", styleId={"number": "T-9"}, values=[text(valued)])
    outcomes = shown(await send(api, [of_new, new, ready, values]))
    assert outcomes == ["updated", "created", "updated", "updated"]
    assert await is_ready(valued)


async def test_a_transaction_leaves_out_what_fails_late(valued: Valued) -> None:
    """And what depends on it; the state without what fails is judged."""
    api = valued.api
    ready = entry("styles", "merge", **NUMBER, isReadyForExport=True)
    wrong = entry("custom-field-values", styleId=NUMBER, values=[text(valued, text="longer")])
    new = entry("styles", number="T-9", name="New", isReadyForExport=True)
    color = entry("style-colors", styleId={"number": "T-9"}, colorId={"userDefinedId": "T-C"})
    own = entry("colors", userDefinedId="T-C", name="Teal")
    answer = await send(api, [ready, wrong, color, new, own])
    assert answer.details == [("validation_error.too_long", "[1].item.values[0].text")]
    answer = await send(api, [ready, wrong, color, new, own], params={"onError": "skip"})
    assert shown(answer) == ["failed", "failed", "failed", "failed", "created"]
    types = [{row["type"] for row in outcome["details"]} for outcome in answer.data]
    assert types[0] == types[3] == {INCOMPLETE}
    assert types[2] == {"validation_error.unknown_reference"}
    assert not await is_ready(valued)
    assert (await api.get(STYLES, {"number": "T-9"})).data == []
