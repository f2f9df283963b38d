"""Tests of validation rows: no error reported as another one, or twice."""

import orjson
import pytest

from service.errors import MAX_COLLECTED
from service.resources.measurement_charts import MeasurementCharts
from service.schemas.extra_checks import duplicate_errors
from service.schemas.parsing import parse
from service.schemas.validation import Validator, needs_formats

pytestmark = pytest.mark.contract("Bad input", "Errors")


def rows(file: str, form: str, raw: bytes) -> list[tuple[str, str | None]]:
    errors = Validator(file, form).errors(parse(raw), raw)
    return [(row.type.removeprefix("validation_error."), row.field) for row in errors]


@pytest.mark.parametrize("value", [b"1.0", b'"\\u0000"', b'[1.0,"\\u0000"]', b'{"a":2e1}'])
@pytest.mark.parametrize(
    ("name", "kind"), [("colour", "unknown_field"), ("beginDate", "read_only_field")]
)
def test_an_unreadable_value_is_one_error(name: str, kind: str, value: bytes) -> None:
    body = b'{"name":"x","state":"active","%b":%b}' % (name.encode(), value)
    assert rows("groups", "replace", body) == [(kind, name)]


@pytest.mark.contract("Surface")
@pytest.mark.parametrize("value", [b"1.0", b'"\\u0000"', b"null", b'"x"'])
def test_the_id_of_a_single_replace_is_not_looked_at(value: bytes) -> None:
    assert rows("groups", "replace", b'{"id":%b,"name":"x","state":"active"}' % value) == []


@pytest.mark.contract("Style custom fields")
@pytest.mark.parametrize("state", [b"deleted", b"active"])
def test_an_item_that_deletes_is_read_as_any_other(state: bytes) -> None:
    body = b'[{"id":1,"state":"%b","maxChar":1.0,"name":"\\u0000"}]' % state
    assert rows("style-custom-fields", "bulkReplace", body) == [
        ("invalid_type", "[0].maxChar"),
        ("invalid_value", "[0].name"),
    ]


@pytest.mark.parametrize("number", [2**63, 2**64, 10**25, -(2**63) - 1, -(10**25)])
def test_integers_beyond_64_bits_are_out_of_range_however_long(number: int) -> None:
    body = b'{"name":"x","colorGroupIds":[%d]}' % number
    assert rows("colors", "create", body) == [("out_of_range", "colorGroupIds[0]")]


def test_members_there_twice_are_named_each() -> None:
    body = b'{"name":"x","colorGroupIds":[4,7,4,5,7,4]}'
    assert rows("colors", "create", body) == [
        ("duplicate", "colorGroupIds[2]"),
        ("duplicate", "colorGroupIds[4]"),
        ("duplicate", "colorGroupIds[5]"),
    ]


@pytest.mark.parametrize("value", [b"1.0", b" -1.0", b"\n1e0", b"\t10E+1"])
@pytest.mark.parametrize("members", [b'"maxChar":%b', b'"name":"2.5","maxChar":%b', b'"x":[7,%b]'])
def test_numbers_with_a_fraction_are_found_wherever_they_stand(
    members: bytes, value: bytes
) -> None:
    assert needs_formats(b"{%b}" % (members % value))


@pytest.mark.parametrize("text", [b"12.50", b"-12.50", b"1e5", b"v1.0"])
def test_decimal_texts_need_no_format_check(text: bytes) -> None:
    """Else each text of a measurement chart would be checked."""
    assert not needs_formats(b'{"value":"%b","others":["%b"],"n":1}' % (text, text))


def test_key_objects_hide_no_equal_ids() -> None:
    entries = [{"id": 1}, {"id": {"name": "M"}}, {"id": 2}, {"id": {"name": "M"}}]
    assert [*duplicate_errors(enumerate(entries), "id")] == []
    details = duplicate_errors(enumerate([*entries, {"id": 1}]), "id")
    assert [detail.path for detail in details] == [(4, "id")]


def test_numbers_with_a_fraction_may_be_whole() -> None:
    body = b'{"name":"x","latitude":41.0,"longitude":-8e0,"contacts":[{"id":3.0}]}'
    assert rows("sub-suppliers", "create", body) == [("invalid_type", "contacts[0].id")]


def test_fields_among_very_many_members_are_read() -> None:
    extra = {f"f{number}": 1 for number in range(2000)}
    body = orjson.dumps({"colour": 1} | extra | {"name": "", "colorGroupIds": [*range(1, 2001)]})
    errors = rows("colors", "create", body)
    assert errors[0] == ("unknown_field", "colour")
    assert errors[-2:] == [("too_short", "name"), ("too_many_items", "colorGroupIds")]
    assert 1000 < len(errors) <= MAX_COLLECTED


def test_a_nested_list_that_is_too_long_hides_no_error_of_the_others() -> None:
    """Rules see what is beside a list with too many items, in the same part of the record."""
    size = {"sizeRangeSizeId": 1, "value": "1"}
    lines = [
        {"lineId": 1, "name": "Chest", "requested": [size, size]},
        {"lineId": 2, "name": "Hem", "requested": [size] * 201},
        {"lineId": 2, "name": "Waist", "requested": []},
    ]
    body = orjson.dumps({"unit": "cm", "lines": lines})
    errors = MeasurementCharts().validators["replace"].errors(parse(body), body)
    assert [(row.type.removeprefix("validation_error."), row.field) for row in errors] == [
        ("duplicate", "lines[0].requested[1].sizeRangeSizeId"),
        ("too_many_items", "lines[1].requested"),
        ("duplicate", "lines[2].lineId"),
    ]
