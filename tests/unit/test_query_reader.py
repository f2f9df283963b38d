"""Query reader: every kind of wrong parameter has one wording, in the order of the query."""

import pytest

from service.errors import ApiError
from service.listing.query_reader import QueryReader

pytestmark = pytest.mark.contract("Errors")


def rows(reader: QueryReader) -> list[tuple[str, str | None, str | None]]:
    """Type, field and message of each error."""
    with pytest.raises(ApiError) as error:
        reader.raise_errors()
    return [
        (detail.type.removeprefix("validation_error."), detail.field, detail.value)
        for detail in error.value.details
    ]


def test_right_parameters_are_read() -> None:
    reader = QueryReader(
        [("limit", "7"), ("id", "a"), ("mode", "skip"), ("id", "b"), ("dry", "true")]
    )
    reader.only("limit", "id", "mode", "dry")
    assert reader.integer("limit", 1, 1, 10) == 7
    assert reader.choice("mode", "abort", "skip") == "skip"
    assert reader.boolean("dry")
    assert reader.texts["id"] == ["a", "b"]
    reader.raise_errors()


def test_missing_parameters_have_defaults() -> None:
    reader = QueryReader([])
    reader.only()
    assert reader.single("x") is None
    assert reader.integer("x", 5, 1, 3) == 5
    assert reader.choice("x", "a") is None
    assert not reader.boolean("x")
    reader.raise_errors()


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("x", ("invalid_value", "n", "Use a whole number.")),
        ("", ("invalid_value", "n", "Use a whole number.")),
        ("1.0", ("invalid_value", "n", "Use a whole number.")),
        ("٣", ("invalid_value", "n", "Use a whole number.")),
        ("-1", ("out_of_range", "n", "Use a number from 1 to 30.")),
        ("9" * 40, ("out_of_range", "n", "Use a number from 1 to 30.")),
    ],
)
def test_integers_within_bounds(text: str, row: tuple[str, str, str]) -> None:
    reader = QueryReader([("n", text)])
    assert reader.integer("n", 10, 1, 30) == 10
    assert rows(reader) == [row]


def test_errors_are_in_the_order_of_the_query() -> None:
    names = ["b", "zero\0", "c", "d", "b", "a"]
    reader = QueryReader([(name, "x") for name in names])
    reader.fail_required("absent")
    reader.choice("a", "left", "right", "both")
    reader.boolean("d")
    reader.single("b")
    reader.only("a", "b", "c", "d")
    reader.integer("c", 0, 0, 1)
    assert rows(reader) == [
        ("duplicate", "b", "Give this parameter once."),
        ("unknown_parameter", "zero\\0", "There is no such parameter."),
        ("invalid_value", "c", "Use a whole number."),
        ("invalid_value", "d", "Use false or true."),
        ("invalid_value", "a", "Use one of left, right, both."),
        ("required_field", "absent", "This parameter is required."),
    ]


def test_a_repeated_parameter_has_one_error() -> None:
    """Its values are not read: which of them is meant is unknown."""
    reader = QueryReader([("n", "x"), ("n", "y"), ("n", "z"), ("m", "x"), ("m", "y")])
    reader.only("n", "m")
    assert reader.integer("n", 3, 1, 9) == 3
    assert reader.choice("m", "x", "y") is None
    assert [row[:2] for row in rows(reader)] == [("duplicate", "n"), ("duplicate", "m")]
