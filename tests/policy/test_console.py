"""Policy for console output: one function prints, and customers' data go to private files."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.policy.sources import SERVICE, installed_modules, nodes, tree
from tests.support.offenders import in_each

_STREAMS = {"stdout", "stderr", "bar", "tqdm"}
_CONSOLE = SERVICE / "console.py"
_FILES = re.compile(r"\.open\(\s*\"[wxa]|\bopen\([^)]*\"[wxa]|\.write_(text|bytes)\(")
_WRITERS = [
    *(SERVICE / "extras" / "transfer").rglob("*.py"),
    *(SERVICE / "extras" / "commands").rglob("*.py"),
]


def raw_output(root: ast.Module) -> list[int]:
    """Return the lines that print without ``say``: text to a stream, a bar or by ``sys.exit``."""
    return [node.lineno for node in nodes(root) if isinstance(node, ast.expr) and _prints(node)]


def _prints(node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        return node.id == "print"
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    if function.attr == "exit" and name == "sys":
        return any(_is_text(argument) for argument in node.args)
    return function.attr in ("write", "writelines") and name in _STREAMS


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@in_each("module", [module for module in installed_modules() if module != _CONSOLE])
def test_nothing_is_printed_past_the_console(module: Path) -> None:
    assert not raw_output(tree(module))


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("print(name)", 1),
        ("tell: Callable[[str], None] = print", 1),
        ("sys.stdout.write(name)", 1),
        ("stderr.writelines(names)", 1),
        ("bar.write(name, file=sys.stderr)", 1),
        ('sys.exit(f"selvedge: {error}")', 1),
        ("sys.exit(1)\nsys.exit(128 + number)\nsay(name)\nfile.write(name)", 0),
    ],
)
def test_raw_output_is_found(source: str, count: int) -> None:
    assert len(raw_output(ast.parse(source))) == count


def opened(modules: list[Path]) -> Iterator[str]:
    for module in modules:
        for line in _FILES.finditer(module.read_text(encoding="utf-8")):
            yield f"{module.name}: {line[0]}"


def test_files_are_written_by_those_who_make_them_private() -> None:
    """``service/files.py``: ``fresh`` and ``private``."""
    assert [*opened(_WRITERS)] == []


@pytest.mark.parametrize(
    "text", ['path.open("wb")', 'open(path, "w")', "path.write_text(text)", "path.write_bytes(raw)"]
)
def test_a_public_file_is_found(text: str) -> None:
    assert _FILES.search(text)
