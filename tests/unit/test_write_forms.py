"""Tests of the derived write forms: of records, of their list entries, and of part collections."""

from typing import Any

from service.schemas.write_forms import with_write_forms

_SCALARS = "common/scalars.json#/$defs/"


def scalar(name: str) -> dict[str, str]:
    return {"$ref": _SCALARS + name}


def trims(**more: Any) -> dict[str, Any]:
    """Definitions of a record with a reference, a list and a count, derived."""
    entry = {"required": ["text"], "properties": {"text": scalar("name"), "size": scalar("flag")}}
    shown = {"id": scalar("id"), "text": {"type": "string"}, "rank": {"type": "integer"}}
    file: dict[str, Any] = {
        "x-bulk-items": 20,
        "$defs": {
            "document": {
                "required": ["id", "name", "state", "notes"],
                "properties": {
                    "id": scalar("id"),
                    "name": {"type": "string"},
                    "brandId": scalar("id"),
                    "state": scalar("state"),
                    "uses": scalar("count"),
                    "notes": {"type": "array", "items": {"$ref": "#/$defs/note"}},
                },
            },
            "note": {"required": ["id", "text"], "properties": shown},
            "noteFields": entry,
            "fields": {
                "properties": {
                    "name": scalar("name"),
                    "brandId": scalar("idOrNull") | {"x-refers-to": "brands"},
                    "notes": {"type": ["array", "null"], "items": {"$ref": "#/$defs/noteFields"}},
                }
            },
            "create": {"required": ["name"]},
        },
    }
    forms: dict[str, Any] = with_write_forms({"trims": file | more})["trims"]["$defs"]
    return forms


def test_forms_of_a_record_follow_from_its_document_and_fields() -> None:
    forms = trims()
    closed = {"type": "object", "additionalProperties": False}
    assert forms["fields"]["properties"].keys() == forms["document"]["properties"].keys()
    assert forms["fields"]["properties"]["uses"] == scalar("readOnly")
    assert forms["fields"]["properties"]["id"] is True
    of_fields = {"$ref": "#/$defs/fields"}
    assert forms["create"] == of_fields | {
        "required": ["name"],
        "properties": {"id": scalar("readOnly"), "state": scalar("liveStateOrNull")},
    }
    assert forms["item"] == of_fields | {
        "required": ["id", "name", "state"],
        "properties": {"id": scalar("id"), "state": scalar("state")},
    }
    assert forms["writable"] == closed | {
        "required": ["name", "brandId", "state", "notes"],
        "properties": {
            "name": {"type": "string"},
            "brandId": scalar("idOrNull"),
            "state": scalar("state"),
            "notes": {"type": "array", "items": {"$ref": "#/$defs/noteWritable"}},
        },
    }
    assert forms["noteFields"]["properties"]["rank"] == scalar("readOnly")
    assert forms["noteWritable"]["properties"] == {
        "text": {"type": "string"},
        "size": {"type": "boolean"},
    }


def test_a_record_that_keeps_omitted_fields_requires_none() -> None:
    forms = trims(**{"x-keeps-omitted": True})
    assert "required" not in forms["replace"]
    assert forms["item"]["required"] == ["id"]
    assert forms["item"]["properties"]["state"] == scalar("stateOrNull")
