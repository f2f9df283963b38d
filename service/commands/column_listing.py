"""`selvedge import --columns COLLECTION`: the columns that a CSV file can have."""

from argparse import Action, ArgumentParser, Namespace
from typing import Any

from service.console import say

_NOTE = """
Lists: [0] is the first entry, [1] the next. An empty cell says nothing. "required" holds within an
entry. Fields that the service sets may have columns too, and are not sent."""


class ListColumns(Action):
    """Prints the columns of a collection, and ends the command as ``--help`` does."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,  # noqa: ARG002
        values: Any,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        """Print them, or refuse a collection that is none."""
        # It loads every schema and resource, which no other command needs.
        from service.transfer.collections import select_collections
        from service.transfer.column_listing import column_rows
        from service.transfer.errors import TransferError

        try:
            [collection] = select_collections([values])
        except TransferError as error:
            parser.error(str(error))
        rows = [("column", "value", "required", "allowed"), *column_rows(collection)]
        widths = [max(map(len, texts)) for texts in zip(*rows, strict=True)]
        for row in rows:
            cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
            say("  ".join(cells).rstrip())
        say(*_NOTE.split("\n"))
        parser.exit()
