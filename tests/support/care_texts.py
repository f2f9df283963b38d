"""Care instructions and care instruction materials in the tests: either, made in one call."""

from typing import Any

import pytest

from tests.support.api import Api

of_both = pytest.mark.parametrize("name", ["care-instructions", "care-instruction-materials"])
SPANISH, FRENCH, DUTCH, NO_LANGUAGE = 10, 14, 28, 987654321
WASH = {
    "userDefinedId": "HEM-40",
    "text": "Hemp",
    "languages": [
        {"languageId": DUTCH, "text": "Hennep"},
        {"languageId": SPANISH, "text": "Cáñamo"},
    ],
}


async def make(api: Api, name: str, **fields: Any) -> dict[str, Any]:
    """A new record, as its creation answered it."""
    answer = await api.post(f"/api/{name}", WASH | fields)
    assert answer.status == 201, answer.raw
    return dict(answer.data)


def texts(record: dict[str, Any]) -> dict[int, str]:
    """The record's translations, by language."""
    return {entry["languageId"]: entry["text"] for entry in record["languages"]}
