"""Tests of the schema files: valid, closed, bounded, and equal in both validators."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import urljoin

import jsonschema
import jsonschema_rs
import pytest
from referencing import Registry, Resource

from service import schemas
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.schemas.formats import FORMATS
from tests.support.offenders import in_each
from tests.support.sampling import collections

FILES = schemas.load()
MASTER_RECORDS = sorted(name for name, schema in FILES.items() if "bulkCreate" in schema["$defs"])
PARTS = sorted(
    name
    for name, schema in FILES.items()
    if {"create", "replace"} & {*schema["$defs"]} == {"replace"}
)
WRITE_FORMS = ("create", "replace", "item", "bulkCreate", "bulkReplace")
NARROWING = ("create", "replace", "item")
OPEN = {
    "common/json-patch#patchOperation",
    "style-custom-fields#item",
    "style-custom-fields#keyedItem",
}
"""RFC 6902 ignores members that it does not define; an item that deletes has two fields read."""
OWN_KEYS = {
    "sub-suppliers": "customId",
    "suppliers": "customId",
    "item-categories": "name",
    "barcodes": "barcode",
    "brands": "customId",
    "facilities": "name",
    "items": "number",
    "styles": "number",
    "style-files": "fileName",
    "style-skus": "sku",
}
"""What the customer's own systems know records by, where it is not the `userDefinedId`."""
WITHOUT_KEY = {"style-colors", "style-relations", "sample-requests"}
LONGEST_KEY = 500
"""Characters, of up to four bytes each: an entry of a unique index holds 2,704 bytes."""
NON_NULL = [{"type": "string"}, {"description": "The text to show.", "type": "string"}]
"""Says of a field, bounded elsewhere, that it cannot be null."""

REGISTRY: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in FILES.values()
)
FAST_REGISTRY = jsonschema_rs.Registry([(schema["$id"], schema) for schema in FILES.values()])

PROBES: list[Any] = [
    None, "", "x", "x" * 51, "x" * 1001, "deleted", "active", "none", True, 0, 1, -1, 16, 91.5,
    2**63, -(2**63), [], {}, [None], [1], [{}], [{"id": 1}], [{"value": "x"}], [{"value": ""}],
    [{"languageId": 2, "text": "x"}], [{"languageId": 2}], [{"customId": "x"}],
    [{"customId": None}],
]  # fmt: skip


