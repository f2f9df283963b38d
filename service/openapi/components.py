"""Component schemas: definitions of the schema files, in a form that client generators support.

The schemas are flatter: conditions are left out (``flatten``), and so are fields that are ignored
or read-only in their form. A form that narrows another repeats its fields. Every definition that is
referred to becomes a component; a reference beside keywords that narrow it is inlined.

Returned schemas are cached: callers copy what they change.
"""

import re
from collections.abc import Iterator
from functools import cache, reduce
from pathlib import Path
from typing import Any, Final

import orjson

from service import limits, schemas
from service.openapi.bounds import bounded, with_length, with_stored_lengths
from service.schemas.definitions import ResolvedSchema, Schema
from service.schemas.keyed_lists import file_at
from service.schemas.vocabulary import hint, labeled

_NAME: Final = re.compile(r'"\{\{(\w{1,50}+)\}\}"|\{\{(\w{1,50}+)\}\}')
"""Name of a limit in braces: a value of its own, or within a text."""


def _limit(match: re.Match[str]) -> str:
    """Return the limit that a match of ``_NAME`` names."""
    name = match[1] or match[2]
    value: int = getattr(limits, name)
    return limits.byte_size(value) if match[2] and name.endswith("_BYTES") else str(value)


STATIC: Final[dict[str, Any]] = orjson.loads(
    _NAME.sub(_limit, Path(__file__).with_name("static.json").read_text(encoding="utf-8"))
)
"""Parts of the document that no schema has: ``static.json``, with limits for their names."""

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


_HOME = "#/components/schemas/"
_REFERENCE = re.compile(rf'"{_HOME}(\w+)"')
_BESIDE_REFERENCE = frozenset({"$ref", "description", "x-since"})
"""Keywords of a reference that does not narrow its target, so that it can stay a reference."""
_INTERNAL = re.compile(r"x-(?!since)|\$")
"""Prefixes of keywords that are not published. A ``title`` is not published either."""
_INT32 = 2**31 - 1
_DESCRIBED: Final = {
    "document": "{about}",
    "writable": "{title}: the writable form.",
    "mergeItem": "{title}: the fields to change.",
}
"""Descriptions of forms that have none, by their names."""
_CODES: Final = ("countryCode", "countryCodes", "countryOfOriginCode", "currencyCode")
_SAME_EVERYWHERE: Final = frozenset({"id", "ifMatch", "properties", "state", *_CODES})
"""Fields that mean the same in all resources: their common schemas describe them."""
_OF_ABSENCE: Final = re.compile(
    r"(A replace without it|Null and omitted|The (whole|complete) set)\b"
)
"""Beginning of descriptions that do not say what a field is."""


def name_of(file: str, definition: str = "") -> str:
    """Return a component's name: ``Color`` for a document, ``ColorBulkCreate``, ``Pagination``.

    It is the title of the file and the definition; a definition in ``common/`` has no title before
    it. The component need not exist. Raise KeyError for a file that does not exist, except for
    definitions in ``common/``.
    """
    title = "" if file.startswith("common/") and definition else schemas.load()[file]["title"]
    words = title.replace("-", " ").split()
    part = "" if definition == "document" else definition[:1].upper() + definition[1:]
    return "".join(word[:1].upper() + word[1:] for word in words) + part


def plural(noun: str) -> str:
    """Return the plural of a noun by its last letters; one that ends in ``s`` is plural already."""
    if noun.endswith("y") and not noun.endswith("ey"):
        return noun.removesuffix("y") + "ies"
    return noun if noun.endswith("s") else noun + ("es" if noun.endswith("ch") else "s")


def named(name: str) -> Schema:
    """Return a reference to a component by its name; the component is not checked to exist."""
    return {"$ref": _HOME + name}


def reference(file: str, definition: str = "") -> Schema:
    """Return a reference to the component of a definition or file."""
    ref = f"{file}.json" + (f"#/$defs/{definition}" if definition else "")
    return _used(ResolvedSchema({"$ref": ref}, ""))


def definition(file: str, name: str) -> Schema:
    """Return the component schema of a definition; raise KeyError if it is no component."""
    return _definitions()[name_of(file, name)]


def component(ref: Schema) -> Schema:
    """Return the component schema that a reference names."""
    return _definitions()[ref["$ref"].removeprefix(_HOME)]


def components(parts: Any, composed: dict[str, Schema]) -> dict[str, Schema]:
    """Return the schemas that parts of the document refer to, directly or indirectly, by name.

    Schemas are definitions of the schema files, or ``composed`` ones, which win. Those that nothing
    refers to are left out. The names are sorted. Raise KeyError for an unknown name.
    """
    candidates, used = _definitions() | composed, dict[str, Schema]()
    pending = _names(parts)
    while pending:
        name = pending.pop()
        used[name] = candidates[name]
        pending |= _names(used[name]) - used.keys()
    return {name: used[name] for name in sorted(used)}


