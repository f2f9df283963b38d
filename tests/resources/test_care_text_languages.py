"""Tests of translations of care instructions and care instruction materials.

Source: contract, Care instructions.
"""

import pytest

from tests.support.api import Api
from tests.support.care_texts import DUTCH, FRENCH, NO_LANGUAGE, SPANISH, make, of_each, texts

pytestmark = pytest.mark.contract(
    "Care instructions",
    "Care instruction materials",
    "Care instruction icons",
    "Care instruction layers",
)


@of_each
async def test_languages_replace_clear_and_stay(api: Api, name: str) -> None:
    """PUT, languages: a list replaces all translations, an empty one clears, null keeps."""
    made = await make(api, name)
    path = f"/api/{name}/{made['id']}"
    for body in ({}, {"languages": None}):
        assert (await api.put(path, body)).data == made
    languages = [{"languageId": FRENCH, "text": "Chanvre"}, {"languageId": DUTCH, "text": "Linnen"}]
    replaced = (await api.put(path, {"languages": languages})).data
    assert texts(replaced) == {FRENCH: "Chanvre", DUTCH: "Linnen"}
    assert (await api.put(path, {"languages": []})).data["languages"] == []
    assert (await api.get(path)).data["languages"] == []


@of_each
async def test_languages_keep_their_identity(api: Api, name: str) -> None:
    """Translations keep their id by languageId, whatever order they are sent in."""
    made = await make(api, name)
    languages = [
        {"languageId": DUTCH, "text": "Vezelhennep"},
        {"languageId": FRENCH, "text": "Chanvre"},
        {"languageId": SPANISH, "text": "Cáñamo"},
    ]
    replaced = (await api.put(f"/api/{name}/{made['id']}", {"languages": languages})).data
    before = {entry["languageId"]: entry["id"] for entry in made["languages"]}
    after = {entry["languageId"]: entry["id"] for entry in replaced["languages"]}
    assert list(after) == [SPANISH, FRENCH, DUTCH]
    assert after[FRENCH] not in before.values()
    assert after.items() >= before.items()


@of_each
async def test_languages_of_each_item(api: Api, name: str) -> None:
    """Bulk PUT: each item's languages are its own."""
    made = [await make(api, name, userDefinedId=f"HEM-{n}") for n in range(3)]
    sent = [[], [{"languageId": FRENCH, "text": "Chanvre"}], None]
    items = [
        {"id": record["id"], "languages": languages}
        for record, languages in zip(made, sent, strict=True)
    ]
    answer = await api.put(f"/api/{name}", items)
    assert [texts(record) for record in answer.data] == [{}, {FRENCH: "Chanvre"}, texts(made[2])]


@of_each
async def test_faulty_languages(api: Api, name: str) -> None:
    """Contract, Care instructions: each language once; both members; id is the service's."""
    made = await make(api, name)
    languages = [
        {"languageId": DUTCH, "text": "Hennep"},
        {"languageId": DUTCH, "text": "Linnen"},
        {"languageId": FRENCH, "text": ""},
        {"text": "Canapa"},
        {"languageId": SPANISH, "text": "Lino", "id": 5},
    ]
    expected = [
        ("validation_error.duplicate", "languages[1].languageId"),
        ("validation_error.too_short", "languages[2].text"),
        ("validation_error.required_field", "languages[3].languageId"),
        ("validation_error.read_only_field", "languages[4].id"),
    ]
    body = {"text": "Hemp", "languages": languages}
    path = f"/api/{name}/{made['id']}"
    for answer in (await api.put(path, body), await api.post(f"/api/{name}", body)):
        assert (answer.status, answer.details) == (400, expected)
    patch = [{"op": "add", "path": "/languages/-", "value": languages[0]}]
    assert (await api.patch(path, patch)).details == [
        ("validation_error.duplicate", "languages[2].languageId")
    ]
    assert (await api.get(path)).data == made


@of_each
async def test_unknown_languages(api: Api, name: str) -> None:
    """Unknown languageId: unknown_reference at each place, in PUT, PATCH and create."""
    made = await make(api, name)
    path = f"/api/{name}/{made['id']}"
    unknown = {"languageId": NO_LANGUAGE, "text": "?"}
    body = {"text": "Hemp", "languages": [{"languageId": FRENCH, "text": "Chanvre"}, unknown]}
    patch = [{"op": "replace", "path": "/languages", "value": body["languages"]}]
    for answer in (
        await api.put(path, body),
        await api.post(f"/api/{name}", body),
        await api.patch(path, patch),
    ):
        expected = [("validation_error.unknown_reference", "languages[1].languageId")]
        assert (answer.status, answer.details) == (400, expected)
    in_bulk = await api.put(
        f"/api/{name}",
        [{"id": made["id"], "languages": []}, {"id": NO_LANGUAGE, "languages": [unknown]}],
    )
    assert in_bulk.details == [("not_found", "[1].id")]
    assert (await api.get(path)).data == made
