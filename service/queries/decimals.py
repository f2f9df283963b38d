"""Decimal texts: measured values to the digit as they were sent (contract, Values)."""

from decimal import Decimal


def decimal_text(value: str | float | None, stored: str | None = None) -> str | None:
    """Return the value as PostgreSQL writes it, without exponent; for a double, its shortest text.

    A double carries no number of digits: if it equals ``stored``, return ``stored``. A zero has no
    sign. None stays None.
    """
    if value is None:
        return None
    decimal = Decimal(value if isinstance(value, str) else repr(value))
    if not isinstance(value, str) and stored is not None and Decimal(stored) == decimal:
        return stored
    return format(abs(decimal) if decimal.is_zero() else decimal, "f")
