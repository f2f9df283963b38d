"""Tests of references to objects in records, here allowed values (contract, Files)."""

from typing import Any

import pytest

from service.client import Client
from service.transfer.sender import ImportOptions
from tests.transfer.conftest import ImportFolder

pytestmark = pytest.mark.contract("Files")

SKIP = ImportOptions(skip=True)
DRY_RUN = ImportOptions(skip=True, dry_run=True)
FILE = "style-custom-fields.ndjson"
BLUE, RED = {"id": 20, "value": "Blue"}, {"id": 21, "value": "Red"}


def tone(*values: dict[str, Any], record_id: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "id": record_id, "name": f"Tone {record_id}", "type": "allowedValue",
        "allowedValues": [*values], **more,
    }  # fmt: skip


def shade(parent_id: int, parent_value: int) -> dict[str, Any]:
    value = {"id": 10, "value": "Crimson", "parentAllowedValueId": parent_value}
    return {
        "id": 9, "name": "Shade", "type": "nestedAllowedValue", "parentCustomFieldId": parent_id,
        "allowedValues": [value],
    }  # fmt: skip


async def test_a_dry_run_accepts_references_to_new_objects_of_edited_records(
    client: Client, folder: ImportFolder
) -> None:
    folder.write(FILE, tone(BLUE))
    await folder.import_records(client)
    folder.write(FILE, tone(BLUE, RED), shade(1, 21))
    for options in (DRY_RUN, ImportOptions()):
        counts = await folder.import_records(client, options=options)
        assert counts == {"style-custom-fields": {"updated": 1, "created": 1}}, folder.details()


async def test_new_objects_of_deleted_records_cannot_be_referred_to(
    client: Client, folder: ImportFolder
) -> None:
    folder.write(FILE, tone(BLUE), tone(record_id=2))
    await folder.import_records(client)
    folder.write(FILE, tone(BLUE, RED, state="deleted"), tone(record_id=2), shade(2, 21))
    for options in (DRY_RUN, SKIP, ImportOptions()):
        counts = await folder.import_records(client, options=options)
        assert counts["style-custom-fields"]["created"] == 0
        assert counts["style-custom-fields"]["failed"] == 1
        assert folder.details() == [
            (3, "validation_error.unknown_reference", "allowedValues[0].parentAllowedValueId")
        ]