def _names(part: Any) -> set[str]:
    return set(_REFERENCE.findall(orjson.dumps(part).decode()))


@cache
def _definitions() -> dict[str, Schema]:
    """Return the component schema of every definition, by name."""
    return {
        name_of(file, name): bounded(file, "", _published(unresolved))
        for file, name, unresolved in _all_definitions()
    }


def _all_definitions() -> Iterator[tuple[str, str, ResolvedSchema]]:
    for file, schema in schemas.load().items():
        if "type" in schema:
            yield file, "", ResolvedSchema(schema, file)
        for name in schema["$defs"]:
            yield file, name, ResolvedSchema(_shown_definition(file, schema, name), file)


def _shown_definition(file: str, schema: Schema, name: str) -> Schema:
    """Return a definition of a schema file as the document shows it."""
    definitions = schema["$defs"]
    definition: Schema = definitions[name]
    if name in ("document", "writable") and "fields" in definitions:
        fields = schemas.definition(file, "fields").properties
        definition = with_stored_lengths(definition, fields)
    if name in _DESCRIBED:
        about = _DESCRIBED[name].format(about=schema["description"], title=schema["title"])
        definition = {"description": about, **definition}
    if name == "document" or (name == "replace" and "create" in definitions):
        # Examples of responses show the first, that of a create the fields of the other.
        definition = {key: definition[key] for key in definition if key != "examples"}
    return definition


def _used(unresolved: ResolvedSchema) -> Schema:
    """Return a reference to the schema's component; a narrowed schema is inlined."""
    schema = {k: v for k, v in unresolved.schema.items() if k == "$ref" or not _INTERNAL.match(k)}
    if schema.keys() <= _BESIDE_REFERENCE and "$ref" in schema:
        path, _, definition = schema["$ref"].partition("#/$defs/")
        return {**schema, **named(name_of(file_at(path, unresolved.home), definition))}
    return _published(unresolved)


def _published(unresolved: ResolvedSchema) -> Schema:
    """Return a flattened schema, with references to components and without internal keywords.

    Fields that callers cannot send are left out.
    """
    flat = flattened(unresolved)
    if "anyOf" in flat.schema:
        return _alternatives(flat)
    published = {key: value for key, value in flat.schema.items() if not _INTERNAL.match(key)}
    published.pop("title", None)
    if not published.get("required"):
        published.pop("required", None)
    if "properties" in published:
        published["properties"] = {
            name: _field(flat.home, name, value)
            for name, value in published["properties"].items()
            if is_writable(value, flat.home)
        }
    if "items" in published:
        published["items"] = _used(ResolvedSchema(published["items"], flat.home))
    return _typed(published)


def _field(file: str, name: str, schema: Schema) -> Schema:
    """Return the published schema of a field, with the words and the bounds that it lacks."""
    published = bounded(file, name, _used(ResolvedSchema(schema, file)))
    if text := _description(file, name, schema, published):
        published = {**published, "description": text}
    return labeled(file, name, published)


def _description(file: str, name: str, schema: Schema, published: Schema) -> str:
    """Return the description of a field; "" to leave it to the definition that it refers to.

    A field that has none means what people are told (``hint``). What it inherits, such as that a
    text is never empty, holds as well. So does a description of what null and omitted mean.
    """
    own, text = schema.get("description", ""), hint(file, name)
    is_general = "scalars.json#" in schema.get("$ref", "scalars.json#")
    if _OF_ABSENCE.match(own):
        return f"{text} {own}".strip()
    if own or name in _SAME_EVERYWHERE or not is_general:
        return str(own)
    return f"{text} {published.get('description', '')}".strip() if text else ""


def _alternatives(flat: ResolvedSchema) -> Schema:
    """Return the published schema of a reference: an id, or an object with an own key."""
    alternatives = [_used(ResolvedSchema(part, flat.home)) for part in flat.schema["anyOf"]]
    beside = {key: flat.schema[key] for key in ("description", "x-since") if key in flat.schema}
    return beside | {"anyOf": alternatives}


def _typed(schema: Schema) -> Schema:
    """Return the schema with the keywords by which generators choose types.

    They are the formats of numbers and the type of text constants. An integer is ``int32`` only if
    its maximum fits.
    """
    schema = with_length(schema)
    types = ResolvedSchema(schema, "").types
    if "integer" in types:
        wide = schema.get("maximum", _INT32 + 1) > _INT32
        return schema | {"format": "int64" if wide else "int32"}
    if "number" in types:
        return {"format": "double"} | schema
    if isinstance(schema.get("const"), str):
        return {"type": "string"} | schema
    return schema
