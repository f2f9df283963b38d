"""Error types: literals stand in the table alone, and everything else uses its members."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.error_types import ErrorType
from tests.policy.sources import ROOT, SERVICE, modules, nodes, tree
from tests.support.offenders import in_each

TYPES = {str(error_type) for error_type in ErrorType}
#: Beginnings of dotted types, such as ``validation_error.``: texts with them build a type.
FAMILIES = tuple(sorted({f"{name.partition('.')[0]}." for name in TYPES if "." in name}))


def literals(root: ast.AST) -> Iterator[str]:
    """Yield the texts that are an error type or the beginning of one, f-strings included."""
    for node in nodes(root):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if text in TYPES or (text.startswith(FAMILIES) and not any(map(str.isspace, text))):
                yield text


@in_each("module", [module for module in modules() if module != SERVICE / "error_types.py"])
def test_no_error_type_is_a_literal(module: Path) -> None:
    assert not [*literals(tree(module))]


@pytest.mark.parametrize(
    "code",
    [
        '"not_found"',
        'ErrorDetail("validation_error.too_long")',
        'f"validation_error.{kind}"',
        '"conflict." + kind',
    ],
)
def test_literals_are_found(code: str) -> None:
    assert [*literals(ast.parse(code))]


def test_prose_is_no_literal() -> None:
    assert not [*literals(ast.parse('"validation_error.too_long is one of them"'))]


def test_documents_have_a_row_for_each_type() -> None:
    """The contract has the meaning of each type, and the guide its remedy."""
    for name in ("contract/basics.md", "guides/errors.md"):
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        rows = re.findall(r"^\| `([a-z_.]+)` \| ([0-9]{3}) \| .+ \|$", text, re.MULTILINE)
        assert rows == [(error_type, str(error_type.status)) for error_type in ErrorType], name
