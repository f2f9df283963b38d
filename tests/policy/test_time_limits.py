"""Policy for time limits of tests: all grow with the machine's load (time_limits.py)."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

from tests.policy.sources import ROOT, modules_of_tests, tree
from tests.support import processor_time

#: Functions whose last argument is a time limit, with their number of positional arguments.
_LIMITED = {"timeout": 1, "wait_for": 2, "wait": 1, "ClientTimeout": 1}
_CLOCKS = {"time.monotonic()", "time.perf_counter()"}


def is_fixed(node: ast.expr) -> bool:
    """Return whether a time is a number or a constant of its module, not scaled by the load."""
    if isinstance(node, ast.BinOp):
        return is_fixed(node.left) or is_fixed(node.right)
    if isinstance(node, ast.IfExp):
        return is_fixed(node.body) or is_fixed(node.orelse)
    if isinstance(node, ast.Name):
        return node.id.isupper()
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value > 0


def reads_clock(node: ast.expr) -> bool:
    """Return whether an expression contains a reading of a clock."""
    return any(
        isinstance(each, ast.Call) and ast.unparse(each) in _CLOCKS for each in ast.walk(node)
    )


def is_upper_bound(node: ast.expr) -> TypeGuard[ast.Compare]:
    """Return whether a condition says that a time is short."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    return any(
        isinstance(operator, ast.Lt | ast.LtE) and reads_clock(side)
        for side, operator in zip(sides, node.ops, strict=False)
    )


def decides_by_time(node: ast.AST) -> bool:
    """Return whether an assertion demands that something takes a short time."""
    return isinstance(node, ast.Assert) and is_upper_bound(node.test)


def limits(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the time limits that a node sets."""
    if isinstance(node, ast.Call):
        yield from (keyword.value for keyword in node.keywords if keyword.arg == "timeout")
        name = ast.unparse(node.func).rpartition(".")[2]
        if len(node.args) == _LIMITED.get(name):
            yield node.args[-1]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and reads_clock(node.left):
        yield node.right


def fixed_limits(root: ast.AST) -> list[str]:
    """Return the statements that set a fixed time limit."""
    nodes = ast.walk(root)
    return [ast.unparse(node) for node in nodes for each in limits(node) if is_fixed(each)]


def test_time_limits_grow_with_the_load() -> None:
    offenders = {
        path.relative_to(ROOT).as_posix(): fixed
        for path in modules_of_tests()
        if path != Path(__file__)
        if (fixed := fixed_limits(tree(path)))
    }
    assert not offenders, (
        "Pass times through limit(), within() or scaled() of tests/support/time_limits.py."
    )


def test_no_test_decides_by_time() -> None:
    """Neither by a clock nor by memory, except for those that `make attack` runs."""
    offenders = []
    for path in modules_of_tests():
        if path in (Path(__file__), Path(processor_time.__file__)):
            continue
        source = path.read_text(encoding="utf-8")
        is_measuring = "LeastTime" in source or "tracemalloc" in source
        if is_measuring and "pytest.mark.measures" not in source:
            offenders.append(path.relative_to(ROOT).as_posix())
        offenders += [ast.unparse(node) for node in ast.walk(tree(path)) if decides_by_time(node)]
    assert not offenders, "Count instead, wait by within(), or mark the test with `measures`."


def test_processor_time_is_the_least_of_attempts() -> None:
    """A single one includes whatever else the process does, such as a garbage collection."""
    offenders = [
        path.relative_to(ROOT).as_posix()
        for path in modules_of_tests()
        if path not in (Path(__file__), Path(processor_time.__file__))
        if "process_time" in path.read_text(encoding="utf-8")
    ]
    assert not offenders, "Measure by LeastTime of tests/support/processor_time.py."


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("asyncio.timeout(5)", True),
        ("asyncio.timeout(4 * SECONDS)", True),
        ("asyncio.timeout(1 if brief else limit(10))", True),
        ("asyncio.wait_for(reading, 2)", True),
        ("process.wait(20)", True),
        ("subprocess.run(command, timeout=60)", True),
        ("deadline = time.monotonic() + 15", True),
        ("asyncio.timeout(limit(5))", False),
        ("retrying.wait(answer, NEVER, 1)", False),
        ("within(5)", False),
        ("process.wait(limit(20))", False),
        ("subprocess.run(command, timeout=limit(60))", False),
        ("deadline = time.monotonic() + limit(15)", False),
        ("while time.monotonic() - began < WORK_SECONDS: pass", False),
        ("done.wait()", False),
    ],
)
def test_a_fixed_limit_is_found(source: str, is_found: bool) -> None:
    assert bool(fixed_limits(ast.parse(source))) is is_found


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("assert time.monotonic() - started < limit(10)", True),
        ("assert 1 < time.monotonic() - started < limit(10)", True),
        ("assert time.monotonic() - started >= 1", False),
    ],
)
def test_an_upper_bound_of_a_time_is_found(source: str, is_found: bool) -> None:
    assert any(map(decides_by_time, ast.walk(ast.parse(source)))) is is_found
