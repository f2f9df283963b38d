"""Transfer errors: failures of an export or import that the operator can mend."""

from typing import Final

from service.console import OperatorError


class TransferError(OperatorError):
    """Export or import that cannot start or continue. The message is one line for the operator."""


REFUSED: Final = "refused"
"""Outcome of missing records that were not deleted: too many, or in use."""
KEPT: Final = "kept"
"""Outcome of missing barcodes that the service keeps for good: that is no failure."""
CHECKED: Final = "checked"
"""Outcome of what a dry run could not check completely.

That are parts with deactivated entries, lines that refer to records of an earlier transaction, and
missing records in use.
"""
