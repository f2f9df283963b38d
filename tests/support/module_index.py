"""Module index: the tests of each module of the service, for who changes one.

A module leads to the tests that have its name, to those that import it, and to the sections that
its docstring cites, whose tests the index of sections has. ``make docs`` writes the table.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.support.contract_index import ROOT, headings, link

_MOST: Final = 5
"""Longer lists end with the number of further modules."""


def service_modules() -> list[str]:
    """Return the modules of the service with code, by their dotted names."""
    paths = sorted((ROOT / "service").rglob("*.py"))
    dotted = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return [name for name in dotted if not name.endswith("__")]


@cache
def _imports() -> dict[str, list[str]]:
    """Return the modules with tests by what they import: modules, and names in modules."""
    by_name = dict[str, list[str]]()
    for path in sorted((ROOT / "tests").glob("*/test_*.py")):
        test = path.relative_to(ROOT / "tests").as_posix()
        for name in {*_imported(ast.parse(path.read_text(encoding="utf-8")))}:
            by_name.setdefault(name, []).append(test)
    return by_name


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def tests_of(module: str) -> list[str]:
    """Return the modules with tests of a module: those with its name first."""
    stem = module.rpartition(".")[2].strip("_").removesuffix("s")
    named = [
        path.relative_to(ROOT / "tests").as_posix()
        for path in sorted((ROOT / "tests").glob("*/test_*.py"))
        if re.fullmatch(rf"test_{stem}s?(_\w+)?", path.stem)
    ]
    return [*dict.fromkeys([*named, *_imports().get(module, ())])]


def sections_of(module: str) -> list[str]:
    """Return the sections that the docstring of a module cites."""
    path = ROOT / _path(module)
    text = re.sub(r"\s+", " ", ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")
    cited = " ".join(re.findall(r"\b(?:contract|operating), ([^);]+)", text, re.IGNORECASE))
    return [title for title in headings() if re.search(rf"\b{re.escape(title)}(?!\w| of)", cited)]


def tested_with(module: str) -> list[str]:
    """Return the modules that import one without tests of its own, else the tests of its package.

    Commands are imported by their names.
    """
    users = [_path(name) for name in service_modules() if module in _imports_of(name)]
    return [f"of `{name}`" for name in users] or [
        f"`{test}`" for test in _imports().get(module.rpartition(".")[0], ())
    ]


@cache
def _imports_of(module: str) -> frozenset[str]:
    path: Path = ROOT / _path(module)
    return frozenset(_imported(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def index() -> str:
    """Return the index as a table with a row for each module."""
    rows = ["| module | tests | sections |", "|---|---|---|"]
    for module in service_modules():
        tests, sections = tests_of(module), sections_of(module)
        shown = [f"`{test}`" for test in tests]
        if not tests and not sections:
            shown = tested_with(module)
        more = [f"{len(shown) - _MOST} more"] if len(shown) > _MOST else []
        cells = (", ".join([*shown[:_MOST], *more]), ", ".join(map(link, sections)))
        rows.append(f"| `{_path(module)}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def _path(module: str) -> str:
    return module.replace(".", "/") + ".py"
