"""Command line entry point: ``selvedge``, or ``python -m service``."""

import argparse
import errno
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from types import TracebackType
from typing import Any, Final, NoReturn

from service import __version__
from service.console import OperatorError, say
from service.events import without_secrets
from service.settings import Settings

_COMMANDS: Final = {
    "serve": {
        "serve": "serve without migrating",
        "run": "migrate, load demo data into an empty embedded database, and serve",
    },
    "migrate": {"migrate": "migrate the schema to this release"},
    "demo_data": {"demo": "demo data"},
    "dump": {
        "dump": "write the whole database to a file",
        "restore": "restore a dump into an empty database",
        "copy": "copy a whole installation into an empty database",
    },
    "distribute": {"distribute": "distribute the tables over a Citus cluster"},
    "installation": {
        "cell": "make an empty database a further cell",
        "move": "move an organization to the cell of TARGET_DATABASE_URL",
    },
    "administration": {"organization": "create, change, delete or list organizations"},
    "keys": {"key": "issue, list, rotate or revoke API keys"},
    "audit": {"audit": "verify the audit log"},
    "purge": {"purge": "remove for good what was deleted some days ago"},
    "check": {"check": "check settings, database, disk, clock and keys"},
    "openapi": {"openapi": "print the OpenAPI document"},
    "schema_files": {"schemas": "write the JSON Schemas of all bodies"},
    "follow": {"follow": "print changes as they happen"},
    "listen": {"listen": "receive messages of a webhook and print them"},
    "webhook": {"webhook": "list, pause or resume webhooks"},
    "transfer": {"export": "write records to files", "import": "read records from files"},
    "verify": {"verify": "compare files with the records of a service"},
}
"""Effects of commands, by module of ``extras.commands``, which only its commands import."""
_ERRORS_OF_LIBRARIES: Final = {
    "selvedge_client": ("SelvedgeError",),
    "asyncpg": ("InterfaceError", "PostgresError"),
    "psycopg": ("Error",),
}
"""Errors that the operator can mend, beside OperatorError and OSError.

``main`` prints them as one line. Any other exception is a defect, shown with its traceback.
Passwords and secrets of keys are masked in both.
"""


_FILE_ERRORS: Final = {
    errno.ENOENT: "there is no such file or folder: create its folder, or use another name",
    errno.EACCES: "this account may not use it: change its permissions, or use another name",
    errno.EPERM: "this account may not use it: change its permissions, or use another name",
    errno.EROFS: "its file system is read-only: use another folder",
    errno.EEXIST: "it exists already: use another name",
    errno.EISDIR: "it is a folder: use the name of a file",
    errno.ENOTDIR: "a part of the path is a file, not a folder: use another name",
    errno.ENOTEMPTY: "the folder is not empty: use another one",
    errno.ENOSPC: "the disk is full: make room, or use another disk",
    errno.EDQUOT: "the quota of this account is used up: make room, or use another disk",
    errno.ENAMETOOLONG: "the name is too long: use a shorter one",
}
"""Causes and remedies of errors of files, by number."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command of ``arguments``, by default those of the process; return if it succeeds.

    The arguments are parsed first; then the settings are read from the environment, for every
    command. Raise SystemExit with 0 after ``--help`` and ``--version``; 1 after one of
    ``_one_line_errors``, printed on standard error; 2 for wrong arguments; 130 for Ctrl-C; and 128
    plus the number for SIGTERM and SIGHUP. Once ``serve`` or ``run`` serves, Ctrl-C and these
    signals stop the server, and the status is 0. Other exceptions pass. Replace the process's
    handlers of SIGTERM and SIGHUP, and ``sys.excepthook``.
    """
    for signal_number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signal_number, _exit_on_signal)
    sys.excepthook = _print_traceback
    words = sys.argv[1:] if arguments is None else arguments
    parsed = _parser(words).parse_args(words)
    try:
        parsed.run(Settings.from_environment(os.environ), parsed)
    except _one_line_errors() as error:
        message = " ".join(without_secrets(_message(error)).split())
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


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Commands, which are listed before their modules add their arguments."""

    def add_parser(self, name: str, **options: Any) -> Any:
        """Return the parser of a command, which is added unless it is listed."""
        if name not in self.choices:
            return super().add_parser(name, **options)
        self.choices[name].description = options.get("description")
        return self.choices[name]


def _parser(names: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser with all commands, and with the arguments of those in ``names``, or of all.

    Each sets ``run``, a function of the settings and the parsed arguments.
    """
    parser = _Parser(prog="selvedge", description="Selvedge, an External API.")
    parser.add_argument("--version", action="version", version=__version__)
    parsers = parser.add_subparsers(action=_Commands, required=True, metavar="COMMAND")
    for module, effects in _COMMANDS.items():
        for name, effect in effects.items():
            parsers.add_parser(name, help=effect)
        if names is None or not effects.keys().isdisjoint(names):
            import_module(f"service.extras.commands.{module}").add(parsers)
    return parser


def _one_line_errors() -> tuple[type[BaseException], ...]:
    """Return the errors that are shown as one line; a module that is not imported raised none."""
    names = [(module, name) for module, own in _ERRORS_OF_LIBRARIES.items() for name in own]
    loaded = [getattr(sys.modules[module], name) for module, name in names if module in sys.modules]
    return (OperatorError, OSError, *loaded)


def _message(error: BaseException) -> str:
    """Return the text of an error; that of a file names it, says what is wrong and what to do."""
    if not isinstance(error, OSError) or error.filename is None or error.errno is None:
        return str(error)
    name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
    cause = _FILE_ERRORS.get(error.errno, os.strerror(error.errno))
    return f"{str(name).removesuffix('.unfinished')}: {cause}"


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
