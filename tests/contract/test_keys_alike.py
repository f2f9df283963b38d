"""Tests of own keys that look the same, and of what cannot be seen (contract, Own keys)."""

import json
import sys
from random import Random
from typing import Any
from unicodedata import category, normalize
from urllib.parse import quote

import asyncpg
import orjson
import pytest

from service.records.master_record import MasterRecord
from service.schemas import visible_text
from tests.support import generate
from tests.support.api import Answer, Api, replacing
from tests.support.inserted_rows import execute
from tests.support.parametrize import of_each_with_own_key
from tests.support.transactions import entry, send, shown

pytestmark = pytest.mark.contract("Own keys")

INVALID, TAKEN = "validation_error.invalid_value", "conflict.duplicate"
BLANK = ("\u200b", " \u2060\ufeff", "\u3164", "\u2800\u00a0", "\n\u00ad", "\u200d", "\U000e0041")
ENDS = ("\u200bA", "A\u200b", "A ", "\u00a0A", "A\u200d", "A\ufe0f", "\u00adA", "A\u2800")
WITHIN = "\u200b\t\u00a0\u2800\ufe0f\ufeff\u202e\u3164\x01"
WRONG = (*ENDS, *(f"A{character}B" for character in WITHIN))
FINE = ("A B", "\u2764\ufe0f-1", "\u0915\u094d\u200d\u0937", "\u0645\u06cc\u200c\u0634")
RIGHT = (*FINE, "1\ufe0f\u20e3-", "\u6771\u3000\u4eac")
COMPOSED, DECOMPOSED = "\u00c5-1", "A\u030a-1"


async def made(resource: MasterRecord, api: Api, key: str) -> dict[str, Any]:
    """Return the body of a new record with the own key, each time with another pair."""
    references = await generate.references(api)
    body = generate.body(resource, "create", references, Random(5))
    if body.keys() & generate.PAIRS and resource.name != "style-files":
        body |= generate.pair(resource.name, references)
    return generate.with_state(resource, body, "active") | {str(resource.own_key): key}


@pytest.mark.contract("Bad input")
async def test_what_cannot_be_seen_is_blank(shared_api: Api) -> None:
    for name in BLANK:
        bodies = {"name": name}, orjson.dumps({"name": name}), json.dumps({"name": name}).encode()
        for body in bodies:
            answer = await shared_api.post("/api/colors", body)
            assert answer.details == [(INVALID, "name")], ascii(name)
    for name in ("\u200bPetrol", "\u0915\u094d\u200d\u0937", "\u2764\ufe0f"):
        assert (await shared_api.post("/api/colors", {"name": name})).data["name"] == name


def test_the_definition_is_that_of_unicode() -> None:
    """White space, controls and format characters, by the data of this Python."""
    for number in range(sys.maxunicode + 1):
        text = chr(number)
        if text.isspace() or category(text) in ("Cc", "Cf"):
            assert visible_text.is_blank(text), hex(number)
        elif category(text)[0] in "LNPS" and text not in "\u2800\u3164\uffa0\u115f\u1160":
            assert not visible_text.is_blank(text), hex(number)


async def test_the_database_has_the_same_definition(shared_dsn: str) -> None:
    numbers = [n for n in range(1, sys.maxunicode + 1) if not 0xD800 <= n < 0xE000]
    connection = await asyncpg.connect(shared_dsn)
    text = f"select n from unnest($1::integer[]) as n where chr(n) !~ {visible_text.VISIBLE_SQL}"
    rows = await connection.fetch(text, numbers)
    await connection.close()
    assert {row["n"] for row in rows} == {n for n in numbers if visible_text.is_blank(chr(n))}


def takes(resource: MasterRecord, key: str) -> bool:
    """Return whether the schema takes the key: barcodes are of ASCII."""
    return resource.name != "barcodes" or key.isascii()


@of_each_with_own_key
@pytest.mark.demo_data
async def test_new_keys_have_only_what_can_be_seen(
    resource: MasterRecord, api: Api, demo_dsn: str
) -> None:
    root, key, wrong = f"/api/{resource.name}", str(resource.own_key), list[Any]()
    created = await api.post(root, await made(resource, api, "KEY-1"))
    path = f"{root}/{created.data['id']}"
    named, by_key = generate.key_of(resource, created.data), {"match": key}
    for text in WRONG:
        body = await made(resource, api, text)
        answers = [
            (key, await api.post(root, body, params={"dryRun": "true"})),
            (f"[0].{key}", await api.post(root, [body], params={"dryRun": "true"})),
            (key, await api.patch(path, replacing(f"/{key}", text))),
            ("[0].newKey", await api.patch(root, [named | {"newKey": text}], params=by_key)),
        ]
        wrong += [
            (ascii(text), field, answer.raw)
            for field, answer in answers
            if answer.details != [(INVALID, field)]
        ]
    for text in RIGHT:
        answer = await api.post(root, await made(resource, api, text), params={"dryRun": "true"})
        wrong += [(ascii(text), answer.raw)] if answer.status != 200 else []
    assert not wrong
    await execute(
        demo_dsn,
        f"update {resource.table} set {resource.key_columns[0]} = $2 where id = $1",
        int(created.data["id"]),
        "A\u200b ",
    )
    form = (await api.get(path, {"form": "writable"})).data
    assert form[key] == "A\u200b "
    assert (await api.put(path, form)).status == 200
    deletion = [generate.key_of(resource, form) | {"state": "deleted"}]
    if generate.has_state(resource):
        deleted = await api.put(root, deletion, params=by_key)
        assert deleted.data[0]["outcome"] == "deleted", deleted.raw


