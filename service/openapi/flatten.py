"""Schema flattening: resolves references and removes conditions (``if``, ``then``, ``else``).

Fields of conditional branches become optional unless they are required whether or not the condition
holds; fields of a condition in ``allOf`` always do. Conditional constraints of other fields are
left out. Requests are validated against the stricter files in ``schemas/``. For example, these
require one of two keys of an association, and a name unless the item deletes the record.
"""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from service.schemas.definitions import ResolvedSchema, Schema

_CONDITION = frozenset({"if", "then", "else", "allOf"})


def flattened(unresolved: ResolvedSchema) -> ResolvedSchema:
    """Return the schema with its own reference resolved and its conditional branches merged in.

    The schemas of its fields and items stay as they are. The argument is not changed.
    """
    resolved = unresolved.resolved()
    branches = [*_branches(resolved)]
    if not branches:
        return resolved
    own = {key: value for key, value in resolved.schema.items() if key not in _CONDITION}
    merged: Schema = reduce(lambda rest, branch: branch.schema | rest, branches, own)
    merged["properties"] = reduce(_merge_properties, branches, own.get("properties", {}))
    merged.pop("required", None)
    if required := [*own.get("required", ()), *_always_required(resolved.schema)]:
        merged["required"] = required
    return ResolvedSchema(merged, resolved.home)


def is_writable(schema: Any, home: str) -> bool:
    """Return whether callers can send a field: it is neither ignored nor read-only.

    Ignored fields have the schema ``true``. ``home`` is the file from which references start.
    """
    return isinstance(schema, dict) and not ResolvedSchema(schema, home).resolved().schema.get(
        "readOnly"
    )


def _branches(resolved: ResolvedSchema) -> Iterator[ResolvedSchema]:
    """Yield the conditional branches of a schema and of its ``allOf`` parts."""
    for part in (resolved.schema, *resolved.schema.get("allOf", ())):
        for keyword in ("then", "else"):
            if keyword in part:
                yield ResolvedSchema(part[keyword], resolved.home).resolved()


def _merge_properties(own: Schema, branch: ResolvedSchema) -> Schema:
    """Return the properties with those that only a conditional branch has."""
    conditional = branch.schema.get("properties", {})
    return own | {name: conditional[name] for name in conditional if name not in own}


def _always_required(schema: Schema) -> list[str]:
    """Return the fields that are required whether or not the schema's own condition holds.

    Conditions in ``allOf`` do not count.
    """
    if "if" not in schema or "else" not in schema:
        return []
    required = {*schema["if"].get("required", ()), *schema.get("then", {}).get("required", ())}
    return [name for name in schema["else"].get("required", ()) if name in required]
