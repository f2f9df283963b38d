"""Measured values as they were sent: decimal texts, to the digit (contract, Values)."""

from decimal import Decimal


def decimal_text(value: str | float | None, stored: str | None = None) -> str | None:
    """The value as PostgreSQL writes it; of a double the shortest text that leads back to it.

    A double does not say how many digits it has: one that equals what is ``stored`` is that.
    """
    if value is None:
        return None
    number = Decimal(value if isinstance(value, str) else repr(value))
    if not isinstance(value, str) and stored is not None and Decimal(stored) == number:
        return stored
    return format(abs(number) if number.is_zero() else number, "f")
