"""Write forms: forms of records, parts and list entries that follow from others in their file.

A file with ``x-bulk-items`` gets ``create``, ``replace``, ``item`` and ``writable`` from
``document``, ``fields`` and the required fields of ``create``. What the file gives of a form
overrides what is derived. A definition with ``properties`` is a closed object. Fields of documents
that ``fields`` omits are read-only, except for ``id`` and ``state``.

``contactFields``, an entry of a list in a request, gets ``contactWritable`` if documents have it as
``contact``; ``x-entry`` names other forms. ``x-collection`` of a part makes the file of the part's
collection, ``<part>-by-owner``.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

BULK_ITEMS: Final = "x-bulk-items"
"""Keyword of a schema file: maximum number of items in a bulk request; 0 for none."""
KEEPS_OMITTED: Final = "x-keeps-omitted"
"""Keyword of a schema file: a replace keeps the values of fields that it omits."""
ENTRY: Final = "x-entry"
"""Keyword of a list entry in a request: the names of its ``document`` and ``writable`` forms."""
SINCE: Final = "x-since"
"""Keyword of a field in ``fields``: the version that added it; a replace without it keeps it."""
FIXED: Final = "x-fixed"
"""Keyword of a field in ``fields``: it is set at creation, later it can be repeated or omitted."""
KEPT: Final = "x-kept"
"""Keyword of a field in ``fields``: without a value, every write keeps the stored one."""
PERIOD: Final = "x-period"
"""Keyword of a schema file: the fields with the first and the last day of a record's period."""
COLLECTION: Final = "x-collection"
"""Keyword of a part: ``title``, ``description`` and ``owner`` of its collection, and ``list``.

``list`` is the member for the part's body, if that is a list.
"""
ZERO_FILLED: Final = "x-zero-filled"
"""Keyword of a text of so many digits: filters take values without the zeros before them, too."""
DECIMALS: Final = "x-decimals"
"""Keyword of a number: the digits after the point that are stored; writable forms have a text."""
COLLECTIONS: Final = "x-collections"
"""Keyword of a definition whose values are the names of the collections of the change feed."""
BY_OWNER: Final = "-by-owner"
"""End of the name of the file of a part collection."""
_OF_RECORDS: Final = ("create", "replace", "item", "writable")
_COMPLETE: Final = frozenset({"$ref", "type", "if"})
"""Keywords of definitions that say themselves whether they are closed."""
_SCALARS: Final = "scalars.json#/$defs/"
_KINDS: Final = {
    **dict.fromkeys(("name", "reference", "ownKey", "valueKey", "keptText"), "string"),
    "flag": "boolean",
}
"""Types of common scalars whose limits apply to requests only."""
_BOUNDS: Final = ("minimum", "maximum")
"""Limits of numbers that hold for stored values, too."""


def with_write_forms(files: dict[str, Schema]) -> dict[str, Schema]:
    """Add the write forms to schema files by path, in place, and the files of part collections."""
    scalars = files.get("common/scalars", {}).get("$defs", {})
    for name, file in [*files.items()]:
        _close_objects(file)
        forms = file.get("$defs", {})
        _Forms(forms, ("" if "/" in name else "common/") + _SCALARS, scalars).derive(file)
        if COLLECTION in file:
            owner = files[file[COLLECTION]["owner"]]
            files[name + BY_OWNER] = _collection(name, file, owner)
    _list_collections(files)
    return dict(sorted(files.items()))


def _close_objects(file: Schema) -> None:
    """Make each definition with properties a closed object.

    Forms of records that narrow ``fields`` are closed there.
    """
    forms = file.get("$defs", {})
    narrowing = _OF_RECORDS if BULK_ITEMS in file and "fields" in forms else ()
    for name, form in forms.items():
        if "properties" in form and name not in narrowing and _COMPLETE.isdisjoint(form):
            form |= {"type": "object", "additionalProperties": False}


def _list_collections(files: Mapping[str, Schema]) -> None:
    """Replace ``x-collections`` in definitions by the names of the collections with records."""
    names = sorted({n.removesuffix(BY_OWNER) for n, file in files.items() if BULK_ITEMS in file})
    for file in files.values():
        for schema in file.get("$defs", {}).values():
            if schema.pop(COLLECTIONS, False):
                schema["enum"] = names


