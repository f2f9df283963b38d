"""From rows to status, code and body (specification, Errors; contract, section 4)."""

import pytest

from service.errors import ApiError, Row, shared_type

NAMES = {
    403: "forbidden.organization",
    404: "not_found",
    412: "precondition_failed",
    409: "conflict.in_use",
    422: "unprocessable.patch",
    400: "validation_error.unknown_reference",
}


@pytest.mark.parametrize("first", range(len(NAMES)))
def test_of_several_statuses_the_first_in_the_contract_s_order(first: int) -> None:
    rest = list(NAMES.items())[first:]
    error = ApiError([Row(name, None, None) for _, name in reversed(rest)])
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
            Row("validation_error.unknown_reference", "[0].x", None),
            Row("conflict.in_use", "[1].id", None),
            Row("conflict.duplicate", "[2].name", None),
        ]
    )
    assert (error.status, error.code) == (409, "conflict")


def test_failed_items_are_counted_not_rows() -> None:
    rows = [Row("validation_error.too_long", f"[{n // 3}].f{n}", None) for n in range(30)]
    assert ApiError(rows).of_bulk("bulk_replace", 50).failed_items == 10
    ids = [Row("not_found", f"ids[{n}]", None) for n in (0, 7, 7)]
    assert ApiError(ids).of_bulk("bulk_delete", 9).failed_items == 2
    whole = [Row("validation_error.too_many_items", None, None)]
    assert ApiError(whole).of_bulk("bulk_replace", 201).failed_items == 201


def test_a_thousand_rows_of_two_hundred_characters() -> None:
    rows = [Row("not_found", f"[{n}].id", "x" * 201) for n in range(1500)]
    body = ApiError(rows).of_bulk("bulk_replace", 1500).body()
    error = body["error"]
    assert isinstance(error, dict)
    assert len(error["details"]) == 1000
    assert error["failed_items"] == 1500
    assert error["details"][0]["value"] == "x" * 199 + "…"
    exact = ApiError([Row("not_found", None, "y" * 200)]).body()["error"]
    assert isinstance(exact, dict)
    assert exact["details"][0]["value"] == "y" * 200
