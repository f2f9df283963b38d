"""Differential tests: jsonschema and jsonschema-rs agree on good and bad bodies."""

from random import Random
from typing import Any

import jsonschema_rs
import pytest

from service import schemas
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from service.schemas.formats import FORMATS
from tests.support import generate, schema_faults
from tests.support.openapi_validation import form
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("Bad input")

_REGISTRY = jsonschema_rs.Registry([(schema["$id"], schema) for schema in schemas.load().values()])
_KNOWN: dict[str, Any] = dict.fromkeys(generate.REFERRED.values(), range(1, 9)) | {
    "sub-suppliers": "123456789",
    "styles": range(1, 101),
}
GOOD_BODIES = 40
RECORDS = Sample(__name__)(MASTER_RECORDS, 6)


@pytest.mark.parametrize("resource", RECORDS, ids=[resource.name for resource in RECORDS])
@pytest.mark.parametrize(("single", "bulk"), [("create", "bulkCreate"), ("replace", "bulkReplace")])
def test_both_validators_agree(resource: MasterRecord, single: str, bulk: str) -> None:
    id_ = {} if single == "create" else {"id": "1" if resource.string_ids else 1}
    good = [
        generate.body(resource, single, _KNOWN, Random(number)) for number in range(GOOD_BODIES)
    ]
    bad = list(schema_faults.injected_faults(resource.name, single))
    assert len(bad) > 15
    # In bulk, the state that a single replace refuses deletes.
    bad_items = [fault.body | id_ for fault in bad if fault.kind != "state_not_allowed"]
    verdicts: list[tuple[str, Any, bool]] = [
        *((single, body, True) for body in good),
        *((single, fault.body, False) for fault in bad),
        (bulk, [body | id_ for body in good], True),
        *((bulk, [good[0] | id_, item], False) for item in bad_items),
        (bulk, [], False),
        (bulk, [good[0] | id_] * 1001, False),
        (bulk, {}, False),
    ]
    fast = {
        name: jsonschema_rs.validator_for(
            {"$ref": schemas.reference(resource.name, name)},
            registry=_REGISTRY,
            formats=FORMATS,
            validate_formats=True,
        )
        for name in (single, bulk)
    }
    for name, body, valid in verdicts:
        assert fast[name].is_valid(body) is valid, (name, body)
        assert form(resource.name, name).is_valid(body) is valid, (name, body)
