"""Effects of faults for operators: what callers see and for how long, from the fault campaign.

``make docs`` writes the table into docs/operating.md, from the tables of docs/reliability.md, which
``make faults`` writes.
"""

import re
from pathlib import Path
from typing import Final

from tests.faults.judge import RESPONSES

_REPORT: Final = Path(__file__).parents[2] / "docs" / "reliability.md"
_SEEN: Final = {
    "success": "success",
    "unavailable": "503, and nothing was done",
    "outcome unknown": "503 `outcome_unknown`: repeat it with the same `Idempotency-Key`",
    "nothing": "a connection that ends without a response: repeat it, too",
}
"""What a caller sees, by the name of a response in the report."""


def effects() -> str:
    """Return a row for each kind of fault that was tried."""
    text = _REPORT.read_text(encoding="utf-8")
    results, responses = _table(text, "slowest return"), _table(text, "outcome unknown")
    rows = [
        f"| {name} | {_seen(responses[name], int(result['rounds']))}"
        f" | {result['torn']} of {result['rounds']} | {result['slowest return']} |"
        for name, result in results.items()
        if name != "together"
    ]
    titles = ("fault, during a write", "its callers see", "torn", "reads succeed again after")
    return "\n".join([f"| {' | '.join(titles)} |", "|---|---|---|---|", *rows])


def _seen(counts: dict[str, str], rounds: int) -> str:
    """Return what callers have seen. Whoever got none of the responses was turned away by a 429."""
    seen = [_SEEN[name] for name in RESPONSES if counts[name] != "0"]
    if sum(int(counts[name]) for name in RESPONSES) < rounds:
        seen.append("429, and nothing was done")
    return "; ".join(seen)


def _table(text: str, column: str) -> dict[str, dict[str, str]]:
    """Return the cells of the table that has a column, by the first one and by title."""
    [table] = re.findall(rf"^\| fault .*\| *{column} .*\n(?:\|.*\n)+", text, re.MULTILINE)
    titles, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
    ]
    return {row[0]: dict(zip(titles, row, strict=True)) for row in rows}
