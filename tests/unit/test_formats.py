"""Formats of texts: days, codes, check digits, URLs (contract, Values)."""

from typing import Any

import pytest

from service import schemas
from service.errors import ErrorDetail
from service.schemas import formats
from service.schemas.extra_checks import format_errors
from service.schemas.messages import error_details
from service.schemas.validation import Validator

pytestmark = pytest.mark.contract("Values")

SCALARS = "common/scalars"
LONGEST = "9" * 15 + ".9999"
_NO_URL = ('"', "<", ">", "\u202e", "ä", "%", "%4", "%g0", "{", "|", "^", "`", "[", "\\")
VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "date": (
        ["1900-01-01", "2199-12-31", "2028-02-29"],
        ["1899-12-31", "2200-01-01", "2027-02-29", "20270201", "2027-2-1", "2027-02-01 "],
    ),
    "amount": (
        [0, 12.5, "0", "12.50", "0.0001", LONGEST],
        [-1, 1e15, 0.00001, "-1", "01", "1.", ".5", "1e3", "1.00000", "9" * 16, "", "\u0661"],
    ),
    "percentage": (
        [0.01, 100, "100.00", "33.3"],
        [0, 100.01, 0.005, "0", "0.00", "100.01", "1.000"],
    ),
    "countryCodeOrNull": ([None, "PT", "AX"], ["pt", "XK", "UK", "PRT", "", " PT"]),
    "currencyCode": (["EUR", "XCG"], ["eur", "BGN", "HRK", "XAU", "EURO", ""]),
    "currencyCodeOrNull": ([None, "JPY"], ["DEM"]),
    "hsCodeOrNull": (
        [None, "610910", "6109100010000"],
        ["61091", "61091000100000", "6109.10", "\u0666109100"],
    ),
    "glnOrNull": ([None, "4006381333931"], ["4006381333932", "96385074", "400638133393x"]),
    "gtin": (
        ["96385074", "036000291452", "4006381333931", "14006381333938"],
        ["96385075", "4006381333932", "40063813339", "", "\u0664006381333931"],
    ),
    "httpsUrlOrNull": (
        [
            None, "https://example.com", "https://example.com:8443/a%20b?c=d", "https://[::1]/x",
            "https://xn--bcher-kva.example.com:/", "https://example.com?a=/?:@&b=%C3%A4",
            "https://a_b.example.com/!$&'()*+,;=~",
        ],
        [
            "http://example.com", "HTTPS://example.com", "https://", "https:///a", "https://u@example.com",
            "https://example.com/#a", "https://example.com/a b", "https://example.com/\n", "https://[::1",
            "https://example.com:0", "https://example.com:x", "https://example.com/" + "a" * 1981,
            "https://example.com:65536", "https://[1:2]/", "https://[::1]x/",
            *(f"https://a{wrong}.example.com/" for wrong in _NO_URL),
            *(f"https://example.com/{wrong}" for wrong in _NO_URL),
            *(f"https://example.com/?{wrong}" for wrong in _NO_URL),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_scalars_take_what_their_format_allows(name: str) -> None:
    right, wrong = VALUES[name]
    assert [value for value in right if errors(name, value)] == []
    assert [value for value in wrong if not errors(name, value)] == []


def test_messages_say_what_is_wrong() -> None:
    for name, value, error in (
        (
            "gtin",
            "4006381333932",
            ("invalid_value", "The check digit of 400638133393 is 1, not 2."),
        ),
        ("gln", "1", ("invalid_value", "Use 13 digits.")),
        ("percentage", "101", ("out_of_range", "Use a number from 0.01 to 100.")),
        ("amount", "-0.01", ("out_of_range", "Use a number from 0 to 999999999999999.9999.")),
        ("amount", "9" * 16, ("out_of_range", "Use a number from 0 to 999999999999999.9999.")),
        ("date", "2200-01-01", ("invalid_value", "Use a day from 1900-01-01 to 2199-12-31.")),
    ):
        type_, message = formats.error_of(name, value) or (None, "")
        assert (str(type_).removeprefix("validation_error."), message) == error


def errors(name: str, value: object) -> list[ErrorDetail]:
    """Return the errors of a value of a scalar."""
    violations = Validator(SCALARS, name)._compiled.iter_errors({name: value})
    details = [detail for violation in violations for detail in error_details(violation, 1)]
    return [*details, *format_errors(schemas.definition(SCALARS, name), value)]


def test_forms_of_a_file_are_compiled_as_one() -> None:
    """One for each would take three times the memory."""
    forms = [Validator("brands", name) for name in ("create", "bulkCreate", "merge")]
    assert len({id(form._compiled) for form in forms}) == 1
