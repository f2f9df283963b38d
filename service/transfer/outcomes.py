"""Import outcomes: those that only an import has, beside the outcomes of the service."""

from typing import Final

NOT_SENT: Final = "not sent"
"""Outcome of lines that were imported earlier and have not changed since."""
CHECKED: Final = "checked"
"""Outcome of what a dry run could not check completely.

That are parts whose owner or references only a real import creates, and missing records in use.
"""
