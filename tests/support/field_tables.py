"""Field tables: the fields of each resource, made from its schemas for docs/fields.md."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from service import schemas
from service.openapi.components import plural
from service.resources.registry import MASTER_RECORDS
from service.schemas import ResolvedSchema
from service.schemas.vocabulary import hint

_KEPT: Final = ("x-since", "x-kept")
_OF_ALL: Final = {"id", "state", "properties"}
_READ_ONLY: Final = "Read-only: set by the service"
_SAID: Final = (
    "; null and omitted are the same.",
    "Null and omitted are the same.",
    "A replace without it keeps it.",
)
"""Ends of descriptions that the column beside them says."""
_WRITES: Final = ("replace", "create")
_WIDE: Final = 2**31 - 1
"""Bounds from which on they are those of the type."""


def tables() -> str:
    """Return a section with a table for each resource whose documents and bodies are objects."""
    sections = list[str]()
    for name, file in schemas.load().items():
        forms = file.get("$defs", {})
        if not name.startswith("common/") and {"document", "fields"} <= forms.keys():
            rows = "\n".join(_rows(name, forms))
            header = "| field | on writes | meaning |\n|---|---|---|"
            filters = _filters_by_reference(name)
            sections.append(f"## {plural(file['title'])}\n\n{header}\n{rows}{filters}")
    return "\n\n".join(sorted(sections))


def _filters_by_reference(name: str) -> str:
    """Return a paragraph with the filters of a collection's list by what it refers to."""
    related = next((each.related for each in MASTER_RECORDS if each.name == name), ())
    names = [f"`{member.name}`" for each in related for member in each.properties()]
    return f"\n\nFilters by reference: {', '.join(names)}." if names else ""


def _rows(name: str, forms: dict[str, Any]) -> Iterator[str]:
    """Yield a row for each field that is not of all resources, those of documents first."""
    shown = schemas.definition(name, "document").properties
    sent = schemas.definition(name, "fields").properties
    for field in (name for name in {**shown, **sent} if name not in _OF_ALL):
        own = sent.get(field)
        is_sent = own is not None and not own.schema.get("description", "").startswith(_READ_ONLY)
        parts = [part for part in (own if is_sent else None, shown.get(field)) if part]
        rule = _on_writes(field, parts[0], forms) if is_sent else "response only"
        yield f"| `{field}` | {rule} | {_meaning(name, field, parts, forms)} |"


def _on_writes(field: str, part: ResolvedSchema, forms: dict[str, Any]) -> str:
    """Return what writes do with a field, by its schema."""
    schema = part.schema
    creates, replaces = (
        field in forms.get(form, {}).get("required", ()) for form in ("create", "replace")
    )
    if schema.get("x-fixed"):
        return "set at creation"
    if creates or replaces:
        return "required" if creates and replaces else f"required to {_WRITES[creates]}"
    if any(schema.get(keyword) for keyword in _KEPT) or "keep the stored" in _own(field, forms):
        return "kept unless sent"
    if "array" in part.types:
        return "the complete set"
    return "false unless sent" if "boolean" in part.types else "cleared unless sent"


def _own(field: str, forms: dict[str, Any], form: str = "fields") -> str:
    """Return the description that a field has in a form, without that of what it refers to."""
    schema = forms[form].get("properties", {}).get(field)
    return str(schema.get("description", "")) if isinstance(schema, dict) else ""


def _meaning(name: str, field: str, parts: Sequence[ResolvedSchema], forms: dict[str, Any]) -> str:
    """Return what a field means, its values or their bounds, and the members of entries."""
    texts = (_own(field, forms), _own(field, forms, "document"), hint(name, field))
    text, schema = next(filter(None, texts), ""), parts[0].schema
    for said in _SAID:
        text = text.removesuffix(said) + "." * text.endswith(said) * said.startswith(";")
    if values := [f"`{value}`" for value in schema.get("enum", ()) if value is not None]:
        text += f" One of {', '.join(values)}."
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None and high < _WIDE:
        text += f" {low:,} to {high:,}."
    if longest := schema.get("maxLength") if not values else None:
        text += f" At most {longest:,} characters."
    if most := schema.get("maxItems"):
        text += f" At most {most:,}."
    for part in parts[-1:]:
        if "array" in part.types and "anyOf" not in part.items.schema and part.items.properties:
            text += f" Entries have `{'`, `'.join(part.items.properties)}`."
    return " ".join(text.split()).replace("|", "\\|")
