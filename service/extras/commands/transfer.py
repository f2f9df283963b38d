"""Transfer commands: `selvedge export` and `selvedge import`, over HTTP (tools, Files)."""

import asyncio
import fcntl
import os
import re
import sys
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

from tqdm import tqdm

from selvedge_client import ALWAYS_DELETED, MAX_MISSING_SHARE, FailureError, MissingOptions
from service.console import say
from service.error_types import ErrorType
from service.extras.commands import CommandError, Parsers
from service.extras.commands.column_listing import ListColumns
from service.extras.commands.import_summary import print_summary, reject_summary
from service.extras.commands.outages import client_from_environment
from service.extras.commands.prompts import whole_number
from service.extras.transfer.collections import select_collections, transfer_collections
from service.extras.transfer.errors import TransferError
from service.extras.transfer.export_files import Export
from service.extras.transfer.files import Source, sources
from service.extras.transfer.import_files import Import, ImportOptions
from service.extras.transfer.rejects import Rejects, reject_files
from service.settings import Settings

_SERVICE: Final = "Set SELVEDGE_URL and SELVEDGE_API_KEY to the address and an API key."
_INTERRUPTED: Final = (
    "written records stay; run the same command again",
    "the dry run was interrupted; nothing was written",
)
"""Messages of an import and of a dry run that end early, unless the files cannot be sent."""
_SHARE: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)(%?)", re.ASCII)


def add(parsers: Parsers) -> None:
    """Add both commands."""
    _add_export(parsers)
    _add_import(parsers)


def _add_export(parsers: Parsers) -> None:
    exporting = parsers.add_parser(
        "export",
        description="Write all live records to NDJSON, CSV or XLSX files, one for each collection, "
        f"parts included. {_SERVICE}",
    )
    exporting.add_argument("folder", type=Path, metavar="DIR", help="folder of the files")
    exporting.add_argument(
        "collections",
        nargs="*",
        metavar="COLLECTION",
        help="collections to export, with their parts (default: all)",
    )
    forms = exporting.add_mutually_exclusive_group()
    forms.add_argument(
        "--csv",
        action="store_const",
        dest="suffix",
        const=".csv",
        default=".ndjson",
        help="write CSV with the fields that an import can read",
    )
    forms.add_argument(
        "--xlsx",
        action="store_const",
        dest="suffix",
        const=".xlsx",
        help="write workbooks with the columns of CSV",
    )
    exporting.set_defaults(run=export)


def _add_import(parsers: Parsers) -> None:
    importing = parsers.add_parser(
        "import",
        description="Read records from NDJSON, CSV or XLSX files, each named after its collection. "
        f"Lines replace the records with their own keys, or create them. {_SERVICE}",
    )
    importing.add_argument("place", type=Path, metavar="DIR|FILE", help="files to read")
    importing.add_argument("--match", action="store_true", help=SUPPRESS)  # always so now
    importing.add_argument(
        "--merge",
        action="store_true",
        help="merge lines into their records, and keep fields that a line lacks",
    )
    importing.add_argument(
        "--delete-missing",
        action="store_true",
        help="delete live records of the key's source that their file does not have",
    )
    importing.add_argument(
        "--at-most",
        type=_share,
        metavar="SHARE",
        help="with --delete-missing: share of a collection's records beyond which none of them is "
        f"deleted, such as 2%% or 0.02 (default: {MAX_MISSING_SHARE:.0%}%)",
    )
    importing.add_argument(
        "--always",
        type=whole_number(0, 10**9, "a whole number such as 10"),
        metavar="NUMBER",
        help="with --delete-missing: number of a collection's records that may be deleted whatever "
        f"their share is (default: {ALWAYS_DELETED})",
    )
    _add_run_options(importing)
    importing.set_defaults(run=import_)


def _add_run_options(importing: ArgumentParser) -> None:
    """Add the options of a run: what stops it, what it writes and how it reads files."""
    importing.add_argument(
        "--on-error",
        choices=["abort", "skip"],
        default="abort",
        help="abort at the first transaction with a rejected line (default), or skip such lines",
    )
    importing.add_argument("--dry-run", action="store_true", help="check everything; write nothing")
    importing.add_argument(
        "--rejects",
        type=Path,
        metavar="FILE",
        help="write rejected lines with their errors to this NDJSON file, and as CSV beside it",
    )
    add_encoding(importing)
    importing.add_argument(
        "--columns",
        action=ListColumns,
        metavar="COLLECTION",
        help="print the columns that a CSV file of the collection can have, and exit",
    )


def add_encoding(parser: ArgumentParser) -> None:
    """Add the option ``--encoding`` of commands that read files."""
    parser.add_argument(
        "--encoding",
        help="encoding of CSV files without a byte order mark, such as cp1252 (default: UTF-8)",
    )


