"""Table of the foreign workbooks: how each cell is written, and what reading gives."""

from datetime import date, datetime, time, timedelta
from typing import Any, Final, NamedTuple

HEADINGS: Final = ("number", "name", "netWeight", "isReadyForExport", "description")


class Cell(NamedTuple):
    """Cell as programs write it."""

    value: Any
    format: str = "General"
    formula: str = ""
    """Formula whose result is the value."""


PADDED: Final = r"_-* #,##0.00\ _D_i_n_._-"
ROWS: Final[tuple[tuple[Cell, ...], ...]] = (
    (
        Cell("S-1"),
        Cell(' Jäckchen <&> "漢"'),
        Cell(12.5, PADDED),
        Cell(True),
        Cell("one\ntwo"),
    ),
    (
        Cell(42, "00000"),
        Cell("00123"),
        Cell(0.1 + 0.2),
        Cell(False),
        Cell(date(2026, 2, 28), "yyyy-mm-dd"),
    ),
    (Cell("S-3"), Cell("Time"), Cell(-0.0 + 7, "0.00"), Cell(True), Cell(time(12, 30), "h:mm")),
    (
        Cell("S-4"),
        Cell("Duration"),
        Cell(1234.5, "#,##0.00;[Red]-#,##0.00"),
        Cell(True),
        Cell(timedelta(hours=36), "[h]:mm:ss"),
    ),
    (
        Cell("S-5"),
        Cell("Moment"),
        Cell("41,5"),
        Cell(True),
        Cell(datetime(2026, 2, 28, 12, 30), "dd/mm/yyyy hh:mm"),
    ),
    (
        Cell("S-6"),
        Cell("Formulas"),
        Cell(12.5, "General", "=5*2.5"),
        Cell(True),
        Cell("19-4024", "General", '=CONCATENATE("19-",4024)'),
    ),
    (Cell("S-7"), Cell("An error"), Cell(1), Cell(True), Cell("#N/A", "General", "=NA()")),
    (Cell("S-8"), Cell("#N/A"), Cell(0.0001), Cell(True), Cell(1e-7, "0.00E+00")),
)
RIGHT: Final[dict[str, tuple[str, float, bool, str]]] = {
    "S-1": (' Jäckchen <&> "漢"', 12.5, True, "one\ntwo"),
    "00042": ("00123", 0.3, False, "2026-02-28"),
    "S-3": ("Time", 7, True, "12:30:00"),
    "S-4": ("Duration", 1234.5, True, "36:00:00"),
    "S-5": ("Moment", 41.5, True, "2026-02-28T12:30:00"),
    "S-6": ("Formulas", 12.5, True, "19-4024"),
    "S-8": ("#N/A", 0.0001, True, "0.0000001"),
}
"""Values of the stored styles, by number."""
REFUSED: Final = "E8 shows #N/A."
