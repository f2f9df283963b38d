"""Formats: rules of texts that JSON Schema cannot express, by the keyword ``format``."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from ipaddress import IPv6Address
from typing import Final, TypeAlias

import orjson

from service.error_types import ErrorType
from service.schemas.definitions import Schema, load

_Error: TypeAlias = tuple[ErrorType, str]
_CODES: Final = "x-codes"
"""Keyword of a shared list's schema file: the codes that its table has, with spaces in between."""
COUNTRIES: Final[str] = load()["countries"][_CODES]
"""Codes of ISO 3166-1."""
CURRENCIES: Final[str] = load()["currencies"][_CODES]
"""Current codes of ISO 4217 but for metals and tests."""
_COMPANY_PREFIX: Final = re.compile(r"\d{4,11}", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DECIMAL: Final = re.compile(r"-?(0|[1-9]\d{0,99})(\.\d{1,99})?", re.ASCII)
_HEX_COLOR: Final = re.compile(r"#[0-9A-F]{6}", re.ASCII)
_HS_CODE: Final = re.compile(r"\d{6,13}", re.ASCII)
_MEDIA_TYPE: Final = re.compile(r"(?=.{3,100}\Z)[!#$&^.+\w-]+/[!#$&^.+\w-]+", re.ASCII)
_SHA256: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SKU_FORMAT: Final = re.compile(
    r"\A(?=.*\{colorUserDefinedId\})(?=.*\{size(?:Name|Id)\})"
    r"(?:[^{}]|\{(?:styleNumber|colorUserDefinedId|sizeName|sizeId|seasonUserDefinedId)\})*",
    re.DOTALL,
)
_URL_CHARACTER: Final = r"[\w.~!$&'()*+,;=-]|%[0-9a-fA-F]{2}"
"""Unreserved character, sub-delimiter or percent-encoded byte (RFC 3986)."""
URL_TEXT: Final = re.compile(rf"(?:{_URL_CHARACTER}|[:/?#\[\]@])*", re.ASCII)
"""Characters of any URL (RFC 3986)."""
_HTTPS_URL: Final = re.compile(
    rf"https://((?:{_URL_CHARACTER})+|\[(?P<address>[0-9a-fA-F:.]+)\])(?::(?P<port>\d{{0,5}}))?"
    rf"(?:/(?:{_URL_CHARACTER}|[:@/])*)?(?:\?(?:{_URL_CHARACTER}|[:@/?])*)?",
    re.ASCII,
)


def parse_day(text: str) -> date:
    """Parse a day such as ``2027-02-01``; raise ValueError if there is none."""
    message = "Use a day such as 2027-02-01."
    if not _DAY.fullmatch(text):
        raise ValueError(message)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(message) from None


def check_digit(digits: str) -> str:
    """Return the check digit of GS1 that follows the digits."""
    weighted = sum(int(digit) * (1 + 2 * (n % 2 == 0)) for n, digit in enumerate(digits[::-1]))
    return str(-weighted % 10)


def error_of(name: str, text: str) -> _Error | None:
    """Return error type and message of a text that is not of the format; None if it is."""
    return _ERRORS[name](text)


def _invalid(message: str) -> _Error:
    return ErrorType.INVALID_VALUE, message


def _day_error(text: str) -> _Error | None:
    try:
        if 1900 <= parse_day(text).year < 2200:
            return None
    except ValueError as error:
        return _invalid(str(error))
    return _invalid("Use a day from 1900-01-01 to 2199-12-31.")


def _one_of(codes: str, message: str) -> Callable[[str], _Error | None]:
    allowed = frozenset(codes.split())
    return lambda text: None if text in allowed else _invalid(message)


def _of_form(form: re.Pattern[str], message: str) -> Callable[[str], _Error | None]:
    return lambda text: None if form.fullmatch(text) else _invalid(message)


def _decimal(low: str, high: str, digits: int) -> Callable[[str], _Error | None]:
    """Return the check of decimal numbers with at most so many digits after the point."""

    def error(text: str) -> _Error | None:
        if not _DECIMAL.fullmatch(text) or len(text.partition(".")[2]) > digits:
            return _invalid(f"Use a number with at most {digits} digits after the point.")
        if Decimal(low) <= Decimal(text) <= Decimal(high):
            return None
        return ErrorType.OUT_OF_RANGE, f"Use a number from {low} to {high}."

    return error


def gs1_error(*lengths: int) -> Callable[[str], _Error | None]:
    """Return the check of GS1 numbers: digits, the last of which is their check digit."""

    def error(text: str) -> _Error | None:
        if len(text) not in lengths or not (text.isascii() and text.isdigit()):
            return _invalid(f"Use {' or '.join(map(str, lengths))} digits.")
        digits, last, right = text[:-1], text[-1], check_digit(text[:-1])
        if last == right:
            return None
        return _invalid(f"The check digit of {digits} is {right}, not {last}.")

    return error


def _url_error(text: str) -> _Error | None:
    url = _HTTPS_URL.fullmatch(text)
    if url and 0 < int(url["port"] or 443) < 65_536 and _is_ipv6(url["address"] or "::"):
        return None
    return _invalid(
        "Use a URL that begins with https://, without user and fragment; percent-encode what is not"
        " ASCII, white space, quotation marks and angle brackets (RFC 3986)."
    )


def _is_ipv6(text: str) -> bool:
    try:
        return bool(IPv6Address(text))
    except ValueError:
        return False


_ERRORS: Final[dict[str, Callable[[str], _Error | None]]] = {
    "date": _day_error,
    "amount": _decimal("0", "999999999999999.9999", 4),
    "media-type": _of_form(_MEDIA_TYPE, "Use a type and a subtype, such as image/jpeg."),
    "sha256": _of_form(_SHA256, "Use 64 hex digits in lower case."),
    "percentage": _decimal("0.01", "100", 2),
    "share": _decimal("0", "100", 2),
    "country-code": _one_of(COUNTRIES, "Use a code of ISO 3166-1, such as PT."),
    "currency-code": _one_of(CURRENCIES, "Use a current code of ISO 4217, such as EUR."),
    "company-prefix": _of_form(_COMPANY_PREFIX, "Use 4 to 11 digits."),
    "hex-color": _of_form(_HEX_COLOR, "Use # and six hex digits in capitals, such as #1B3A57."),
    "hs-code": _of_form(_HS_CODE, "Use 6 to 13 digits."),
    "gln": gs1_error(13),
    "gtin": gs1_error(8, 12, 13, 14),
    "https-url": _url_error,
    "sku-format": _of_form(
        _SKU_FORMAT,
        "Use {colorUserDefinedId} and {sizeName} or {sizeId}; beside them {styleNumber} and"
        " {seasonUserDefinedId}.",
    ),
}
"""Checks of texts, by the name of the format."""
FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    name: lambda text, error=error: error(text) is None  # type: ignore[misc]
    for name, error in _ERRORS.items()
}
"""Formats for validators of jsonschema-rs: whether a text is of the format."""
_FORMAT: Final = re.compile('"format":"([^"]+)"')


def formats_of(schemas: Mapping[str, Schema]) -> dict[str, Callable[[str], bool]]:
    """Return the formats in schemas: any make validation a fifth slower."""
    names = {*_FORMAT.findall(orjson.dumps(schemas).decode())}
    return {name: check for name, check in FORMATS.items() if name in names}