def export(_: Settings, arguments: Namespace) -> None:
    """Write the files and print the number of lines in each. Wait while the service is unavailable.

    The wait has no limit, but a ``Retry-After`` above 600 s fails. Raise CommandError without
    SELVEDGE_URL or SELVEDGE_API_KEY, TransferError for an unknown collection, and SelvedgeError.
    """
    client = client_from_environment()
    collections = select_collections(arguments.collections)
    with tqdm(desc="export", unit=" records", disable=None) as bar:

        async def run() -> dict[str, int]:
            async with client:
                return await Export(
                    client, arguments.folder, collections, bar.update, suffix=arguments.suffix
                ).run()

        counts = asyncio.run(run())
    for name, count in counts.items():
        say(f"{name:28}{count:10}")


def _missing_options(arguments: Namespace) -> MissingOptions | None:
    """Return the options of ``--delete-missing``; None without it."""
    missing: MissingOptions = {}
    if arguments.at_most is not None:
        missing["at_most"] = arguments.at_most
    if arguments.always is not None:
        missing["always"] = arguments.always
    if missing and not arguments.delete_missing:
        raise CommandError(f"--{next(iter(missing)).replace('_', '-')} needs --delete-missing")
    return missing if arguments.delete_missing else None


def _check_rejects(rejects: Path | None, files: Iterable[Source]) -> None:
    """Raise CommandError if a file for rejected lines is one to import."""
    imported = {source.path.absolute() for source in files}
    for path in reject_files(rejects) if rejects else ():
        if path.absolute() in imported:
            raise CommandError(f"{path} is a file to import: use another file for --rejects")


def import_(_: Settings, arguments: Namespace) -> None:
    """Import the files and print a summary. Outages are waited for.

    Raise CommandError for wrong options, before a file is read, and, after the summary, if any line
    was rejected. By default the first transaction with a rejected line ends the import: it writes
    nothing, and what earlier ones wrote stays. With ``--on-error skip`` the other lines are
    written. A dry run writes nothing. Raise TransferError for unusable files.
    """
    client = client_from_environment()  # fails before any file is read
    files = sources(arguments.place, transfer_collections(), text_encoding(arguments.encoding))
    options = ImportOptions(
        skip=arguments.on_error == "skip",
        dry_run=arguments.dry_run,
        merge=arguments.merge,
        missing=_missing_options(arguments),
    )
    _check_rejects(arguments.rejects, files)
    not_deleted = list[str]()
    with (
        Rejects(arguments.rejects) as rejects,
        tqdm(desc="import", unit=" lines", disable=None) as bar,
        nullcontext() if options.dry_run else _locked(files[0].path.parent),
    ):

        async def transfer() -> dict[str, Counter[str]]:
            async with client:
                run = Import(client, files, rejects, options, bar.reset, bar.update, not_deleted)
                return await run.run()

        try:
            counts = asyncio.run(transfer())
        except BaseException as error:
            if _can_be_repeated(error):
                say(_INTERRUPTED[options.dry_run], file=sys.stderr)
            raise
    print_summary(counts)
    if rejects.count:
        raise CommandError(reject_summary(rejects, skips=options.skip, dry_run=options.dry_run))
    if not_deleted:
        raise CommandError(f"not deleted: {len(not_deleted)}; the first is {not_deleted[0]}")


def _can_be_repeated(error: BaseException) -> bool:
    """Return whether the same command can succeed later: the error is no fault of files or key."""
    is_refusal = isinstance(error, FailureError) and error.status < ErrorType.SERVER_ERROR.status
    return not is_refusal and not isinstance(error, TransferError)


def _share(text: str) -> float:
    """Return a share from 0 to 1: the text is a percentage such as 2%, or a number up to 1.

    Raise ArgumentTypeError for any other text.
    """
    match = _SHARE.fullmatch(text)
    share = float(match[1]) / (100 if match[2] else 1) if match else 2.0
    if share > 1:
        raise ArgumentTypeError(f"use a share such as 2% or 0.02, not {text!r}")
    return share


def text_encoding(name: str | None) -> str | None:
    """Return the encoding, None for None. Raise CommandError if it is no text encoding."""
    try:
        if name is not None and "a".encode(name).decode(name) != "a":
            raise LookupError
    except (LookupError, UnicodeError):
        message = f"{name} is no text encoding: use one such as cp1252 or utf-16-le"
        raise CommandError(message) from None
    return name


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder of files; raise TransferError if another import has locked it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise CommandError(f"another import of {folder} is running: wait for its end") from error
    finally:
        os.close(descriptor)
