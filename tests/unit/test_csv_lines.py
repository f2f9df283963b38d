"""Tests of CSV lines: texts come back as they were, and begin no formula in any spreadsheet."""

import csv
import io
from itertools import product

import pytest

from service import csv_lines

pytestmark = pytest.mark.contract("CSV")

_ALPHABET = "=\uff1d-'\",;\t|\n\r1x"
TEXTS = [
    *("".join(letters) for length in range(5) for letters in product(_ALPHABET, repeat=length)),
    *("a;=cmd|' /C calc'!A0", "+49 30 12", "-1e-05", "@x", "a,b|\uff0bc\t\uff0dd\r\n\uff20e"),
]


def read(line: str, delimiter: str = ",") -> list[list[str]]:
    return [*csv.reader(io.StringIO(line, newline=""), delimiter=delimiter)]


def test_texts_come_back_as_they_were() -> None:
    for text in TEXTS:
        [[_, cell]] = read(csv_lines.line(["5", text]))
        assert csv_lines.unguard(cell) == text, repr(text)
    assert [csv_lines.line([text]) for text in ("", "-1.5", "a b")] == [
        '""\r\n',
        "-1.5\r\n",
        "a b\r\n",
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_no_cell_begins_a_formula(delimiter: str) -> None:
    """Whatever the spreadsheet separates at, and a text that is a number as a whole is none."""
    formulas = {*"=+-@\uff1d\uff0b\uff0d\uff20"}
    for text in TEXTS:
        for row in read(csv_lines.line(["5", text]), delimiter):
            assert not [cell for cell in row if cell[:1] in formulas and cell != text], text
            assert text[:1] not in formulas or text not in row or float(text) < 0


def test_special_cells_are_quoted_for_every_separator() -> None:
    assert csv_lines.line(["a;b", "c|d", "e\tf"]) == '"a;b","c|d","e\tf"\r\n'
