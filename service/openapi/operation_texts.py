"""Texts of operations: the common ones of ``static.json``, with the facts of a resource in them.

A schema file can have texts of its own, by operation (``x-operations``).
"""

import re
from typing import Final

from service import schemas
from service.openapi.components import STATIC, plural
from service.records.parts import RecordPart
from service.records.resource import Resource
from service.schemas.write_forms import BULK_ITEMS, KEEPS_OMITTED
from service.writing.part_collections import PartCollection

_TEXTS: Final = "x-operations"
_WORD: Final = re.compile(r"\b[A-Z]?[a-z]+")
"""Word of a title, but no acronym."""
_CREATES: Final = "With an own key in the path it creates the record if there is none."
_IDS: Final = schemas.definition("common/scalars", "ids").schema["maxItems"]


def operation_texts(resource: Resource, operation: str) -> tuple[str, str]:
    """Return the summary and the description of an operation on a resource."""
    kind = "operations"
    if isinstance(resource, PartCollection):
        kind = "partCollectionOperations"
    elif isinstance(resource, RecordPart):
        kind = "partOperations"
    common = STATIC[kind].get(operation) or STATIC["operations"][operation]
    texts = common | schemas.load()[resource.name].get(_TEXTS, {}).get(operation, {})
    facts = _facts(resource)
    summary, description = (
        " ".join(texts.get(part, "").format(**facts).split()) for part in ("summary", "description")
    )
    return summary, description


def _facts(resource: Resource) -> dict[str, str]:
    """Return what the texts say of a resource, by the name of the slot."""
    file = schemas.load()[resource.name]
    noun = _WORD.sub(lambda word: word[0].lower(), file["title"])
    about, _, rules = file["description"].partition(". ")
    lookup = resource.key_lookups.get(resource.key)
    has_state = "state" in file["$defs"]["document"].get("properties", {})
    is_permanent = "eletes are permanent" in rules
    return {
        "one": _with_article(noun),
        "several": plural(noun),
        "about": f"{about.removesuffix('.')}.",
        "rules": rules,
        "most": f"{file.get(BULK_ITEMS, 0):,}",
        "ids": str(_IDS),
        "or_key": f", or by its own key: `{lookup.field}=…`" if lookup else "",
        "creates": _CREATES if lookup else "",
        "omitted": "keep their values" if file.get(KEEPS_OMITTED) else "get their defaults",
        "deletions": "An item with `state` `deleted` deletes its record." if has_state else "",
        "restored": "" if is_permanent else "A replace with another `state` restores it.",
        "owner": _owner(resource),
    }


def _with_article(noun: str) -> str:
    """Return the noun with its article; what is plural is the only one of its record."""
    if noun == plural(noun):
        return f"the {noun}"
    return f"{'an' if noun[0] in 'aeioA' or noun == 'SKU' else 'a'} {noun}"


def _owner(resource: Resource) -> str:
    """Return the noun for the record that a part belongs to; "" for other resources."""
    if not isinstance(resource, RecordPart):
        return ""
    return _with_article(schemas.load()[resource.owner.name]["title"].lower())
