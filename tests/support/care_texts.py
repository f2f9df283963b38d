"""Helpers for care instructions, and materials, icons and layers of care labels."""

from typing import Any

from service.resources.registry import MASTER_RECORDS
from tests.support.api import Api
from tests.support.offenders import in_each

NAMES = tuple(resource.name for resource in MASTER_RECORDS if resource.name.startswith("care-"))
of_each = in_each("name", NAMES)
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
    """Create a record; return the document of the response."""
    answer = await api.post(f"/api/{name}", WASH | fields)
    assert answer.status == 201, answer.raw
    return dict(answer.data)


def texts(record: dict[str, Any]) -> dict[int, str]:
    """Return the record's translations, by language."""
    return {entry["languageId"]: entry["text"] for entry in record["languages"]}
