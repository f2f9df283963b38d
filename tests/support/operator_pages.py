"""Pages for operators: the tables of settings and of commands, made from the code that reads them.

``make docs`` writes them into docs/settings.md and docs/commands.md.
"""

import argparse
import ast
import inspect
import textwrap
from collections.abc import Iterator

from service import settings
from service.__main__ import _parser


def setting_rows() -> dict[str, tuple[str, str]]:
    """Return variable -> default and meaning, from the docstrings of the fields of ``Settings``.

    The docstring of a field ends with "Default: …"; the variable is its name in capitals.
    """
    [fields] = ast.parse(inspect.getsource(settings.Settings)).body
    assert isinstance(fields, ast.ClassDef)
    rows = {}
    for field, docstring in zip(fields.body, fields.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(docstring, ast.Expr):
            text = " ".join(ast.literal_eval(docstring.value).split()).replace("``", "`")
            meaning, _, default = text.rpartition(" Default: ")
            rows[ast.unparse(field.target).upper()] = default.removesuffix("."), meaning
    return rows


def settings_table() -> str:
    """Return the table of settings."""
    rows = [f"| `{name}` | {' | '.join(texts)} |" for name, texts in setting_rows().items()]
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows])


def commands() -> str:
    """Return a section for each command: usage, effect, and the arguments that have a help."""
    return "\n\n".join(_sections(_parser(), "selvedge"))


def _sections(parser: argparse.ArgumentParser, command: str, effect: str = "") -> Iterator[str]:
    actions = [action for action in parser._actions if action.dest != "help"]
    for action in actions:
        if isinstance(action, argparse._SubParsersAction):
            effects = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, choice in action.choices.items():
                yield from _sections(choice, f"{command} {name}", effects[name])
            return
    usage = textwrap.fill(
        " ".join([command, *map(_argument, actions)]),
        100,
        initial_indent="    ",
        subsequent_indent="        ",
        break_on_hyphens=False,
    )
    text = parser.description or effect
    helps = [(_name(action), action.help % vars(action)) for action in actions if action.help]
    lines = [f"- `{name}`: {line}" for name, line in helps]
    effect = textwrap.fill(f"{text[:1].upper()}{text[1:].rstrip('.')}.", 110)
    parts = [f"## {command.partition(' ')[2]}", usage, effect]
    yield "\n\n".join([*parts, *(["\n".join(lines)] if lines else [])])


def _name(action: argparse.Action) -> str:
    """Return the option, or the placeholder of a positional argument."""
    return action.option_strings[0] if action.option_strings else _placeholder(action)


def _placeholder(action: argparse.Action) -> str:
    choices = "|".join(map(str, action.choices or ()))
    return str(action.metavar or choices or action.dest.upper())


def _argument(action: argparse.Action) -> str:
    """Return an argument as usage lines have it, optional ones in brackets."""
    value = "" if action.nargs == 0 else _placeholder(action)
    if not action.option_strings:
        return {"?": f"[{value}]", "*": f"[{value} …]"}.get(str(action.nargs), value)
    option = f"{action.option_strings[0]} {value}".strip()
    return option if action.required else f"[{option}]"
