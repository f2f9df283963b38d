"""Asking the operator: before what is hard to undo, and which service is meant."""

import os
import sys
from argparse import ArgumentParser, Namespace

from service.commands import CommandError
from service.console import say


def add_yes(parser: ArgumentParser) -> None:
    """Add the option that answers before the question is asked."""
    parser.add_argument("--yes", action="store_true", help="do not ask")


def confirm(arguments: Namespace, question: str) -> None:
    """Return when the operator agrees, or did so by `--yes`; raises CommandError otherwise."""
    if arguments.yes:
        return
    if not sys.stdin.isatty():
        raise CommandError("nothing was done: nobody is here to be asked; see it and add --yes")
    say(f"{question} [y/N] ", end="")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError("nothing was done")


def service_from_environment() -> tuple[str, str]:
    """The address and the key by the environment; raises CommandError where one is missing."""
    url, key = (os.environ.get(name) for name in ("SELVEDGE_URL", "SELVEDGE_API_KEY"))
    if not url or not key:
        raise CommandError("SELVEDGE_URL and SELVEDGE_API_KEY name the service and the key")
    return url, key
