"""Size of the code: counts, with the values of today as limits.

A limit goes down with its count, and goes up only with a decision in docs/decisions.
"""

from ast import AsyncFunctionDef, ClassDef, Constant, Expr, FunctionDef, JoinedStr, Module
from collections import Counter
from functools import cache
from pathlib import Path

from service.records.master_record import MasterRecord
from tests.policy.sources import ROOT, modules, modules_of_client, nodes, tree, written

LIMITS = {
    "lines of code in client/": 2_323,
    "lines of code in service/": 25_414,
    "lines of code in service/extras/transfer/": 648,
    "modules in service/": 292,
    "modules of at most 60 lines": 66,
    "modules in the largest package": 26,
    "lines of schemas/ per resource file": 98,
    "lines of tests/": 71_149,
    "noqa: ARG002 in service/": 9,
    "public names of MasterRecord": 51,
}
RESOURCES = 63
"""Files of schemas/ at the time of the limits."""
GROWTH = {
    "lines of code in client/": 12,
    "lines of code in service/": 15,
    "modules in service/": 1,
    "modules of at most 60 lines": 1,
    "lines of tests/": 60,
}
"""What a further file may add, if its resource is a declaration (docs/adding-a-resource.md)."""


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


@cache
def code_lines(path: Path) -> int:
    """Return the number of lines that are neither blank nor comments nor docstrings."""
    source = enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
    numbers = {number for number, line in source if line.strip() and line.strip()[0] != "#"}
    for node in nodes(tree(path)):
        if isinstance(node, Constant | JoinedStr):
            numbers.update(range(node.lineno, (node.end_lineno or 0) + 1))
    for node in nodes(tree(path)):
        if isinstance(node, Module | ClassDef | FunctionDef | AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, Expr) and isinstance(first.value, Constant):
                numbers.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(numbers)


def public_names(of_class: type) -> set[str]:
    """Return the public members and attributes of a class and its bases, as the code binds them."""
    names = set[str]()
    for base in of_class.__mro__[:-1]:
        names |= {*vars(base), *vars(base).get("__annotations__", ())}
    return {name for name in names if not name.startswith("_")}


def test_the_house_is_no_larger() -> None:
    files = modules()
    schemas = [*(ROOT / "schemas").glob("*.json")]
    counted = {".py", ".sql", ".js", ".ts", ".mts"}
    counts = {
        "lines of code in client/": sum(map(code_lines, modules_of_client())),
        "lines of code in service/": sum(map(code_lines, files)),
        "lines of code in service/extras/transfer/": sum(
            code_lines(path) for path in files if path.parent.name == "transfer"
        ),
        "modules in service/": len(files),
        "modules of at most 60 lines": sum(lines(path) <= 60 for path in files),
        "modules in the largest package": max(Counter(path.parent for path in files).values()),
        "lines of schemas/ per resource file": sum(map(lines, schemas)) // len(schemas),
        "lines of tests/": sum(
            lines(path) for path in written(ROOT / "tests") if path.suffix in counted
        ),
        "noqa: ARG002 in service/": sum(
            path.read_text(encoding="utf-8").count("noqa: ARG002") for path in files
        ),
        "public names of MasterRecord": len(public_names(MasterRecord)),
    }
    print(counts)
    more = len(schemas) - RESOURCES
    limits = {label: limit + GROWTH.get(label, 0) * more for label, limit in LIMITS.items()}
    assert not {label: count for label, count in counts.items() if count > limits[label]}
