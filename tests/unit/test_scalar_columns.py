"""Scalar columns: SQL that is generated from schemas."""

import re

import pytest

from service.records import scalar_columns
from service.records.parts import RecordPart
from service.records.writable_resource import WritableResource
from service.resources.registry import MASTER_RECORDS, PARTS
from service.schemas.visible_text import VISIBLE_SQL

FLAG = 'coalesce(item."isMandatory", false)'
FORMULA = "coalesce(item.\"numericVariantCalculationFormula\", 'none')"


def values(text: str) -> set[str]:
    """Split a list of values; commas within a call are no separators."""
    return {*re.split(r", (?=item|coalesce)", text)}


def test_columns_that_always_have_a_value_have_a_default() -> None:
    slots = scalar_columns.slots("style-custom-fields")
    for name in ("new_values", "sent_values"):
        assert {FLAG, FORMULA, 'item."maxChar"', 'item."name"'} <= values(slots[name])
    assert "coalesce(item.\"state\", 'active')" in slots["new_values"]
    assert 'state = item."state"' in slots["assigned"]


def test_fields_that_are_set_at_creation_only_are_not_updated() -> None:
    slots = scalar_columns.slots("style-custom-fields")
    assert '"type" text' in slots["new_types"]
    assert "parent_custom_field_id" in slots["new_columns"]
    assert '"type"' not in slots["types"]
    assert "parent_custom_field_id" not in slots["assigned"]


def test_omitted_fields_keep_their_values_on_request() -> None:
    slots = scalar_columns.slots("care-instructions", keeps_omitted=True)
    assert 'text = coalesce(item."text", stored.text)' in slots["assigned"]
    assert 'coalesce(item."text"' not in slots["new_values"]


def test_a_late_column_is_a_slot_of_the_document() -> None:
    slots = scalar_columns.slots("care-instructions", late=("state",))
    assert ',"state":"\' || {{state}} || \'","position":\'' in slots["document_scalars"]
    assert "{{state}}" not in slots["writable_scalars"]


def test_adjacent_literals_are_one() -> None:
    assert scalar_columns.document_sql("brands", "writable") == (
        "'{\"customId\":' || "
        f"coalesce(to_json(case when custom_id ~ {VISIBLE_SQL} then custom_id end)::text, 'null')"
        " || ',\"name\":' || to_json(name)::text || ',\"state\":\"' || state || '\"}'"
    )


@pytest.mark.parametrize("resource", [*MASTER_RECORDS, *PARTS], ids=lambda it: it.name)
def test_only_the_page_is_filled_at_run_time(resource: WritableResource) -> None:
    """A slot that nothing fills would fail at the first request that needs the statement.

    Forms of several parts of an owner have slots of their own, which are filled at once.
    """
    paged = ("documents", "writables", "last_documents")
    for name, statement in resource.statements.items():
        if name == "images" and isinstance(resource, RecordPart):
            assert "{{" not in resource.images("select 1")
            continue
        assert statement.slots == ({"page"} if name in paged else set()), name