class _Forms:
    """Definitions of one schema file, and the beginning of its references to common scalars."""

    def __init__(
        self, forms: dict[str, Schema], scalars: str, common: Mapping[str, Schema] = {}
    ) -> None:
        self.forms, self.scalars, self._common = forms, scalars, common

    def derive(self, file: Schema) -> None:
        """Add the derived forms."""
        for name in [*self.forms]:
            entry = self.forms[name]
            if names := self._entry_names(name):
                document = self.forms[names["document"]]
                self._close(entry, document, {})
                self.forms[names["writable"]] = self._writable(
                    document, entry, self.forms.get(names["writable"], {})
                )
        if BULK_ITEMS in file and "fields" in self.forms:
            self._close(self.forms["fields"], self.forms["document"], {"id": True, "state": True})
            for name, form in self._of_record(keeps_omitted=file.get(KEEPS_OMITTED, False)):
                self.forms[name] = form

    def _entry_names(self, name: str) -> dict[str, str] | None:
        """Return the names of an entry's other forms; None if the definition is no entry."""
        form, stem = self.forms[name], name.removesuffix("Fields")
        if stem in {*self.forms} - {name} and "$ref" not in form:
            return {"document": stem, "writable": f"{stem}Writable"}
        return form.get(ENTRY)

    def _scalar(self, name: str) -> Schema:
        return {"$ref": self.scalars + name}

    def _close(self, fields: Schema, document: Schema, free: Schema) -> None:
        """Add the fields of documents that a request has not: ``free`` or read-only ones."""
        given, order = fields["properties"], [*document["properties"]]
        for before, name in pairwise(["", *given]):
            if name not in order:
                order.insert(order.index(before) + 1 if before in order else len(order), name)
        read_only = self._scalar("readOnly")
        fields["properties"] = {n: given.get(n, free.get(n, read_only)) for n in order}

    def _of_record(self, *, keeps_omitted: bool) -> Iterator[tuple[str, Schema]]:
        """Yield the forms of single records, merged with the given ones."""
        suffix = "OrNull" if keeps_omitted else ""
        shown = self.forms["document"]["properties"]
        state = ["state"] if "state" in shown else []

        def form(name: str, required: list[str], **properties: Schema) -> tuple[str, Schema]:
            given = self.forms.get(name, {})
            properties = properties | given.get("properties", {})
            if not state:
                del properties["state"]
            derived: Schema = {"$ref": "#/$defs/fields"}
            derived |= {"required": required} if required else {}
            derived |= given | ({"properties": properties} if properties else {})
            return name, derived

        yield form("create", [], id=self._scalar("readOnly"), state=self._scalar("liveStateOrNull"))
        given = self.forms["fields"]["properties"].items()
        fixed = {name for name, field in given if field is not True and FIXED in field}
        required = [name for name in self.forms["create"]["required"] if name not in fixed]
        required = [] if keeps_omitted else [*required, *state]
        yield form("replace", required, state=self._scalar("liveState" + suffix))
        replace = self.forms["replace"]
        yield form(
            "item",
            ["id", *replace.get("required", ())],
            **{
                "id": shown["id"],
                **replace.get("properties", {}),
                "state": self._scalar("state" + suffix),
            },
        )
        given = self.forms.get("writable", {})
        yield "writable", self._writable(self.forms["document"], self.forms["fields"], given)

    def _writable(self, document: Schema, fields: Schema, given: Schema) -> Schema:
        """Return the writable form: the written fields of a request, as documents have them.

        ``given`` may have some of its properties, or descriptions of them.
        """
        properties = {
            name: schema if schema.keys() & {"$ref", "type"} else derived | schema
            for name, stored in self._stored(document, fields)
            for derived in (_with_description(stored, document["properties"].get(name, {})),)
            for schema in (given.get("properties", {}).get(name, {}),)
            if name in given.get("required", (name,))
        }
        return {
            "type": "object",
            "additionalProperties": False,
            **given,
            "required": [*properties],
            "properties": properties,
        }

    def _stored(self, document: Schema, fields: Schema) -> Iterator[tuple[str, Schema]]:
        """Yield the written fields, each with the schema of its stored values."""
        for name, field in fields["properties"].items():
            shown = document["properties"].get(name, {})
            if field is True and name == "state":
                yield name, self._scalar("state")
            elif field is not True and field != self._scalar("readOnly"):
                shape = f"{shown.get('type')} {shown.get('$ref')}"
                is_null = "null" in shape or shape.endswith("OrNull")
                is_present = name in document.get("required", ()) and not is_null
                yield name, self._stored_value(field, shown, is_present=is_present)

    def _stored_value(self, field: Schema, shown: Schema, *, is_present: bool) -> Schema:
        """Return the schema of a field's stored values; ``is_present`` if each record has one."""
        field = field.get("anyOf", [field])[0]
        scalar = str(field.get("$ref", "")).removeprefix(self.scalars)
        if "items" in field:
            return self._stored_list(field)
        if scalar in ("id", "idOrNull"):
            return self._scalar("id" if is_present else "idOrNull")
        if DECIMALS in self._common.get(scalar, {}):
            exact = {"type": "string", "x-stored": "decimal"}
            return exact if is_present else self._scalar("exactOrNull")
        if scalar in {"", *_KINDS}:
            shared = _only(shown, "$ref") if is_present else {}
            return shared or _stored_type(field, scalar, is_present=is_present)
        return _only(field, "$ref", "x-stored")

    def _stored_list(self, field: Schema) -> Schema:
        """Return the schema of a stored list, whose entries have their writable form."""
        entry = field["items"].get("$ref", "").removeprefix("#/$defs/")
        names = self._entry_names(entry) if entry in self.forms else None
        items = {"$ref": f"#/$defs/{names['writable']}"} if names else field["items"]
        return {"type": "array", "items": items, **_only(field, "x-stored")}


