"""Transfer commands: `selvedge export` and `selvedge import`, over HTTP (contract, Files)."""

import asyncio
import re
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tqdm import tqdm

from service.client import Client
from service.client.options import MAX_MISSING_SHARE
from service.commands import CommandError, Parsers
from service.commands.column_listing import ListColumns
from service.commands.import_summary import print_summary, reject_summary
from service.commands.prompts import service_from_environment
from service.console import say
from service.settings import Settings
from service.transfer.outage_retry import OutageRetryPolicy

if TYPE_CHECKING:
    from service.transfer.files import Source
    from service.transfer.rejects import Rejects
    from service.transfer.sender import ImportOptions

_SERVICE: Final = "Set SELVEDGE_URL and SELVEDGE_API_KEY to the address and an API key."
_REPORT_SECONDS: Final = 60.0
_INTERRUPTED: Final = (
    "imported records stay; run the same command to continue",
    "the dry run was interrupted; nothing was written",
)
"""Messages of an import and of a dry run that end early, by an interrupt or an error."""
_SHARE: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)(%?)", re.ASCII)


def add(parsers: Parsers) -> None:
    """Add both commands."""
    _add_export(parsers)
    _add_import(parsers)


def _add_export(parsers: Parsers) -> None:
    exporting = parsers.add_parser(
        "export",
        help="write records to files",
        description="Write all live records to NDJSON or CSV files, one for each collection, "
        "parts included. "
        f"{_SERVICE}",
    )
    exporting.add_argument("folder", type=Path, metavar="DIR", help="folder of the files")
    exporting.add_argument(
        "collections",
        nargs="*",
        metavar="COLLECTION",
        help="collections to export, with their parts (default: all)",
    )
    exporting.add_argument(
        "--csv", action="store_true", help="write CSV with the fields that an import can read"
    )
    exporting.set_defaults(run=export)


def _add_import(parsers: Parsers) -> None:
    importing = parsers.add_parser(
        "import",
        help="read records from files",
        description="Read records from NDJSON or CSV files, each named after its collection. New "
        "lines create records; lines edited since their last import replace their records. "
        f"{_SERVICE}",
    )
    importing.add_argument("place", type=Path, metavar="DIR|FILE", help="files to read")
    importing.add_argument(
        "--match",
        action="store_true",
        help="match lines to stored records by own key; a matched record is replaced",
    )
    importing.add_argument(
        "--merge",
        action="store_true",
        help="with --match: merge lines into their records, and keep fields that a line lacks",
    )
    importing.add_argument(
        "--delete-missing",
        action="store_true",
        help="with --match: delete live records with an own key that their file does not have",
    )
    importing.add_argument(
        "--at-most",
        type=_share,
        metavar="SHARE",
        help="with --delete-missing: share of a collection's records beyond which nothing is "
        f"deleted, such as 2%% or 0.02 (default: {MAX_MISSING_SHARE:.0%}%)",
    )
    _add_run_options(importing)
    importing.set_defaults(run=import_)


def _add_run_options(importing: ArgumentParser) -> None:
    """Add the options of a run: what stops it, what it writes and how it reads files."""
    importing.add_argument(
        "--on-error",
        choices=["abort", "skip"],
        default="abort",
        help="abort at the first failed request (default), or skip rejected lines",
    )
    importing.add_argument("--dry-run", action="store_true", help="check everything; write nothing")
    importing.add_argument(
        "--rejects",
        type=Path,
        metavar="FILE",
        help="write rejected lines with their errors to this NDJSON file, and as CSV beside it",
    )
    importing.add_argument(
        "--encoding",
        help="encoding of CSV files without a byte order mark, such as cp1252 (default: UTF-8)",
    )
    importing.add_argument(
        "--columns",
        action=ListColumns,
        metavar="COLLECTION",
        help="print the columns that a CSV file of the collection can have, and exit",
    )


def export(_: Settings, arguments: Namespace) -> None:
    """Write the files and print the number of lines in each. Wait while the service is unavailable.

    The wait has no limit, but a ``Retry-After`` above 600 s fails. Raise CommandError without
    SELVEDGE_URL or SELVEDGE_API_KEY, TransferError for an unknown collection, and SelvedgeError.
    """
    # Imported here: it loads every schema and resource, which no other command needs.
    from service.transfer.collections import select_collections
    from service.transfer.export_files import Export

    url, key = service_from_environment()
    collections = select_collections(arguments.collections)
    with tqdm(desc="export", unit=" records", disable=None) as bar:

        async def run() -> dict[str, int]:
            async with Client(
                url, key, retry_policy=OutageRetryPolicy(on_outage=_outage_reporter(url))
            ) as client:
                return await Export(
                    client, arguments.folder, collections, bar.update, csv=arguments.csv
                ).run()

        counts = asyncio.run(run())
    for name, count in counts.items():
        say(f"{name:28}{count:10}")


