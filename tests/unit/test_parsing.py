"""Tests of the value counter: it counts JSON values without building them."""

import orjson
import pytest

from service.errors import ApiError
from service.limits import MAX_VALUES
from service.schemas.parsing import count_values, parse

pytestmark = pytest.mark.contract("Budgets")

MIB = 2**20
SIGNS = b",[{" * 1000


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        (b"1", 0),
        (b"1,2", 1),
        (b'{"a":[1,{}]}', 4),
        (b'"' + SIGNS + b'"', 0),
        (b'"\\"' + SIGNS + b'\\\\",1', 1),
        (b'"\\\\",["\\\\\\"' + SIGNS + b'"]', 2),
        (b'"\\u0022,",1', 1),
        (b'{"[":",","{":1}', 2),
        (b"[" * 5000, 5000),
    ],
)
def test_signs_in_texts_do_not_count(raw: bytes, values: int) -> None:
    assert count_values(raw) == values


def test_all_values_of_json_count() -> None:
    item = {"id": 1, "text": "a, b", "languages": [{"languageId": 1, "text": "["}] * 30}
    raw = orjson.dumps([item] * 1000, option=orjson.OPT_INDENT_2)
    assert count_values(raw) == 1000 * (1 + 3 + 30 * 3)


@pytest.mark.parametrize("sign", [b'"', b"\\", b'\\"', b'\\\\"', b',"', b'""', b'"a"', b" "])
def test_bytes_that_are_no_json_are_counted_too(sign: bytes) -> None:
    """Accepted bytes end in the parser, after at most the budgeted number of values."""
    raw = sign * (8 * MIB // len(sign))
    assert (count_values(raw) > MAX_VALUES) == (b'"' in sign and sign != b'\\"')


def test_texts_full_of_signs_are_let_through() -> None:
    parse(b'["%b"]' % (SIGNS * 1000))
    parse(b"[%b1]" % (b"1," * (MAX_VALUES - 1)))
    with pytest.raises(ApiError):
        parse(b"[%b1]" % (b"1," * MAX_VALUES))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "Send valid JSON: there is a syntax error at line 1, column 1."),
        (b"{", "Send valid JSON: there is a syntax error at line 1, column 2."),
        (b'{"a": 1,\n "b": nan}', "Send valid JSON: there is a syntax error at line 2, column 7."),
        ('["é", x]'.encode(), "Send valid JSON: there is a syntax error at line 1, column 7."),
        (b'["\xff"]', "Send the body in UTF-8."),
    ],
)
def test_malformed_json_is_reported_by_position(raw: bytes, message: str) -> None:
    with pytest.raises(ApiError) as error:
        parse(raw)
    [failure] = error.value.details
    assert (failure.type, failure.field) == ("validation_error.malformed_json", None)
    assert failure.message == message


@pytest.mark.parametrize("depth", [1, 900, 1010])
def test_duplicate_members_beside_deep_nesting_are_refused(depth: int) -> None:
    raw = b'{"a": %b%b, "a": 1}' % (b"[" * depth, b"]" * depth)
    with pytest.raises(ApiError) as raised:
        parse(raw)
    [failure] = raised.value.details
    assert failure.type == "validation_error.malformed_json"
