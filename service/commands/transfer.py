"""`selvedge export` and `selvedge import`: files of any Selvedge, over HTTP."""

import asyncio
import sys
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tqdm import tqdm

from service.client import Client
from service.commands import CommandError, Parsers
from service.commands.column_listing import ListColumns
from service.commands.prompts import service_from_environment
from service.console import say
from service.settings import Settings
from service.transfer.outage_retry import OutageRetryPolicy

if TYPE_CHECKING:
    from service.transfer.files import Source
    from service.transfer.rejects import Rejects
    from service.transfer.sender import ImportOptions

_WHERE: Final = "SELVEDGE_URL and SELVEDGE_API_KEY name the service."
_REPORT_SECONDS: Final = 60.0
_OUTCOMES: Final = {
    "created": "created",
    "updated": "updated",
    "unchanged": "unchanged",
    "deleted": "deleted",
    "absent": "absent",
    "as before": "as before",
    "checked": "checked",
    "failed": "rejected",
}
"""What the summary calls each outcome."""
_CHECKED: Final = """
checked: parts that belong or refer to what only a real import creates. Their values were checked,
but what depends on stored data was not rehearsed."""


def add(parsers: Parsers) -> None:
    """Add both commands."""
    exporting = parsers.add_parser(
        "export",
        help="write records to files",
        description="Write all live records to files of NDJSON or CSV, one for each collection. "
        f"{_WHERE}",
    )
    exporting.add_argument("folder", type=Path, metavar="DIR", help="where to write")
    exporting.add_argument("collections", nargs="*", metavar="COLLECTION", help="default: all")
    exporting.add_argument(
        "--csv", action="store_true", help="write CSV: what an import can read of each record"
    )
    exporting.set_defaults(run=export)
    importing = parsers.add_parser(
        "import",
        help="read records from files",
        description="Read records from files of NDJSON or CSV, each named after its collection: "
        "new ones are created, lines that were edited since the last time replace what they made. "
        f"{_WHERE}",
    )
    importing.add_argument("place", type=Path, metavar="DIR|FILE", help="what to read")
    importing.add_argument(
        "--match", action="store_true", help="find records by their own keys, and replace them"
    )
    importing.add_argument(
        "--on-error", choices=["abort", "skip"], default="abort", help="abort is the default"
    )
    importing.add_argument("--dry-run", action="store_true", help="only try it; write nothing")
    importing.add_argument(
        "--rejects",
        type=Path,
        metavar="FILE",
        help="write what is wrong with lines here as NDJSON, and as CSV beside it",
    )
    importing.add_argument(
        "--encoding", help="of CSV files without a byte order mark: cp1252; UTF-8 is the default"
    )
    importing.add_argument(
        "--columns",
        action=ListColumns,
        metavar="COLLECTION",
        help="print the columns that a CSV file of the collection can have, and do nothing else",
    )
    importing.set_defaults(run=import_)


def export(_: Settings, arguments: Namespace) -> None:
    """Write the files, and say how many records they have."""
    # It loads every schema and resource, which no other command needs.
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
    """Read the files, and say what became of their lines; CommandError where some were rejected."""
    from service.transfer.collections import transfer_collections
    from service.transfer.files import sources
    from service.transfer.rejects import Rejects, reject_files
    from service.transfer.sender import ImportOptions

    service_from_environment()
    found = sources(arguments.place, transfer_collections(), _encoding(arguments.encoding))
    options = ImportOptions(arguments.match, arguments.on_error == "skip", arguments.dry_run)
    for path in reject_files(arguments.rejects) if arguments.rejects else ():
        if any(path.absolute() == source.path.absolute() for source in found):
            raise CommandError(f"{path} is to be imported: keep rejects elsewhere")
    size = sum(one.path.stat().st_size * (1 + len(one.collection.parts)) for one in found)
    with (
        Rejects(arguments.rejects) as rejects,
        tqdm(total=size, unit="B", unit_scale=True, disable=None) as bar,
    ):
        counts = None
        try:
            counts = asyncio.run(_import(found, rejects, options, bar))
        finally:
            if counts is None:
                say("what came in stays; the same command goes on", file=sys.stderr)
    _print_summary(counts)
    if rejects.count:
        raise CommandError(_reject_summary(rejects, skips=options.skip, dry_run=options.dry_run))


async def _import(
    found: "list[Source]", rejects: "Rejects", options: "ImportOptions", bar: "tqdm[None]"
) -> dict[str, Counter[str]]:
    """Bring the files in, with the map of ids that belongs to the service and the key."""
    from service.transfer.id_map import open_id_map
    from service.transfer.import_files import Import
    from service.transfer.map_files import map_file

    url, key = service_from_environment()
    async with Client(
        url, key, retry_policy=OutageRetryPolicy(on_outage=_outage_reporter(url))
    ) as client:
        path = await map_file(client, found[0].path.parent, url, dry_run=options.dry_run)
        with open_id_map(path, dry_run=options.dry_run) as known:
            return await Import(
                client,
                found,
                known,
                rejects,
                options,
                on_start=bar.set_description,
                on_progress=lambda lines: bar.update(sum(line.size for line in lines)),
            ).run()


def _encoding(name: str | None) -> str | None:
    from service.transfer.encodings import is_text_encoding

    if name is not None and not is_text_encoding(name):
        raise CommandError(f"{name} is no encoding: use a name such as cp1252 or utf-16-le")
    return name


def _outage_reporter(url: str) -> Callable[[str], None]:
    """What tells that the service is away; of one reason once a minute, for all requests."""
    told = dict[str, float]()

    def tell(reason: str) -> None:
        now = time.monotonic()
        if now - told.get(reason, -_REPORT_SECONDS) >= _REPORT_SECONDS:
            told[reason] = now
            say(f"waiting for {url}: {reason}", file=sys.stderr)

    return tell


def _print_summary(counts: Mapping[str, Counter[str]]) -> None:
    shown = [one for one in _OUTCOMES if any(one in found for found in counts.values())]
    say(f"{'':28}" + "".join(f"{_OUTCOMES[one]:>11}" for one in shown))
    for name, found in counts.items():
        say(f"{name:28}" + "".join(f"{found[one]:11}" for one in shown))
    if "checked" in shown:
        say(*_CHECKED.split("\n"))


def _reject_summary(rejects: "Rejects", *, skips: bool, dry_run: bool) -> str:
    if skips:
        went_on = "nothing was written" if dry_run else "the other lines went in"
    elif dry_run:
        went_on = "an import stops there, with nothing of that request written"
    else:
        went_on = "nothing of that request was written, and nothing after it was sent"
    where = f"; all stand in {rejects.path}" if rejects.path else "; --rejects FILE keeps all"
    return f"rejected: {rejects.count}, and {went_on}; the first is {rejects.first}{where}"
