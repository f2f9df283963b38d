"""Compliance custom fields (specification, Compliance custom fields; contract, section 6)."""

from typing import Any

from tests.support.api import Api

FIELDS = "/api/compliance-custom-fields"


async def new(api: Api, **fields: Any) -> dict[str, Any]:
    """A field of its own, as the answer shows it."""
    answer = await api.post(FIELDS, {"name": "Bluesign", "type": "allowedValue"} | fields)
    assert answer.status == 201, answer.json
    data: dict[str, Any] = answer.data
    return data


async def test_smoke(api: Api) -> None:
    field = await new(api, allowedValues=[{"value": "b"}, {"value": "a", "isDefaultValue": True}])
    print(field)
    answer = await api.get(f"{FIELDS}/{field['id']}", {"form": "writable"})
    print(answer.json)
    answer = await api.put(f"{FIELDS}/{field['id']}", answer.data)
    assert answer.data == field
