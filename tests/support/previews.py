"""Differences between writable forms, as previews tell them."""

from random import Random
from typing import Any, Final

from service.records.master_record import MasterRecord
from tests.support import generate

_ENTRIES: Final = {
    **dict.fromkeys(("allowedValues", "contacts", "sizes", "steps"), "id"),
    "lines": "lineId",
}
"""Member with the id that the service gives to each entry of a list."""


def difference(before: Any, after: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fields that differ, without the ids of entries that were not there before."""
    before = before or {}
    shown = {name: _shown(name, before.get(name), value) for name, value in after.items()}
    return [
        {"field": name, "before": before.get(name), "after": value}
        for name, value in shown.items()
        if before.get(name) != value
    ]


def _shown(name: str, before: Any, value: Any) -> Any:
    if not isinstance(value, list):
        return value
    member = _ENTRIES.get(name)
    if member is None or not value or member not in value[0]:
        return value
    ids = {entry[member] for entry in before or ()}
    return [entry if entry[member] in ids else entry | {member: None} for entry in value]


def set_fields(
    resource: MasterRecord, stored: dict[str, Any], references: generate.References
) -> dict[str, Any]:
    """Return a replacement of a record with other fields and lists, under the same own key."""
    body = generate.body(resource, "replace", references, Random(f"set {resource.name}"))
    fixed = {name: stored[name] for name in resource.key_fields}
    body = generate.with_state(resource, body | fixed, "inactive")
    return body | generate.altered(resource, stored, references)
