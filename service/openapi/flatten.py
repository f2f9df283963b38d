"""Forms without conditions: a schema that narrows others, as one that stands for itself.

A condition's fields become optional ones, and what it asks of fields outside it is left out. The
service judges by the files in ``schemas/``, which are stricter there: an association is named by
one of two fields, an item that stays has a name.
"""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from service.schemas.definitions import ResolvedSchema, Schema

_CONDITION = frozenset({"if", "then", "else", "allOf"})


def flattened(located: ResolvedSchema) -> ResolvedSchema:
    """The schema with references followed and conditions taken apart."""
    found = located.resolved()
    branches = [*_branches(found)]
    if not branches:
        return found
    own = {key: value for key, value in found.schema.items() if key not in _CONDITION}
    merged: Schema = reduce(lambda rest, branch: branch.schema | rest, branches, own)
    merged["properties"] = reduce(_together, branches, own.get("properties", {}))
    needed = [*own.get("required", ()), *_always_required(found.schema)]
    kept = {key: value for key, value in merged.items() if key != "required"}
    return ResolvedSchema(kept | ({"required": needed} if needed else {}), found.home)


def is_sent(schema: Any, home: str) -> bool:
    """Whether callers send a field: neither one that is ignored nor one that the service sets."""
    return isinstance(schema, dict) and not ResolvedSchema(schema, home).resolved().schema.get(
        "readOnly"
    )


def _branches(located: ResolvedSchema) -> Iterator[ResolvedSchema]:
    """What conditions lead to, of the schema and of the parts that all have to hold."""
    for part in (located.schema, *located.schema.get("allOf", ())):
        for keyword in ("then", "else"):
            if keyword in part:
                yield ResolvedSchema(part[keyword], located.home).resolved()


def _together(own: Schema, branch: ResolvedSchema) -> Schema:
    """The fields, and those that only a condition names."""
    conditional = branch.schema.get("properties", {})
    return own | {name: conditional[name] for name in conditional if name not in own}


def _always_required(schema: Schema) -> list[str]:
    """What is required whether or not the condition holds."""
    if "if" not in schema or "else" not in schema:
        return []
    named = {*schema["if"].get("required", ()), *schema.get("then", {}).get("required", ())}
    return [name for name in schema["else"].get("required", ()) if name in named]
