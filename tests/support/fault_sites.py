"""Sites of a body at which faults can be injected, with the schema of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from service import schemas
from service.records.parts import RecordPart
from service.records.writable_resource import WritableResource
from service.schemas.definitions import ResolvedSchema, Schema
from service.writing.part_collections import PartCollection
from tests.support.generate import OF_FORMAT, gtin

Path: TypeAlias = tuple[str | int, ...]


class _Missing:
    """Value of a member that a body does not have."""

    def __bool__(self) -> bool:
        return False


MISSING: Final = _Missing()
_ITEMS: Final = {"bulkCreate": "create", "bulkReplace": "item", "bulkMerge": "mergeItem"}


@dataclass(frozen=True, slots=True)
class Site:
    """Site in a body; its value is MISSING if an object lacks the member."""

    path: Path
    located: ResolvedSchema
    value: Any
    required: bool

    @property
    def schema(self) -> Schema:
        """Return the schema of the value."""
        return self.located.schema

    @property
    def types(self) -> frozenset[str]:
        """Return the JSON types that the schema allows; none if it names none or is read-only."""
        return frozenset() if self.read_only else self.located.types

    @property
    def read_only(self) -> bool:
        """Return whether the service sets the value."""
        return bool(self.schema.get("readOnly"))

    @property
    def name(self) -> str | int:
        """Return the last part of the path; empty for the body itself."""
        return self.path[-1] if self.path else ""


def sites(
    located: ResolvedSchema, value: Any, path: Path = (), *, required: bool = False
) -> Iterator[Site]:
    """Yield the site itself and all inside it, in the order of the schema."""
    yield Site(path, located, value, required)
    if isinstance(value, dict):
        needed = located.schema.get("required", ())
        for name, prop in located.properties.items():
            if prop.schema:
                member = value.get(name, MISSING)
                yield from sites(prop, member, (*path, name), required=name in needed)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from sites(located.items, member, (*path, index), required=True)


@cache
def form(resource: WritableResource, name: str) -> ResolvedSchema:
    """Return a write form of the resource, merged with the properties that it narrows.

    The form and the properties of ``fields`` hold at once.
    """
    located = schemas.definition(resource.name, name)
    if isinstance(resource, RecordPart | PartCollection):
        return located
    schema = dict(located.schema)
    if "array" in located.types:
        item = _ITEMS[name]
        return ResolvedSchema(schema | {"items": form(resource, item).schema}, resource.name)
    # Items that delete need less than others.
    schema["required"] = [
        *schema.get("required", ()),
        *schema.get("else", {}).get("required", ()),
    ]
    fields = schemas.load()[resource.name]["$defs"]["fields"]["properties"]
    schema["properties"] = {
        prop: _narrowed(fields.get(prop), own) for prop, own in schema["properties"].items()
    }
    return ResolvedSchema(schema, resource.name)


def _narrowed(general: Any, own: Any) -> Any:
    if isinstance(general, dict) and isinstance(own, dict) and "$ref" not in general:
        return general | own
    return own


def filler(located: ResolvedSchema, number: int) -> Any:
    """Return the smallest value that the schema accepts, a different one for each number."""
    schema, types = located.schema, located.types
    if "enum" in schema:
        choices = [choice for choice in schema["enum"] if choice is not None]
        return choices[(number - 1) % len(choices)]
    if "object" in types:
        needed = schema.get("required", ["id"] if "else" in schema else [])
        return {
            # A style is not related to itself.
            name: filler(prop, number + (name == "relatedStyleId"))
            if name != "barcode"
            else gtin(number)
            for name, prop in located.properties.items()
            # A step is in a country if nothing else says where.
            if name in needed or (name == "countryCode" and "process" in needed)
        }
    if schema.get("format") == "https-url":
        return f"https://example.com/{number}"
    if schema.get("format") == "company-prefix":
        return f"9{number % 10**9:09}"
    if values := OF_FORMAT.get(schema.get("format", "")):
        return values[number % len(values)]
    if "array" in types:
        return []
    return f"{number}" if "string" in types else number
