"""Tables of commands: columns of texts, with times in UTC."""

from collections.abc import Iterable
from datetime import UTC, datetime

from service.console import say, visible


def print_table(titles: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    """Print rows below their titles, in columns, with control characters escaped."""
    lines = [titles, *(tuple(visible(str(cell)) for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    say(*("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines))


def time_text(value: datetime | None) -> str:
    """Return a time in UTC to the second, such as ``2027-01-31T12:00:00Z``; a dash for None."""
    return "-" if value is None else f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
