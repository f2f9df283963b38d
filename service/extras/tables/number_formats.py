"""Number formats of workbooks: what a number is shown as (ECMA-376, 18.8.30 and 18.8.31)."""

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final, NamedTuple

from service.extras.tables.table_cells import DAY, MOMENT, NUMBER, PERCENT, TIME, TableCell

_BUILT_IN: Final = {
    **dict.fromkeys((9, 10), "0%"),
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 55), 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56), "hh:mm:ss"),
    22: "yyyy-mm-dd hh:mm",
    46: "[h]:mm:ss",
}
"""Codes that stand for the built-in formats of days, times and percentages, by number."""
_LITERAL: Final = re.compile(r'"[^"]*"?|\\.?|_.?|\*.?', re.DOTALL)
"""Texts, and characters that are shown as they are, as a gap of their width, or repeated."""
_BRACKETS: Final = re.compile(r"\[[^\]]*\]?")
_ELAPSED: Final = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_SHOWN: Final = re.compile(r'"[^"]*[^\W_][^"]*"?|\\[^\W_]')
"""Text with letters or digits that is shown beside a number."""
_EXPONENT: Final = re.compile("e[+-][0#?]*", re.IGNORECASE)
_HALVES: Final = re.compile("am/pm|a/p", re.IGNORECASE)
_MAX_CODE_LENGTH: Final = 1000
_ZEROS: Final = re.compile("0{2,}")
_WHOLE: Final = re.compile(r"-?[0-9]+", re.ASCII)
_DAY: Final = timedelta(days=1)
_EPOCH: Final = datetime(1899, 12, 30)
_EPOCH_1904: Final = datetime(1904, 1, 1)
_LEAP_DAY_OF_1900: Final = 60
"""Serial number of the 29th of February 1900, which never was."""
_LAST_DAY: Final = 2_958_465
_DIGITS: Final = 15
"""Decimal digits that spreadsheets keep of a number."""
_MOST_ULPS: Final = 2
"""Distance, in units of the last place, of a double from the decimal number that it stands for."""
_LONGEST: Final = 40
"""Digits of a number that is written without an exponent."""


class NumberFormat(NamedTuple):
    """Format of numbers, as far as it changes what they say."""

    kind: str = NUMBER
    is_elapsed: bool = False
    """Whether a time is a number of hours, which may be more than 24."""
    zeros: int = 0
    """Digits that whole numbers are filled up to by zeros."""
    is_unlike: bool = False
    """Whether zeros are shown in the midst of other signs, or letters or digits beside them."""


GENERAL: Final = NumberFormat()


def built_in(number: int) -> NumberFormat:
    """Return the built-in format of a number."""
    return number_format(_BUILT_IN.get(number, ""))


@lru_cache(maxsize=1024)
def number_format(code: str) -> NumberFormat:
    """Return the format of a code: of its first section, which is that of positive numbers."""
    bare = _LITERAL.sub("", code[:_MAX_CODE_LENGTH]).partition(";")[0]
    if _ELAPSED.search(bare):
        return NumberFormat(TIME, is_elapsed=True)
    signs = _BRACKETS.sub("", bare).lower().replace("general", "")
    if "%" in signs:
        return NumberFormat(PERCENT)
    if set(signs) & set("0#?"):
        signs = _EXPONENT.sub("", signs)
    kind = _kind_of(signs)
    return NumberFormat(kind) if kind != NUMBER else _of_zeros(signs, code.partition(";")[0])


_KINDS: Final = {
    (False, False): NUMBER,
    (True, False): DAY,
    (False, True): TIME,
    (True, True): MOMENT,
}
"""Kinds of numbers by whether their format has a day, and whether it has a time."""


def _kind_of(signs: str) -> str:
    """Return the kind of the numbers that a format shows; ``m`` is a month without hours."""
    has_time = bool(set(signs) & set("hs") or _HALVES.search(signs))
    has_day = bool(set(_HALVES.sub("", signs)) & set("ydge")) or ("m" in signs and not has_time)
    return _KINDS[has_day, has_time]


def _of_zeros(signs: str, section: str) -> NumberFormat:
    """Return the format of numbers, which may have zeros before them, and texts beside them."""
    zeros = len(signs) if _ZEROS.fullmatch(signs) else 0
    has_literals = bool(_LITERAL.search(section)) if zeros else bool(_SHOWN.search(section))
    is_unlike = has_literals or (not zeros and signs.partition(".")[0].count("0") > 1)
    return NumberFormat(zeros=zeros, is_unlike=is_unlike) if zeros or is_unlike else GENERAL


