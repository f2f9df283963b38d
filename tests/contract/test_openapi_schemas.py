"""Tests of the OpenAPI document's schemas: fit for generators, as strict as ``schemas/``."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import jsonschema
import orjson
import pytest

from service import schemas
from service.openapi.components import name_of
from service.records.master_record import MasterRecord
from service.resources.registry import CHANGES, MASTER_RECORDS
from tests.contract.test_openapi import DOCUMENT, OPERATIONS, parameters_of, resolved
from tests.support import generate, schema_faults
from tests.support.generate import REFERRED, with_state
from tests.support.offenders import in_each
from tests.support.openapi_validation import component, form

pytestmark = pytest.mark.contract("OpenAPI document")

SCHEMAS: Final = DOCUMENT["components"]["schemas"]
FORMS: Final = ("create", "replace")
KNOWN: Final[dict[str, Any]] = {name: range(1, 9) for name in REFERRED.values()} | {
    "sub-suppliers": ["1", "2"]
}
#: Names that languages and their libraries use for what is something else.
TAKEN: Final = {
    *("Any", "Array", "Boolean", "Date", "Dict", "Enum", "Error", "Exception", "File", "Function"),
    *("Iterator", "List", "Map", "Number", "Object", "Operation", "Optional", "Promise", "Record"),
    *("Request", "Response", "Set", "String", "Symbol", "Type", "Union"),
}

each_form = in_each(
    ("resource", "form"), [(resource, form) for resource in MASTER_RECORDS for form in FORMS]
)


def published(resource: MasterRecord, form: str) -> jsonschema.Draft202012Validator:
    return component(name_of(resource.name, form))


def parts(part: Any) -> Iterator[Any]:
    """Yield every schema within one, itself included."""
    yield part
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "properties":
                for field in value.values():
                    yield from parts(field)
            elif key in ("items", "additionalProperties"):
                yield from parts(value)
            elif key in ("oneOf", "anyOf", "allOf"):
                for option in value:
                    yield from parts(option)


def all_schemas() -> Iterator[tuple[str, Any]]:
    for name, schema in SCHEMAS.items():
        for part in parts(schema):
            yield name, part


def test_no_schema_is_a_condition_a_boolean_or_for_ourselves() -> None:
    for name, schema in all_schemas():
        if schema is not False:  # what closes an object
            assert isinstance(schema, dict), name
            assert not schema.keys() & {"if", "then", "else", "not", "readOnly"}, name
            assert {"$ref", "anyOf"} & {*schema.get("allOf", [{"$ref": ""}])[0]}, name
            own = {key for key in schema if key.startswith(("x-", "$"))}
            assert own <= {"$ref", "x-since", "x-label"}


def test_every_value_says_its_type() -> None:
    """But the values of a preview, and two of a patch: any value, and a pointer not always read.

    Parts of an object (``allOf``) may leave that to its first one.
    """
    of_values = {"type", "$ref", "oneOf", "anyOf", "allOf", "properties", "required"}
    untyped = [
        (name, schema)
        for name, schema in all_schemas()
        if schema is not False and not schema.keys() & of_values
    ]
    assert [name for name, _ in untyped] == ["FieldChange"] * 2 + ["PatchOperation"] * 2


def test_every_field_is_described() -> None:
    """By itself, or by the definition that it refers to."""
    for name, schema in all_schemas():
        for field, value in (schema or {}).get("properties", {}).items():
            text = value.get("description") or resolved(value).get("description", "")
            assert text.endswith("."), (name, field)


def test_every_text_and_every_list_has_a_bound() -> None:
    """Also of parameters and headers; a text may be one of some values instead."""
    components = DOCUMENT["components"]
    of_requests = [
        (entry["name"], part)
        for path, method, _ in OPERATIONS
        for entry in parameters_of(path, method)
        for part in parts(entry["schema"])
    ]
    of_headers = [(name, header["schema"]) for name, header in components["headers"].items()]
    for name, schema in (*all_schemas(), *of_requests, *of_headers):
        types = (schema or {}).get("type", ())
        if "string" in types:
            assert schema.keys() & {"maxLength", "enum", "const"}, (name, schema)
        if "array" in types:
            assert "maxItems" in schema, (name, schema)


@in_each("resource", MASTER_RECORDS)
def test_texts_are_as_long_in_documents_as_in_requests(resource: MasterRecord) -> None:
    shown = SCHEMAS[name_of(resource.name, "document")]["properties"]
    for name, field in schemas.definition(resource.name, "fields").properties.items():
        longest = field.schema.get("maxLength")
        if longest and name in shown:
            document = {**resolved(shown[name]), **shown[name]}
            assert document.get("maxLength", longest) == longest, name


def test_integers_beyond_32_bits_say_so() -> None:
    for name, schema in all_schemas():
        if schema and "integer" in schema.get("type", ()):
            wide = schema.get("maximum", 2**63) >= 2**31
            assert schema["format"] == ("int64" if wide else "int32"), name


def test_names_are_free_in_the_languages_of_clients() -> None:
    assert not SCHEMAS.keys() & TAKEN
    assert all(re.fullmatch(r"[A-Z][A-Za-z]+", name) for name in SCHEMAS)


def test_every_component_is_referred_to() -> None:
    text = orjson.dumps(DOCUMENT).decode()
    for kind in ("schemas", "responses", "parameters", "headers"):
        used = set(re.findall(rf'"#/components/{kind}/([^"]+)"', text))
        assert DOCUMENT["components"][kind].keys() == used


def test_what_operations_repeat_is_a_component() -> None:
    parameters = [
        orjson.dumps(parameter)
        for _, _, operation in OPERATIONS
        for parameter in operation.get("parameters", [])
        if "$ref" not in parameter
    ]
    assert len(parameters) == len(set(parameters))
    for kind in ("parameters", "responses"):
        texts = [*map(orjson.dumps, DOCUMENT["components"][kind].values())]
        assert len(texts) == len(set(texts)), kind


def test_a_typed_client_can_send_any_number_of_filters_and_sort_keys() -> None:
    """The members of an object that is sent as parameters of its own are not bounded."""
    for path, path_item in DOCUMENT["paths"].items():
        entries = parameters_of(path, "get") if "get" in path_item else []
        by_name = {entry["name"]: entry for entry in entries}
        if "conditions" in by_name:
            conditions = by_name["conditions"]
            assert (conditions["style"], conditions["explode"]) == ("form", True)
    assert SCHEMAS["Conditions"]["additionalProperties"]["type"] == "string"


def test_the_collection_of_a_change_tells_the_form_of_its_document() -> None:
    entries = {
        name_of(resource.name, "document") + "Change" for resource in CHANGES.resources.values()
    }
    assert {option["$ref"].rpartition("/")[2] for option in SCHEMAS["Change"]["oneOf"]} == entries
    [entry] = schemas.definition("changes", "document").schema["examples"]
    [color] = schemas.definition("colors", "document").schema["examples"]
    component("Change").validate(entry)
    component("Change").validate(entry | {"document": color})
    component("Change").validate(entry | {"document": None})
    for invalid in ({"collection": "groups", "document": color}, {"collection": "x"}, {"more": 1}):
        assert not component("Change").is_valid(entry | invalid)


@each_form
def test_published_forms_take_what_the_service_takes(resource: MasterRecord, form: str) -> None:
    for number in range(10):
        made = generate.body(resource, form, KNOWN, Random(number))
        published(resource, form).validate(made)
        if form == "replace":
            item = with_state(resource, made, "active")
            item["id"] = "1" if resource.string_ids else 1
            name = {"text": "x"} if "text" in made else {}
            component(name_of(resource.name, "item")).validate(item | name)


@each_form
def test_published_forms_refuse_what_the_service_refuses(resource: MasterRecord, form: str) -> None:
    """Every fault at every field, what the service alone sets among them."""
    validator = published(resource, form)
    assert validator.is_valid(schema_faults.minimal(resource.name, form))
    for fault in schema_faults.injected_faults(resource.name, form):
        assert not validator.is_valid(fault.body), fault


@in_each("resource", MASTER_RECORDS)
def test_published_items_require_what_the_service_requires(resource: MasterRecord) -> None:
    """Each field is left out, of items by id and by own key that replace or delete.

    An item with both passes if it is right by its own key: no schema says which one counts.
    """
    defined = schemas.load()[resource.name]["$defs"]
    forms = [name for name in ("item", "keyedItem") if name in defined]
    is_published = component(name_of(resource.name, "item")).is_valid
    replace = with_state(resource, schema_faults.minimal(resource.name, "replace"), "active")
    for name in forms:
        whole = replace | schema_faults.minimal(resource.name, name)
        deletion = {field: "deleted" for field in whole if field == "state"}
        for body in (whole, whole | deletion):
            for left_out in ("", *body):
                item = {field: body[field] for field in body if field != left_out}
                by_key = {field: item[field] for field in item if field != "id"}
                is_accepted = form(resource.name, "item").is_valid(item) or (
                    "keyedItem" in forms and form(resource.name, "keyedItem").is_valid(by_key)
                )
                assert is_published(item) is is_accepted, (name, item)


@in_each("resource", MASTER_RECORDS)
def test_an_item_of_a_bulk_replace_has_the_fields_of_a_replace(resource: MasterRecord) -> None:
    item, replace = (fields(SCHEMAS[name_of(resource.name, form)]) for form in ("item", "replace"))
    own = {"id", "ifMatch", "newKey", "state"}
    assert item - own == replace - own
    assert item >= {"id", "ifMatch", "state"}


def fields(schema: dict[str, Any]) -> set[str]:
    """Return the fields of a form, also of those that it is composed of; it is closed."""
    composed = [schema, *map(resolved, schema.get("allOf", ()))]
    assert False in (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
    return {field for part in composed for field in part.get("properties", {})}
