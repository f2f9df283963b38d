"""Import summary: counts of outcomes by collection, and the error that names rejected lines."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from service.console import say
from service.extras.transfer.errors import CHECKED, KEPT, REFUSED
from service.extras.transfer.rejects import Rejects

_OUTCOMES: Final = {
    "created": "created",
    "updated": "updated",
    "unchanged": "unchanged",
    "deleted": "deleted",
    "absent": "absent",
    KEPT: "kept",
    REFUSED: "refused",
    CHECKED: "checked",
    "failed": "rejected",
}
"""Titles of the columns of the summary by outcome, in the order of the columns."""
_CHECKED: Final = """
checked: parts with deactivated entries, styles that become ready for export, lines that refer to
records of an earlier transaction, and missing records that others use.
A dry run cannot check everything that depends on stored data."""
"""Explanation of the outcome ``checked``, below a table that has it."""
_KEPT: Final = """
kept: missing barcodes whose numbers stay with their SKUs, because their styles were published.
To delete one, set the status of its style to workInProgress before."""
"""Explanation of the outcome ``kept``."""


def print_summary(counts: Mapping[str, Counter[str]]) -> None:
    """Print a table: a line for each collection, a column for each outcome that occurs.

    ``counts`` has the number of lines by outcome, by collection. Explain the outcomes ``kept`` and
    ``checked`` if they occur.
    """
    columns = [name for name in _OUTCOMES if any(name in outcomes for outcomes in counts.values())]
    say(f"{'':28}" + "".join(f"{_OUTCOMES[outcome]:>11}" for outcome in columns))
    for name, outcomes in counts.items():
        say(f"{name:28}" + "".join(f"{outcomes[outcome]:11}" for outcome in columns))
    for outcome, text in ((KEPT, _KEPT), (CHECKED, _CHECKED)):
        if outcome in columns:
            say(*text.split("\n"))


def reject_summary(rejects: Rejects, *, skips: bool, dry_run: bool) -> str:
    """Return a one-line error: number of rejected lines, what was written, and the first one.

    At its end it names the file with all rejected lines, or the option for one. ``skips`` says that
    an import writes the lines without errors: ``--on-error skip``.
    """
    if skips:
        effect = "nothing was written" if dry_run else "the other lines were imported"
    elif dry_run:
        effect = "an import stops there, with nothing of that transaction written"
    else:
        effect = "nothing of that transaction was written, and nothing after it was sent"
    details = (
        f"all rejected lines: {rejects.path}"
        if rejects.path
        else "--rejects FILE writes all of them to a file"
    )
    return f"rejected: {rejects.count}, and {effect}; the first is {rejects.first}; {details}"