class Dates(NamedTuple):
    """Dates of a workbook: what day its serial numbers count from."""

    is_1904: bool = False
    has_leap_day: bool = True
    """Whether it counts the 29th of February 1900, as all but some strict workbooks do."""

    def start(self, serial: float) -> datetime | None:
        """Return the day that is 0 for a serial number; None if the number is of no day."""
        whole = math.floor(serial)
        last = _LAST_DAY - (1462 if self.is_1904 else 0)
        if self.is_1904 or not self.has_leap_day:
            first = 0 if self.is_1904 else -693_593
            return (_EPOCH_1904 if self.is_1904 else _EPOCH) if first <= whole <= last else None
        if whole < 1 or whole == _LEAP_DAY_OF_1900 or whole > last:
            return None
        return _EPOCH + _DAY if whole < _LEAP_DAY_OF_1900 else _EPOCH


def shown(text: str, form: NumberFormat, dates: Dates) -> TableCell:
    """Return the cell of a number in a format."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return TableCell(text, problem=f"has no number: {text[:_LONGEST]}")
    if not number.is_finite() or abs(number.adjusted()) > 400:
        return TableCell(text[:_LONGEST], problem=f"has no number: {text[:_LONGEST]}")
    if form.kind in _OF_DATES:
        return _OF_DATES[form.kind](number, form, dates)
    return _number(text.strip(), number, form)


def _number(text: str, number: Decimal, form: NumberFormat) -> TableCell:
    exact = number if _WHOLE.fullmatch(text) else _rounded(number)
    if exact is None:
        return TableCell(
            text, form.kind, f"has a number of more than {_DIGITS} digits: write it as a text"
        )
    if form.kind == PERCENT:
        return TableCell(plain(exact * 100), PERCENT)
    digits = plain(exact)
    if form.zeros and _WHOLE.fullmatch(digits):
        sign = "-" if digits.startswith("-") else ""
        digits = sign + digits.removeprefix("-").zfill(form.zeros)
    return TableCell(digits, NUMBER)


def _rounded(number: Decimal) -> Decimal | None:
    """Return the decimal number that a double stands for; None if its last digits are not known.

    Programs write doubles with up to 17 digits, of which spreadsheets show 15.
    """
    if len(number.normalize().as_tuple().digits) <= _DIGITS:
        return number
    short = Decimal(f"{number:.{_DIGITS - 1}e}")
    double = float(number)
    if math.isfinite(double) and abs(double - float(short)) <= _MOST_ULPS * math.ulp(double):
        return short
    return number if number.adjusted() < _DIGITS else None


def plain(number: Decimal) -> str:
    """Return the digits of a number without an exponent and without zeros at the end."""
    if abs(number.adjusted()) > _LONGEST:
        return format(number.normalize(), "E")
    digits = format(number, "f")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if digits in ("-0", "") else digits


def _day(number: Decimal, _: NumberFormat, dates: Dates) -> TableCell:
    moment = _moment_of(number, dates)
    if moment is None:
        return _no_day(number, DAY)
    return TableCell(moment.date().isoformat(), DAY)


def _moment(number: Decimal, _: NumberFormat, dates: Dates) -> TableCell:
    moment = _moment_of(number, dates)
    if moment is None:
        return _no_day(number, MOMENT)
    return moment_cell(moment)


def _time(number: Decimal, form: NumberFormat, _: Dates) -> TableCell:
    if number < 0:
        return TableCell(plain(number), TIME, "shows a time before 0:00")
    milliseconds = round(number * 86_400_000)
    if not form.is_elapsed:
        milliseconds %= 86_400_000
    seconds, rest = divmod(milliseconds, 1000)
    minutes, second = divmod(seconds, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"
    return TableCell(text + (f".{rest:03}" if rest else ""), TIME)


def moment_cell(moment: datetime) -> TableCell:
    """Return the cell of a day and time; of midnight, that of the day."""
    if moment.time() == datetime.min.time():
        return TableCell(moment.date().isoformat(), DAY)
    return TableCell(moment.isoformat(timespec="auto" if moment.microsecond else "seconds"), MOMENT)


def _moment_of(number: Decimal, dates: Dates) -> datetime | None:
    start = dates.start(float(number))
    try:
        milliseconds = round(number * 86_400_000)
        return None if start is None else start + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None


def _no_day(number: Decimal, kind: str) -> TableCell:
    return TableCell(
        plain(number), kind, f"shows the number {plain(number)} as a day: there is none"
    )


_OF_DATES: Final[dict[str, Callable[[Decimal, NumberFormat, Dates], TableCell]]] = {
    DAY: _day,
    MOMENT: _moment,
    TIME: _time,
}
