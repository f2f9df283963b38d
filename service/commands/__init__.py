"""The sub-commands of the command line, one module per kind.

Each module adds its parsers, and sets on each the function that runs it: settings and arguments
in, nothing out. What an operator can do something about is raised as CommandError or as the
service's other one-line errors.
"""

from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Callable
from typing import TypeAlias

from service.settings import Settings

Command: TypeAlias = Callable[[Settings, Namespace], None]
Parsers: TypeAlias = "_SubParsersAction[ArgumentParser]"


class CommandError(Exception):
    """A command cannot be done; the message is one line fit for the operator."""
