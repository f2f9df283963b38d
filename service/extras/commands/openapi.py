"""OpenAPI command: `selvedge openapi` prints the OpenAPI document of this release."""

from argparse import Namespace

import orjson

from service.console import say
from service.extras.commands import Parsers
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser = parsers.add_parser("openapi")
    parser.set_defaults(run=print_document)


def print_document(_: Settings, __: Namespace) -> None:
    """Print the document as indented JSON. No database and no running service is needed."""
    # Imported here: it loads every schema, which no other command needs.
    from service.openapi import build

    document = orjson.dumps(build(), option=orjson.OPT_INDENT_2)
    say(*document.decode().split("\n"))
