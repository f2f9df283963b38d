"""Column listing option: `selvedge import --columns COLLECTION` lists the columns of CSV files."""

from argparse import Action, ArgumentParser, Namespace
from typing import Any

from service.console import say

_NOTE = """
List entries are numbered: [0] is the first, [1] the second. An empty cell leaves its field out.
"required" applies within an entry. Columns of fields that the service sets are ignored."""


class ListColumns(Action):
    """Option that prints the columns of a collection and exits, as ``--help`` does."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,  # noqa: ARG002
        values: Any,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        """Print the columns and exit with 0; for an unknown collection exit with an error and 2."""
        # Imported here: it loads every schema and resource, which no other command needs.
        from service.extras.commands.file_columns import column_rows
        from service.extras.transfer.collections import require_collection, transfer_collections
        from service.extras.transfer.errors import TransferError

        collections = transfer_collections()
        try:
            require_collection(values, collections)
        except TransferError as error:
            parser.error(str(error))
        header = ("column", "value", "required", "allowed")
        rows = [header, *column_rows(collections[values])]
        widths = [max(map(len, texts)) for texts in zip(*rows, strict=True)]
        for row in rows:
            cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
            say("  ".join(cells).rstrip())
        say(*_NOTE.split("\n"))
        parser.exit()
