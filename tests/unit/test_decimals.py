"""Tests of measured values as texts, to the digit (contract, Values)."""

import pytest

from service.records.scalar_columns import decimal_text

pytestmark = pytest.mark.contract("Values")


@pytest.mark.parametrize(
    ("sent", "stored", "text"),
    [
        (None, "1.0", None),
        ("52.50", None, "52.50"),
        ("52.50", "52.5", "52.50"),
        ("-0", None, "0"),
        ("-0.00", None, "0.00"),
        (52.5, None, "52.5"),
        (52.5, "52.50", "52.50"),
        (52.5, "52.51", "52.5"),
        (7, "7.000", "7.000"),
        (1e-07, None, "0.0000001"),
        (-0.0, "0", "0"),
        (0.1, None, "0.1"),
        (999999999999999.875, None, "999999999999999.9"),
    ],
)
def test_texts_are_kept_and_numbers_are_compared(
    sent: str | float | None, stored: str | None, text: str | None
) -> None:
    """Of a number that equals what is stored the digits stay."""
    assert decimal_text(sent, stored) == text