@of_each_with_own_key
@pytest.mark.demo_data
@pytest.mark.contract("Paths by own key", "Filters")
async def test_paths_and_filters_find_every_normal_form(resource: MasterRecord, api: Api) -> None:
    if not takes(resource, COMPOSED):
        return
    root, key = f"/api/{resource.name}", str(resource.own_key)
    record = (await api.post(root, await made(resource, api, COMPOSED))).data
    for operator in ("eq", "in", "contains", "startsWith", "ne", "notIn"):
        sent = {"filter[0].property": key, "filter[0].operator": operator, "id": record["id"]}
        answer = await api.get(root, sent | {"filter[0].value": DECOMPOSED})
        is_found = operator not in ("ne", "notIn")
        assert [each["id"] for each in answer.data] == [record["id"]] * is_found, operator
    if resource.own_key_within:
        return
    path = f"{root}/{key}={quote(DECOMPOSED)}"
    assert (await api.get(path)).data["id"] == record["id"]
    form = (await api.get(path, {"form": "writable"})).data
    assert form[key] == COMPOSED
    for sent in (form, form | {key: DECOMPOSED}, {n: v for n, v in form.items() if n != key}):
        assert (await api.put(path, sent)).data["id"] == record["id"]
    again = await api.post(root, await made(resource, api, COMPOSED))
    if again.status == 201:
        again = await api.get(path)
    assert again.details in ([(TAKEN, key)], [("conflict.ambiguous_key", "id")]), again.raw


@of_each_with_own_key
@pytest.mark.demo_data
@pytest.mark.contract("Unique keys", "References")
async def test_normal_forms_are_one_key_where_keys_are_unique(
    resource: MasterRecord, api: Api, demo_dsn: str
) -> None:
    if not takes(resource, COMPOSED):
        return
    await execute(demo_dsn, "update organization set unique_keys = true where id = 1")
    root, key = f"/api/{resource.name}", str(resource.own_key)
    record = (await api.post(root, await made(resource, api, COMPOSED))).data
    scope = {name: record[name] for name in resource.key_fields[1:]}

    async def other(text: str) -> dict[str, Any]:
        return await made(resource, api, text) | scope

    def refused(answer: Answer, kind: str, field: str) -> bool:
        return answer.details == [(kind, field)]

    assert refused(await api.post(root, await other(DECOMPOSED)), TAKEN, key)
    both = [await other(text) for text in ("\u00e9", "e\u0301")]
    twice = "validation_error.duplicate"
    assert refused(await api.post(root, both), twice, f"[1].{key}")
    assert refused(await api.put(root, both, params={"match": key}), twice, f"[1].{key}")
    form = (await api.get(f"{root}/{record['id']}", {"form": "writable"})).data
    answer = await api.put(root, [form | {key: DECOMPOSED}], params={"match": key})
    assert [each["id"] for each in answer.data] == [record["id"]], answer.raw
    after = (await api.get(f"{root}/{record['id']}", {"form": "writable"})).data
    assert normalize("NFC", after[key]) == COMPOSED


@pytest.mark.contract("References", "Filters by reference")
@pytest.mark.parametrize("is_unique", [True, False])
async def test_references_by_another_normal_form(
    api: Api, shared_dsn: str, is_unique: bool
) -> None:
    """They mean the record where keys are unique; filters find it in any case."""
    setting = f"update organization set unique_keys = {is_unique} where id = $1"
    await execute(shared_dsn, setting, api.organization_id)
    brand = (await api.post("/api/brands", {"customId": COMPOSED, "name": "Alpine"})).data
    style = {"number": "S-1", "name": "Vest", "brandId": {"customId": DECOMPOSED}}
    created = await api.post("/api/styles", style)
    if is_unique:
        assert created.data["brandId"] == brand["id"]
    else:
        assert created.details == [("validation_error.unknown_reference", "brandId")]
        await api.post("/api/styles", style | {"brandId": brand["id"]})
    filtered = await api.get("/api/styles", {"brand.customId": DECOMPOSED})
    assert [each["number"] for each in filtered.data] == ["S-1"]
    await api.delete("/api/styles", {"match": "number", "keys": "S-1"})
    gone = await api.delete("/api/brands", {"match": "customId", "keys": DECOMPOSED})
    assert gone.data[0]["outcome"] == ("deleted" if is_unique else "absent")


@pytest.mark.contract("Transactions over collections")
async def test_a_transaction_takes_normal_forms_for_one_key(api: Api, shared_dsn: str) -> None:
    setting = "update organization set unique_keys = true where id = $1"
    await execute(shared_dsn, setting, api.organization_id)
    style: dict[str, Any] = {"number": "S-1", "name": "Vest"}
    style["brandId"] = {"customId": DECOMPOSED}
    brand: dict[str, Any] = {"customId": COMPOSED, "name": "Alpine"}
    answer = await send(api, [entry("styles", **style), entry("brands", **brand)])
    assert shown(answer) == ["created", "created"], answer.raw


@pytest.mark.contract("Unique keys")
@pytest.mark.parametrize("key", ["\u00ea\u0323-1", "\u212b-1"], ids=ascii)
async def test_a_stored_key_in_neither_normal_form_is_found_as_it_is(
    api: Api, shared_dsn: str, key: str
) -> None:
    """As keyboards write Vietnamese: no record is created beside it."""
    setting = "update organization set unique_keys = true where id = $1"
    await execute(shared_dsn, setting, api.organization_id)
    color = {"userDefinedId": key, "name": "Jade", "state": "active"}
    created = (await api.post("/api/colors", color)).data
    answer = await api.put("/api/colors", [color], params={"match": "userDefinedId"})
    assert [each["id"] for each in answer.data] == [created["id"]], answer.raw
    read = await api.get(f"/api/colors/userDefinedId={quote(key)}")
    assert read.data["id"] == created["id"]