@in_each("name", [name for name in MASTER_RECORDS if name not in WITHOUT_KEY])
def test_own_keys_fit_a_unique_index(name: str) -> None:
    key = OWN_KEYS.get(name, "userDefinedId")
    field = schemas.definition(name, "create").properties[key]
    assert field.schema["maxLength"] <= LONGEST_KEY


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema object within a schema, itself included; examples are not schemas."""
    if isinstance(schema, list):
        for part in schema:
            yield from nodes(part)
    elif isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            if key in ("properties", "$defs"):
                yield from nodes(list(value.values()))
            elif key not in ("examples", "enum", "const", "required"):
                yield from nodes(value)


def parameters(select: Callable[[dict[str, Any]], Iterable[Any]]) -> list[Any]:
    """Return the values that `select` returns for each definition, with file and name."""
    return [
        (file, name, picked)
        for file, schema in FILES.items()
        for name, definition in schema["$defs"].items()
        for picked in select(definition)
    ]


def slow(file: str, name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(
        {"$ref": schemas.reference(file, name)}, registry=REGISTRY
    )


def fast(file: str, name: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(
        {"$ref": schemas.reference(file, name)}, registry=FAST_REGISTRY
    )


def reachable(file: str, schema: Any, seen: set[str]) -> Iterator[dict[str, Any]]:
    """Yield every schema object that a schema leads to, references followed."""
    for node in nodes(schema):
        yield node
        reference = node.get("$ref")
        if isinstance(reference, str) and (key := f"{file} {reference}") not in seen:
            seen.add(key)
            path, _, name = reference.partition("#/$defs/")
            target = urljoin(file, path.removesuffix(".json")) if path else file
            yield from reachable(target, FILES[target]["$defs"][name], seen)


def types(schema: dict[str, Any]) -> set[str]:
    named = schema.get("type", [])
    return {named} if isinstance(named, str) else set(named)


@in_each("file", sorted(FILES))
def test_file_is_a_valid_schema_under_its_own_name(file: str) -> None:
    schema = FILES[file]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"{schemas.BASE}{file}.json"
    assert schema["title"]
    assert schema["description"]


@in_each("file", sorted(FILES))
def test_every_reference_leads_somewhere(file: str) -> None:
    assert list(reachable(file, FILES[file], set()))


@pytest.mark.contract("Envelope")
@in_each(("file", "name", "schema"), parameters(lambda definition: [definition]))
def test_every_object_is_closed(file: str, name: str, schema: dict[str, Any]) -> None:
    if f"{file}#{name}" not in OPEN:
        for node in nodes(schema):
            if "object" in types(node) and "properties" in node:
                assert node["additionalProperties"] is False
                assert set(node.get("required", ())) <= set(node["properties"])


@in_each(("file", "name", "schema"), parameters(lambda definition: [definition]))
def test_every_integer_is_bounded(file: str, name: str, schema: dict[str, Any]) -> None:
    for node in nodes(schema):
        if "integer" in types(node) and not name.startswith("identified"):
            assert {"minimum", "maximum"} <= set(node), (file, name, node)


@pytest.mark.contract("Limits")
@in_each("file", [*MASTER_RECORDS, *PARTS])
def test_every_part_of_a_request_body_is_bounded(file: str) -> None:
    for name in {*WRITE_FORMS, "fields"} & FILES[file]["$defs"].keys():
        for node in reachable(file, FILES[file]["$defs"][name], set()):
            if "string" in types(node) and "enum" not in node and node not in NON_NULL:
                is_short = node.get("format") in FORMATS
                assert is_short or "maxLength" in node, (file, name, node)
            if "array" in types(node):
                assert "maxItems" in node, (file, name, node)


@in_each("file", MASTER_RECORDS)
def test_forms_of_a_master_record_fit_together(file: str) -> None:
    defined = FILES[file]["$defs"]
    fields, document, writable = (defined[n] for n in ("fields", "document", "writable"))
    read_only = {
        name
        for name, schema in fields["properties"].items()
        if isinstance(schema, dict) and schema.get("$ref", "").endswith("/readOnly")
    }
    assert set(document["properties"]) <= set(fields["properties"])
    assert read_only <= set(document["properties"])
    assert writable["required"] == list(writable["properties"])
    assert set(writable["properties"]) <= set(fields["properties"]) - read_only - {"id"}
    for form in NARROWING:
        all_fields = fields if form != "item" else defined["itemFields"]
        assert set(defined[form].get("properties", ())) <= set(all_fields["properties"])
    assert set(defined["itemFields"]["properties"]) == {*fields["properties"], "ifMatch"}


@in_each("file", sorted(FILES))
def test_documents_come_with_an_example(file: str) -> None:
    for name in {"document", "create", "replace"} & set(FILES[file]["$defs"]):
        assert FILES[file]["$defs"][name]["examples"], (file, name)


@in_each(("file", "name", "example"), parameters(lambda definition: definition.get("examples", ())))
def test_every_example_is_valid(file: str, name: str, example: Any) -> None:
    slow(file, name).validate(example)
    fast(file, name).validate(example)


def test_the_example_of_a_patch_is_valid() -> None:
    schema = FILES["common/json-patch"]
    for example in schema["examples"]:
        jsonschema.Draft202012Validator(schema, registry=REGISTRY).validate(example)
        jsonschema_rs.validator_for(schema, registry=FAST_REGISTRY).validate(example)


@pytest.mark.contract("Bad input")
@in_each("file", {*MASTER_RECORDS} & {*collections()} or MASTER_RECORDS)
@in_each("form", NARROWING)
def test_both_validators_agree_on_good_and_bad_bodies(file: str, form: str) -> None:
    base = {"id": FILES[file]["$defs"]["document"]["examples"][0]["id"]} if form == "item" else {}
    source = "create" if form == "create" else "replace"
    base |= FILES[file]["$defs"][source]["examples"][0]
    ours, theirs = fast(file, form), slow(file, form)
    assert ours.is_valid(base)
    assert theirs.is_valid(base)
    for field in (*FILES[file]["$defs"]["fields"]["properties"], "unheardOf"):
        for probe in PROBES:
            body = base | {field: probe}
            assert ours.is_valid(body) == theirs.is_valid(body), (field, probe)
        body = {key: value for key, value in base.items() if key != field}
        assert ours.is_valid(body) == theirs.is_valid(body), field


@pytest.mark.contract("Style custom fields")
@pytest.mark.parametrize(
    ("body", "valid"),
    [
        ({"id": 1, "state": "deleted"}, True),
        ({"id": 1, "state": "deleted", "name": "x"}, True),
        ({"id": 1, "state": "deleted", "name": 5}, False),
        ({"id": 1, "state": "deleted", "unheardOf": True}, False),
        ({"state": "deleted"}, False),
        ({"id": 1, "state": "active"}, False),
        ({"id": 1, "state": "active", "name": "x"}, True),
        ({"id": 1, "state": "active", "name": "x", "unheardOf": True}, False),
        ({"id": 1, "name": "x"}, False),
        ([], False),
    ],
)
def test_a_style_custom_field_is_deleted_by_id_and_state_at_least(body: Any, valid: bool) -> None:
    assert fast("style-custom-fields", "item").is_valid(body) is valid
    assert slow("style-custom-fields", "item").is_valid(body) is valid


@pytest.mark.contract("Style custom fields")
@pytest.mark.parametrize(
    ("association", "valid"),
    [
        ({"id": 1}, True),
        ({"customId": "BR-1"}, True),
        ({"id": 1, "customId": None}, True),
        ({"id": None, "customId": "BR-1"}, True),
        ({}, False),
        ({"id": None}, False),
        ({"name": "Coastline"}, False),
    ],
)
def test_an_association_names_its_record(association: Any, valid: bool) -> None:
    for name in ("brandFields", "associationFields"):
        assert fast("style-custom-fields", name).is_valid(association) is valid
        assert slow("style-custom-fields", name).is_valid(association) is valid


@pytest.mark.parametrize(
    ("operation", "valid"),
    [
        ({"op": "add", "path": "/name", "value": None}, True),
        ({"op": "add", "path": "/name"}, False),
        ({"op": "add", "path": "/name", "value": 1, "from": 5, "note": "ignored"}, True),
        ({"op": "remove", "path": "/name"}, True),
        ({"op": "move", "path": "/name"}, False),
        ({"op": "move", "path": "/name", "from": "/text"}, True),
        ({"op": "copy", "path": "/name", "from": 5}, False),
        ({"op": "swap", "path": "/name"}, False),
        ({"op": "test", "value": 1}, False),
        ({}, False),
    ],
)
def test_a_patch_operation_has_the_members_it_needs(operation: Any, valid: bool) -> None:
    assert fast("common/json-patch", "patchOperation").is_valid(operation) is valid
    assert slow("common/json-patch", "patchOperation").is_valid(operation) is valid


@pytest.mark.contract("Error types")
def test_every_error_type_has_a_status() -> None:
    listed = FILES["common/envelope"]["$defs"]["errorType"]["enum"]
    assert all(400 <= ErrorDetail(code).status < 600 for code in listed)
    assert {*listed} == {*ErrorType}
