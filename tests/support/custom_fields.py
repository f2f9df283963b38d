"""Helpers for custom fields: creation in one call, and short forms of expected values."""

from typing import Any

from tests.support.api import Answer, Api
from tests.support.openapi_validation import form

COMPLIANCE = "/api/compliance-custom-fields"
STYLE = "/api/style-custom-fields"


async def new(api: Api, root: str, **fields: Any) -> dict[str, Any]:
    """Create a field; return its document, validated by the schema."""
    answer = await api.post(root, {"name": "Certificate", "type": "allowedValue"} | fields)
    assert answer.status == 201, answer.raw
    form(root.removeprefix("/api/"), "document").validate(answer.data)
    data: dict[str, Any] = answer.data
    return data


async def writable(api: Api, root: str, field: dict[str, Any]) -> dict[str, Any]:
    """Return the writable form of a field, validated by the schema."""
    data: dict[str, Any] = (await api.get(f"{root}/{field['id']}?form=writable")).data
    form(root.removeprefix("/api/"), "writable").validate(data)
    return data


async def put(api: Api, root: str, field: dict[str, Any], **fields: Any) -> Answer:
    """Replace a field, which keeps its name and is active unless the fields say otherwise."""
    body = {"name": field["name"], "state": "active"} | fields
    return await api.put(f"{root}/{field['id']}", body)


def item(field: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return an item of a bulk replace."""
    return {"id": field["id"], "name": field["name"], "state": "active"} | fields


def texts(field: dict[str, Any]) -> list[str]:
    """Return the texts of a field's allowed values, in order."""
    return [value["value"] for value in field["allowedValues"]]


def ids(field: dict[str, Any]) -> dict[str, int]:
    """Return the ids of a field's allowed values, by their texts."""
    return {value["value"]: value["id"] for value in field["allowedValues"]}
