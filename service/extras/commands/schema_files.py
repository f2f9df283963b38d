"""Schemas command: `selvedge schemas DIR` writes the JSON Schema of every body of this release."""

from argparse import Namespace
from pathlib import Path

import orjson

from service import files
from service.console import say
from service.extras.commands import Parsers
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser = parsers.add_parser(
        "schemas",
        description="Write the JSON Schema of the bodies of every resource to files that need no "
        "others, one for each resource. No database and no running service is needed.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the files")
    parser.set_defaults(run=write_schemas)


def write_schemas(_: Settings, arguments: Namespace) -> None:
    """Write the files, in place of those of the same names. Raise OSError if one cannot be."""
    # Imported here: it loads every schema, which few other commands need.
    from service.schemas import load
    from service.schemas.bundles import bundle

    arguments.folder.mkdir(parents=True, exist_ok=True)
    names = [name for name in load() if "/" not in name]
    for name in names:
        text = orjson.dumps(bundle(name), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        with files.fresh(arguments.folder / f"{name}.json", 0o644) as file:
            file.write(text.decode())
    say(f"{len(names)} schemas written to {arguments.folder}")
