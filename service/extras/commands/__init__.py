"""Subcommands of the command line, one module per topic.

Each module adds its parsers, and sets the function that runs each as its ``run`` default. Errors
that the operator can mend are raised as CommandError or another error of one line.
"""

from argparse import ArgumentParser, _SubParsersAction
from typing import TypeAlias

from service.console import OperatorError

Parsers: TypeAlias = "_SubParsersAction[ArgumentParser]"


class CommandError(OperatorError):
    """Command that failed. The message is one line for the operator."""
