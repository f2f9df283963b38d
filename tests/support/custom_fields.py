"""Custom fields in the tests: made in one call, and short ways to say what is expected."""

from typing import Any

from tests.support.api import Answer, Api
from tests.support.published import form

COMPLIANCE = "/api/compliance-custom-fields"
STYLE = "/api/style-custom-fields"


async def new(api: Api, root: str, **fields: Any) -> dict[str, Any]:
    """A new field's document, which its schema allows."""
    answer = await api.post(root, {"name": "Certificate", "type": "allowedValue"} | fields)
    assert answer.status == 201, answer.raw
    form(root.removeprefix("/api/"), "document").validate(answer.data)
    data: dict[str, Any] = answer.data
    return data


async def writable(api: Api, root: str, field: dict[str, Any]) -> dict[str, Any]:
    """A field's writable form, which its schema allows."""
    data: dict[str, Any] = (await api.get(f"{root}/{field['id']}?form=writable")).data
    form(root.removeprefix("/api/"), "writable").validate(data)
    return data


async def put(api: Api, root: str, field: dict[str, Any], **fields: Any) -> Answer:
    """A replace of a field, which keeps its name and is active unless the fields say else."""
    body = {"name": field["name"], "state": "active"} | fields
    return await api.put(f"{root}/{field['id']}", body)


def item(field: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An item of a bulk replace."""
    return {"id": field["id"], "name": field["name"], "state": "active"} | fields


def texts(field: dict[str, Any]) -> list[str]:
    """The texts of a field's allowed values, in order."""
    return [value["value"] for value in field["allowedValues"]]


def ids(field: dict[str, Any]) -> dict[str, int]:
    """The ids of a field's allowed values, by their texts."""
    return {value["value"]: value["id"] for value in field["allowedValues"]}
