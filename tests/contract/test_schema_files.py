"""Tests of `selvedge schemas`: each file alone judges bodies as the service's schemas do."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import orjson
import pytest
from referencing import Registry, Resource

from service import schemas
from service.__main__ import main
from service.resources.registry import MASTER_RECORDS
from tests.support import generate, schema_faults
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("OpenAPI document")

KNOWN: dict[str, Any] = dict.fromkeys(generate.REFERRED.values(), range(1, 9)) | {
    "sub-suppliers": "123456789",
    "styles": range(1, 101),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files, written by the command."""
    written = tmp_path_factory.mktemp("schemas") / "new"
    main(["schemas", str(written)])
    return written


def validator(file: Path, form: str) -> jsonschema.Draft202012Validator:
    """Return the validator of a definition that knows this file only."""
    contents = orjson.loads(file.read_bytes())
    reference = f"{contents['$id']}#/$defs/{form}"
    registry: Registry[Any] = Registry().with_resource(
        contents["$id"], Resource.from_contents(contents)
    )
    return jsonschema.Draft202012Validator({"$ref": reference}, registry=registry)


def keywords(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema
        for part in schema.values():
            yield from keywords(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from keywords(part)


def test_there_is_a_file_of_each_resource_with_all_its_forms(folder: Path) -> None:
    resources = {name for name in schemas.load() if "/" not in name}
    assert {path.stem for path in folder.iterdir()} == resources
    for path in folder.iterdir():
        contents = orjson.loads(path.read_bytes())
        forms = schemas.load()[path.stem]["$defs"].keys()
        embedded = contents["$defs"].keys() - forms
        assert all(name.endswith(".json") for name in embedded), path.stem
        jsonschema.Draft202012Validator.check_schema(contents)
        assert not [word for word in keywords(contents) if word.startswith("x-")], path.stem


def test_objects_of_every_form_are_closed(folder: Path) -> None:
    for path in folder.iterdir():
        for form in ("document", "create", "replace", "item", "mergeItem", "writable"):
            definition = schemas.load()[path.stem]["$defs"].get(form, {})
            for example in definition.get("examples", ()):
                if isinstance(example, dict):
                    assert validator(path, form).is_valid(example), (path.stem, form)
                    assert not validator(path, form).is_valid(example | {"more": 1})


@pytest.mark.parametrize("resource", Sample(__name__)(MASTER_RECORDS, 6), ids=lambda r: r.name)
def test_bodies_are_judged_as_the_service_judges_them(folder: Path, resource: Any) -> None:
    file = folder / f"{resource.name}.json"
    create, bulk = validator(file, "create"), validator(file, "bulkCreate")
    good = [generate.body(resource, "create", KNOWN, Random(number)) for number in range(10)]
    assert all(map(create.is_valid, good))
    assert bulk.is_valid(good)
    bad = [
        fault.body
        for fault in schema_faults.injected_faults(resource.name, "create")
        if fault.kind != "invalid_value"  # formats are the service's own
    ]
    assert len(bad) > 10
    assert not [body for body in bad if create.is_valid(body) or bulk.is_valid([body])]