def _stored_type(field: Schema, scalar: str, *, is_present: bool) -> Schema:
    """Return the type and bounds of stored values; ``is_present`` if each record has one."""
    kinds = _KINDS.get(scalar) or field["type"]
    kind = kinds if isinstance(kinds, str) else kinds[0]
    has_value = is_present or scalar == "flag"
    return {"type": kind if has_value else [kind, "null"], **_only(field, *_BOUNDS)}


def _only(schema: Schema, *keywords: str) -> Schema:
    """Return these keywords of a schema, as far as it has them."""
    return {keyword: schema[keyword] for keyword in keywords if keyword in schema}


def _with_description(stored: Schema, shown: Schema) -> Schema:
    """Return the schema of a field of the writable form, with the description of the document's.

    No field of the writable form is absent, so what says so is left out.
    """
    text = shown.get("description", "absent")
    return stored if "absent" in text else {"description": text, **stored}


def _collection(name: str, part: Schema, owner: Schema) -> Schema:
    """Return the schema file of a part's collection: the owner's id and the part."""
    about, forms = part[COLLECTION], part["$defs"]
    noun, list_name = owner["title"].lower(), about.get("list")
    first, *words = noun.split()
    key = first + "".join(word.capitalize() for word in words) + "Id"
    owner_id = {"$ref": f"common/{_SCALARS}id"}
    descriptions = {
        "document": {"description": f"The {noun}."},
        "item": {"description": f"The {noun}, once in a request.", "x-refers-to": about["owner"]},
        "writable": {"description": f"The {noun}."},
    }
    derived: dict[str, Schema] = {}
    for form, own in descriptions.items():
        source = "replace" if form == "item" else form
        body, members = forms[source], {list_name: {"$ref": f"{name}.json#/$defs/{source}"}}
        if not list_name:
            members = _elsewhere(body["properties"], f"{name}.json")
        derived[form] = {
            "type": "object",
            "additionalProperties": False,
            "required": [key, *(members if list_name else body["required"])],
            "properties": {key: owner_id | own, **members},
        }
        if form != "writable":
            [example] = body["examples"]
            example = {list_name: example} if list_name else example
            owner_example = owner["$defs"]["document"]["examples"][0]["id"]
            derived[form]["examples"] = [{key: owner_example, **example}]
    derived["item"]["description"] = f"The {noun} and what its part shall be."
    derived["item"]["properties"]["ifMatch"] = {
        "$ref": f"common/{_SCALARS}ifMatch",
        "description": "Precondition: the entity tag of the owner's part, or `*` for any.",
    }
    file = {
        "$schema": part["$schema"],
        "$id": part["$id"].replace(name, name + BY_OWNER),
        "title": about["title"],
        "description": about["description"],
        "x-item-id": key,
        BULK_ITEMS: part[BULK_ITEMS],
        "$defs": derived,
    }
    _Forms(derived, "").derive(file)
    return file


def _elsewhere(schema: Any, file: str) -> Any:
    """Return a copy of a schema whose references to definitions of ``file`` work in other files."""
    if isinstance(schema, list):
        return [_elsewhere(part, file) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {keyword: _elsewhere(part, file) for keyword, part in schema.items()}
    if str(copy.get("$ref", "")).startswith("#"):
        copy["$ref"] = file + copy["$ref"]
    return copy
