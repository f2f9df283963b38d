"""Command line entry point: ``selvedge``, or ``python -m service``."""

import argparse
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Final, NoReturn

import asyncpg
import psycopg

from selvedge_client import SelvedgeError
from service import __version__
from service.console import say
from service.database.distribution import DistributionError
from service.events import without_secrets
from service.extras.commands import (
    CommandError,
    administration,
    audit,
    check,
    distribute,
    dump,
    follow,
    installation,
    keys,
    listen,
    openapi,
    purge,
    schema_and_demo,
    serve,
    transfer,
    verify,
    webhook,
)
from service.extras.commands.dump_file import DumpError
from service.extras.commands.installation_cells import InstallationCellError
from service.extras.embedded import EmbeddedServerError
from service.extras.transfer.errors import TransferError
from service.settings import Settings, SettingsError

_ONE_LINE_ERRORS: Final = (
    CommandError,
    DistributionError,
    DumpError,
    EmbeddedServerError,
    InstallationCellError,
    SelvedgeError,
    SettingsError,
    TransferError,
    asyncpg.InterfaceError,
    asyncpg.PostgresError,
    psycopg.Error,
    OSError,
)
"""Errors that the operator can mend: of commands, settings, files, the network and the database.

``main`` prints them as one line. Any other exception is a defect, shown with its traceback.
Passwords and secrets of keys are masked in both.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command of ``arguments``, by default those of the process; return if it succeeds.

    The arguments are parsed first; then the settings are read from the environment, for every
    command. Raise SystemExit with 0 after ``--help`` and ``--version``; 1 after one of
    ``_ONE_LINE_ERRORS``, printed on standard error; 2 for wrong arguments; 130 for Ctrl-C; and 128
    plus the number for SIGTERM and SIGHUP. Once ``serve`` or ``run`` serves, Ctrl-C and these
    signals stop the server, and the status is 0. Other exceptions pass. Replace the process's
    handlers of SIGTERM and SIGHUP, and ``sys.excepthook``.
    """
    for signal_number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signal_number, _exit_on_signal)
    sys.excepthook = _print_traceback
    parsed = _parser().parse_args(arguments)
    try:
        parsed.run(Settings.from_environment(os.environ), parsed)
    except _ONE_LINE_ERRORS as error:
        message = " ".join(without_secrets(str(error)).split())
        say(f"selvedge: {message or type(error).__name__}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


class _Parser(argparse.ArgumentParser):
    """Argument parser without color that escapes control characters: messages quote arguments."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.color = False  # recent releases of Python would color by escape sequences

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, but let the value of an option begin with "-", as cursors may.

        An option is never taken for a value.
        """
        options = {name: action for action in self._actions for name in action.option_strings}
        arguments = list[str]()
        for argument in sys.argv[1:] if args is None else args:
            option = options.get(arguments[-1]) if arguments else None
            if option and option.nargs is None and argument not in options:
                arguments[-1] += f"={argument}"
            else:
                arguments.append(argument)
        return super().parse_known_args(arguments, namespace)

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            say(*message.removesuffix("\n").split("\n"), file=file or sys.stderr)


def _parser() -> argparse.ArgumentParser:
    """Return the parser with all sub-commands.

    Each sets ``run``, a function of the settings and the parsed arguments.
    """
    parser = _Parser(prog="selvedge", description="Selvedge, an External API.")
    parser.add_argument("--version", action="version", version=__version__)
    parsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in (
        serve,
        schema_and_demo,
        dump,
        distribute,
        installation,
        administration,
        keys,
        audit,
        purge,
        check,
        openapi,
        follow,
        listen,
        webhook,
        transfer,
        verify,
    ):
        module.add(parsers)
    return parser


def _print_traceback(
    kind: type[BaseException], error: BaseException, location: TracebackType | None
) -> None:
    """Print the traceback of a defect on standard error, with control characters escaped.

    Passwords and secrets of keys are masked.
    """
    text = without_secrets("".join(traceback.format_exception(kind, error, location)))
    say(*text.rstrip("\n").split("\n"), file=sys.stderr)


def _exit_on_signal(signal_number: int, _: object) -> NoReturn:
    """Raise SystemExit with 128 plus the number, so that context managers stop the server."""
    sys.exit(128 + signal_number)


if __name__ == "__main__":
    main()