def import_(_: Settings, arguments: Namespace) -> None:
    """Import the files and print a summary. Outages are waited for.

    Raise CommandError for wrong options, before a file is read, and, after the summary, if any line
    was rejected. By default the first rejected line ends the import: its request writes nothing,
    later lines are not sent, and what other requests wrote stays. With ``--on-error skip`` the
    other lines are written. A dry run writes nothing. Raise TransferError for unusable files.
    """
    from service.transfer.collections import transfer_collections
    from service.transfer.files import sources
    from service.transfer.rejects import Rejects, reject_files
    from service.transfer.sender import ImportOptions

    service_from_environment()  # fails before any file is read
    files = sources(arguments.place, transfer_collections(), _encoding(arguments.encoding))
    _require_needed_options(arguments)
    options = ImportOptions(
        match=arguments.match,
        skip=arguments.on_error == "skip",
        dry_run=arguments.dry_run,
        merge=arguments.merge,
        delete_missing=arguments.delete_missing,
        at_most=MAX_MISSING_SHARE if arguments.at_most is None else arguments.at_most,
    )
    for path in reject_files(arguments.rejects) if arguments.rejects else ():
        if any(path.absolute() == source.path.absolute() for source in files):
            raise CommandError(f"{path} is a file to import: use another file for --rejects")
    size = sum(source.path.stat().st_size for source in files)
    with (
        Rejects(arguments.rejects) as rejects,
        tqdm(total=size, unit="B", unit_scale=True, disable=None) as bar,
    ):
        counts = None
        try:
            counts = asyncio.run(_import(files, rejects, options, bar))
        finally:
            if counts is None:
                say(_INTERRUPTED[options.dry_run], file=sys.stderr)
    print_summary(counts)
    if rejects.count:
        raise CommandError(reject_summary(rejects, skips=options.skip, dry_run=options.dry_run))


async def _import(
    files: "list[Source]", rejects: "Rejects", options: "ImportOptions", bar: "tqdm[None]"
) -> dict[str, Counter[str]]:
    """Import the files, with the id map beside them; return the counts of outcomes by collection.

    With ``--match`` records are identified by their own keys, and a temporary map is used.
    """
    from service.transfer.id_map import open_id_map, temporary_id_map
    from service.transfer.import_files import Import
    from service.transfer.map_files import map_file

    url, key = service_from_environment()
    async with Client(
        url, key, retry_policy=OutageRetryPolicy(on_outage=_outage_reporter(url))
    ) as client:
        if options.match:
            opened = temporary_id_map()
        else:
            path = await map_file(client, files[0].path.parent, url, dry_run=options.dry_run)
            opened = open_id_map(path, dry_run=options.dry_run)
        with opened as id_map:
            return await Import(
                client,
                files,
                id_map,
                rejects,
                options,
                on_start=bar.set_description,
                on_progress=lambda lines: bar.update(sum(line.size for line in lines)),
            ).run()


def _require_needed_options(arguments: Namespace) -> None:
    """Raise CommandError for an option without the one that it needs.

    ``--merge`` and ``--delete-missing`` need ``--match``; ``--at-most`` needs ``--delete-missing``.
    """
    for option, needed in (
        ("merge", "match"),
        ("delete_missing", "match"),
        ("at_most", "delete_missing"),
    ):
        value = getattr(arguments, option)
        if value is not None and value is not False and not getattr(arguments, needed):
            raise CommandError(f"--{option} needs --{needed}".replace("_", "-"))


def _share(text: str) -> float:
    """Return a share from 0 to 1: the text is a percentage such as 2%, or a number up to 1.

    Raise ArgumentTypeError for any other text.
    """
    match = _SHARE.fullmatch(text)
    share = float(match[1]) / (100 if match[2] else 1) if match else 2.0
    if share > 1:
        raise ArgumentTypeError(f"use a share such as 2% or 0.02, not {text!r}")
    return share


def _encoding(name: str | None) -> str | None:
    """Return the encoding, None for None. Raise CommandError if it is no text encoding."""
    from service.transfer.encodings import is_text_encoding

    if name is not None and not is_text_encoding(name):
        raise CommandError(f"{name} is no text encoding: use one such as cp1252 or utf-16-le")
    return name


def _outage_reporter(url: str) -> Callable[[str], None]:
    """Return a function that prints an outage, each reason at most once a minute."""
    reported_at = dict[str, float]()

    def report(reason: str) -> None:
        now = time.monotonic()
        if now - reported_at.get(reason, -_REPORT_SECONDS) >= _REPORT_SECONDS:
            reported_at[reason] = now
            say(f"waiting for {url}: {reason}", file=sys.stderr)

    return report
