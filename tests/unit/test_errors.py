"""Tests of errors: status, code and body from collected details (contract, Errors)."""

import pytest

from service.batches.batch import ItemErrors, RequestItems
from service.errors import ApiError, BulkCounts, ErrorDetail, Path, shared_type
from service.handlers.request_items import in_body

pytestmark = pytest.mark.contract("Errors")

NAMES = {
    403: "forbidden.organization",
    404: "not_found",
    412: "precondition_failed",
    409: "conflict.in_use",
    422: "unprocessable.patch",
    400: "validation_error.unknown_reference",
}


@pytest.mark.parametrize("first", range(len(NAMES)))
def test_the_status_follows_the_contract_s_precedence(first: int) -> None:
    rest = list(NAMES.items())[first:]
    error = ApiError([ErrorDetail(name) for _, name in reversed(rest)])
    assert (error.status, error.code) == rest[0]


@pytest.mark.parametrize(
    ("types", "shared"),
    [
        (["not_found"], "not_found"),
        (["validation_error.too_long"] * 2, "validation_error.too_long"),
        (["validation_error.too_long", "validation_error.too_short"], "validation_error"),
        (["conflict.in_use", "conflict.duplicate"], "conflict"),
        (["not_found", "not_found.route"], "not_found"),
    ],
)
def test_the_code_is_what_the_types_share(types: list[str], shared: str) -> None:
    assert shared_type(types) == shared


def test_only_the_rows_behind_the_status_make_the_code() -> None:
    error = ApiError(
        [
            ErrorDetail("validation_error.unknown_reference", (0, "x")),
            ErrorDetail("conflict.in_use", (1, "id")),
            ErrorDetail("conflict.duplicate", (2, "name")),
        ]
    )
    assert (error.status, error.code) == (409, "conflict")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ((), None),
        (("",), ""),
        (("name",), "name"),
        ((3, "allowedValues", 0, "value"), "[3].allowedValues[0].value"),
        (("ids", 3), "ids[3]"),
        (("sort", 0, "order"), "sort[0].order"),
        ((7,), "[7]"),
        ((3, ""), "[3]."),
    ],
)
def test_paths_as_callers_read_them(path: Path, field: str | None) -> None:
    assert ErrorDetail("not_found", path).field == field


def test_failures_of_a_bulk_request() -> None:
    bulk = BulkCounts("bulk_replace", 201)
    some = ApiError([ErrorDetail("not_found")], bulk=bulk, failed_items=10).body()["error"]
    whole = ApiError([ErrorDetail("validation_error.too_many_items")], bulk=bulk).body()["error"]
    assert isinstance(some, dict)
    assert isinstance(whole, dict)
    assert (some["failed_items"], whole["failed_items"]) == (10, 201)
    assert some["summary"] == "10 of 201 items failed; nothing was changed."


def of_items(*failed: tuple[int, int]) -> ItemErrors:
    """Return errors with this many details for the item at each index."""
    items = [{"id": 1}] * 1200
    failures = {
        index: [ErrorDetail("not_found", (f"f{n}",)) for n in range(count)]
        for index, count in failed
    }
    return ItemErrors(RequestItems(items, in_body, failures))


def test_every_failing_item_is_listed_before_the_second_failure_of_any() -> None:
    error = of_items(*((index, 3) for index in range(900))).error()
    listed = [failure.path for failure in error.details[:1000]]
    assert error.failed_items == 900
    assert len(error.details) == 2700
    assert {index for index, _ in listed} == {*range(900)}
    assert listed == sorted(listed)


def test_failures_are_in_request_order() -> None:
    errors = ItemErrors(RequestItems([{"b": 1, "a": 2}, {}], in_body))
    for index, name in ((1, "x"), (0, "missing"), (0, "a"), (0, "b")):
        errors.add(index, "not_found", (name,), "")
    assert [detail.field for detail in errors.error().details] == [
        "[0].b", "[0].a", "[0].missing", "[1].x",
    ]  # fmt: skip


def test_beyond_what_is_listed_only_counts_and_the_status_are_kept() -> None:
    items = [{"a": [0] * 5000}, {"a": 0}, {"a": 0}]
    errors = ItemErrors(
        RequestItems(items, in_body, {1: [ErrorDetail("validation_error.duplicate", ("a",))]})
    )
    for index in range(5000):
        errors.add(0, "validation_error.unknown_reference", ("a", index), "")
    errors.add(1, "validation_error.duplicate", ("b",), "")
    errors.add(2, "validation_error.duplicate", ("a",), "")
    errors.add(0, "not_found", ("id",), "")
    error = errors.error()
    assert (len(error.details), error.failed_items, error.status) == (2002, 3, 404)
    assert {"[1].a", "[2].a"} < {detail.field for detail in error.details[:1000]}


def test_a_thousand_rows_of_two_hundred_characters() -> None:
    failures = [ErrorDetail("not_found", (n, "é" * 300), "x" * 201) for n in range(1500)]
    error = ApiError(failures).body()["error"]
    assert isinstance(error, dict)
    assert len(error["details"]) == 1000
    assert error["details"][0]["value"] == "x" * 199 + "…"
    assert len(error["details"][0]["field"]) == 200
    exact = ApiError([ErrorDetail("not_found", (), "y" * 200)]).body()["error"]
    assert isinstance(exact, dict)
    assert exact["details"][0]["value"] == "y" * 200
