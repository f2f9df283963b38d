"""Decimal texts: values of charts and measurements, to the digit as sent (contract, Values)."""

from decimal import Decimal


def decimal_text(value: str | float | None, stored: str | None = None) -> str | None:
    """Return the text of a value as PostgreSQL writes it: without exponent, a zero without sign.

    A text keeps its digits: ``52.50`` stays ``52.50``. A JSON number gets its shortest text, or
    ``stored``, the text that is stored now, if it equals that: a double carries no number of
    digits. The schema has checked the form of texts. None stays None.
    """
    if value is None:
        return None
    decimal = Decimal(value if isinstance(value, str) else repr(value))
    if not isinstance(value, str) and stored is not None and Decimal(stored) == decimal:
        return stored
    return format(abs(decimal) if decimal.is_zero() else decimal, "f")
