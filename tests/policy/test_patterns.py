"""Regular expressions of the service: each takes linear time, whatever text it is given.

All are held to it, so nobody has to tell which of them see what callers send.

Patterns of `schemas/` are not among these: the validator's engine takes linear time for all.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import pytest

from tests.policy.sources import SERVICE, installed_modules, label, nodes, tree
from tests.support.processor_time import LeastTime

_METHODS: Final = ("match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn")
_UNSEEN: Final = {"fullmatch", "search", "sub"}
"""Methods that are tried where the calls of a pattern cannot be seen."""
_parser: Any = importlib.import_module("re._parser")
_SHORT: Final = 1500
_LONG: Final = 4 * _SHORT
_QUICK_SECONDS: Final = 0.001
"""For the long text; a pattern of quadratic time takes 10 times as long and more."""
_GROWTH: Final = 8
"""Linear time grows by 4, quadratic time by 16."""
_MEASUREMENTS: Final = 4
_GROUPS: Final = ("BRANCH", "SUBPATTERN", "MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
"""Kinds of what may be more than one character."""


@dataclass(frozen=True)
class Use:
    """Pattern, and a method of it that is called."""

    module: str
    name: str
    pattern: re.Pattern[str]
    method: str

    def seconds(self, text: str) -> float:
        """Return the processor time that the method takes for a text."""
        arguments = ("", text) if self.method in ("sub", "subn") else (text,)
        used = LeastTime()
        for _ in used.attempts():
            result: Any = getattr(self.pattern, self.method)(*arguments)
            if self.method == "finditer":
                list(result)
        return used.seconds


def _calls(part: ast.AST) -> list[ast.Call]:
    """Return the calls of functions of `re` within a part of a module."""
    return [
        node
        for node in nodes(part)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr != "escape"
    ]


def _patterns(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        is_text = isinstance(value.pattern, str)
        yield value if is_text else re.compile(value.pattern.decode())
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _patterns(each)


def _name(statement: ast.stmt) -> str | None:
    """Return the name that a statement binds."""
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0])
    return ast.unparse(statement.target) if isinstance(statement, ast.AnnAssign) else None


def _methods(module: ast.AST, name: str) -> set[str]:
    """Return the methods of a pattern that a module calls, or those of _UNSEEN."""
    methods = {
        node.attr
        for node in nodes(module)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    }
    return methods & {*_METHODS} or _UNSEEN


def _uses(path: Path) -> Iterator[Use]:
    """Yield every use of a pattern in a module; raise AssertionError for one that hides."""
    module = label(path)
    for statement in tree(path).body:
        calls, name = _calls(statement), _name(statement)
        if calls and name:
            dotted = module.removesuffix(".py").replace("/", ".")
            dotted = f"service.{dotted}" if path.is_relative_to(SERVICE) else dotted
            bound = getattr(importlib.import_module(dotted), name)
            patterns, methods = [*_patterns(bound)], sorted(_methods(tree(path), name))
            assert len(patterns) == len(calls), f"{module}: {name} hides patterns"
            for pattern in patterns:
                yield from (Use(module, name, pattern, each) for each in methods)
            continue
        for call in calls:
            assert isinstance(call.func, ast.Attribute)
            text = call.args[0]
            where = f"{module}:{call.lineno}"
            assert isinstance(text, ast.Constant), f"{where}: compile it for the module"
            assert call.func.attr in _METHODS, f"{where}: compile it for the module"
            yield Use(module, f"line {call.lineno}", re.compile(str(text.value)), call.func.attr)


@cache
def _all_uses() -> list[Use]:
    """Return the uses of patterns in all modules."""
    return [use for path in installed_modules() for use in _uses(path)]


def _sample(parsed: Any) -> str:
    """Return a text that a parsed pattern matches, roughly."""
    return "".join(_part(str(kind), value) for kind, value in parsed)


def _part(kind: str, value: Any) -> str:
    if kind == "LITERAL":
        return chr(value)
    if kind == "IN":
        return _member(value)
    if kind.endswith("REPEAT"):
        times = max(1, min(int(value[0]), 3))
        return _sample(value[2]) * times
    if kind == "SUBPATTERN":
        return _sample(value[3])
    if kind == "BRANCH":
        return _sample(value[1][0])
    return "x" if kind in ("ANY", "NOT_LITERAL") else ""


def _member(members: Any) -> str:
    """Return a character of a set."""
    kind, value = str(members[0][0]), members[0][1]
    if kind == "RANGE":
        return chr(value[0])
    if kind == "CATEGORY":
        return {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " "}.get(str(value), "w")
    return chr(value) if kind == "LITERAL" else "x"


def _hostile(pattern: re.Pattern[str], size: int) -> Iterator[str]:
    """Yield long texts that nearly match, again and again, and fail at the end."""
    sample = _sample(_parser.parse(pattern.pattern, pattern.flags))
    characters = [*dict.fromkeys(sample + " ")][:10]
    units = [*characters, *map("".join, permutations(characters, 2)), sample, sample[:-1] or "x"]
    for unit in units:
        for beginning in ("", sample[: len(sample) // 2], sample[:-1]):
            text = beginning + unit * (size // len(unit))
            yield from (text + "\0", text + "\n\0")


def is_linear(use: Use) -> bool:
    """Return whether the time grows no faster than the text.

    A machine that is busy can make one measurement long, but not each of several.
    """
    texts = zip(_hostile(use.pattern, _SHORT), _hostile(use.pattern, _LONG), strict=True)
    return all(
        use.seconds(long) <= _QUICK_SECONDS
        or any(_growth(use, short, long) <= _GROWTH for _ in range(_MEASUREMENTS))
        for short, long in texts
    )


def _growth(use: Use, short: str, long: str) -> float:
    """Return how many times as long as the short text the long one takes."""
    return use.seconds(long) / max(use.seconds(short), _QUICK_SECONDS / _GROWTH)


@pytest.mark.measures
def test_no_pattern_takes_long() -> None:
    assert [use for use in _all_uses() if not is_linear(use)] == []


def test_every_pattern_is_seen() -> None:
    """All of them are made by functions of `re`, under that name, and compiled for the module."""
    assert _all_uses()
    for path in installed_modules():
        for node in nodes(tree(path)):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in ("re", "regex"), path
            if isinstance(node, ast.Import):
                names = {(each.name, each.asname) for each in node.names}
                assert not names & {("regex", None)}, path
                assert not [each for each in names if each[0] == "re" and each[1]], path


def has_possessive_group(pattern: re.Pattern[str]) -> bool:
    """Return whether a possessive quantifier or an atomic group holds more than one character.

    CPython before 3.11.5 matches such groups wrongly (its issue 106052).
    """
    pending = [_parser.parse(pattern.pattern, pattern.flags)]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple) and len(node) == 2:
            kind, value = str(node[0]), node[1]
            content = value[2] if kind == "POSSESSIVE_REPEAT" else ()
            if len(content) > 1 or kind == "ATOMIC_GROUP":
                return True
            if content and str(content[0][0]) in _GROUPS:
                return True
        if isinstance(node, list | tuple | _parser.SubPattern):
            pending.extend(node)
    return False


def test_no_group_is_possessive() -> None:
    assert [use for use in _all_uses() if has_possessive_group(use.pattern)] == []


def test_possessive_groups_are_found() -> None:
    for pattern in (r"(?:a|bc)*+", r"x(?:y(\w)?+)?", r"(?>a*)", r"(?:ab){1,3}+"):
        assert has_possessive_group(re.compile(pattern))
    assert not has_possessive_group(re.compile(r"(?:[ab]*+c\w{1,3}+)*"))


@pytest.mark.measures
@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"""b['"][-!#$%&'*+.^_`|~\w]+ \S+ HTTP/1\.[01]""", "search"),
        (r"[ \t]*,[ \t]*", "split"),
        (r"(?:a|b)*(?:a|b)*c", "fullmatch"),
        (r"\w+;", "search"),
    ],
)
def test_slow_patterns_are_found(pattern: str, method: str) -> None:
    assert not is_linear(Use("", "", re.compile(pattern), method))
