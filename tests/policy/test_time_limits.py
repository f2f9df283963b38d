"""Policy for time limits of tests: all grow with the machine's load (time_limits.py).

Nor may a pause of the machine fail an assertion. It may say that a time is long, since a pause only
makes it longer: ``assert seconds >= 1``. Against hangs serve the limits of time_limits.py, as
``within(5)`` and deadlines of loops, never assertions. Names of times are followed in a function,
and through functions of its module that return times; attributes are not.
"""

import ast
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.policy.sources import ROOT, modules_of_tests, nodes, tree
from tests.support import processor_time

#: Functions whose last argument is a time limit, with their number of positional arguments.
_LIMITED = {"timeout": 1, "wait_for": 2, "wait": 1, "ClientTimeout": 1}
_CLOCKS = {"time.monotonic()", "time.perf_counter()", "loop.time()"}
_READING = ast.parse("time.monotonic()", mode="eval").body
_MEASURES = "pytest.mark.measures"


def is_fixed(node: ast.expr) -> bool:
    """Return whether a time is a number or a constant of its module, not scaled by the load."""
    if isinstance(node, ast.BinOp):
        return is_fixed(node.left) or is_fixed(node.right)
    if isinstance(node, ast.IfExp):
        return is_fixed(node.body) or is_fixed(node.orelse)
    if isinstance(node, ast.Name):
        return node.id.isupper()
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value > 0


class Times(dict[str, list[ast.expr]]):
    """Values of the names that a function binds, by which clocks are followed to comparisons."""

    def __init__(self, function: ast.AST, helpers: Iterable[str] = ()) -> None:
        super().__init__({name: [_READING] for name in helpers})
        for node in nodes(function):
            match node:
                case (
                    ast.Assign(targets=[target], value=value)
                    | ast.NamedExpr(target=target, value=value)
                    | ast.comprehension(target=target, iter=value)
                    | ast.withitem(optional_vars=ast.expr() as target, context_expr=value)
                    | ast.Call(func=ast.Attribute(value=target, attr="append"), args=[value])
                ):
                    for name in nodes(target):
                        if isinstance(name, ast.Name):
                            self.setdefault(name.id, []).append(value)

    def parts(self, node: ast.AST, seen: frozenset[str] = frozenset()) -> Iterator[ast.AST]:
        """Yield the nodes of an expression and of the values of its names."""
        for each in nodes(node):
            yield each
            if isinstance(each, ast.Name) and each.id not in seen:
                for value in self.get(each.id, ()):
                    yield from self.parts(value, seen | {each.id})

    def reads_clock(self, node: ast.AST) -> bool:
        """Return whether an expression contains a reading of a clock."""
        calls = (each for each in self.parts(node) if isinstance(each, ast.Call))
        return any(ast.unparse(call) in _CLOCKS for call in calls)

    def is_rate(self, node: ast.AST) -> bool:
        """Return whether an expression computes with a time, other than a difference."""
        terms = (each for each in self.parts(node) if isinstance(each, ast.BinOp))
        return any(not isinstance(term.op, ast.Sub) and self.reads_clock(term) for term in terms)

    def decide(self, assertion: ast.Assert) -> bool:
        """Return whether an assertion says that a time is short, or bounds a rate."""
        for node in nodes(assertion):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                for operator, (less, more) in zip(node.ops, pairwise(sides), strict=True):
                    if isinstance(operator, ast.Gt | ast.GtE):
                        less, more = more, less
                    elif not isinstance(operator, ast.Lt | ast.LtE):
                        continue
                    if self.reads_clock(less) or self.is_rate(more):
                        return True
        return False


def decided_by_time(root: ast.AST) -> Iterator[str]:
    """Yield the assertions of a module that a pause may fail, but for tests that measure."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    functions = [node for node in nodes(root) if isinstance(node, kinds)]
    helpers = [
        function.name
        for function in functions
        for node in nodes(function)
        if isinstance(node, ast.Return | ast.Yield) and Times(function).reads_clock(node)
    ]
    for function in functions:
        times = Times(function, helpers)
        if _MEASURES not in map(ast.unparse, function.decorator_list):
            asserted = [node for node in nodes(function) if isinstance(node, ast.Assert)]
            yield from (ast.unparse(each) for each in asserted if times.decide(each))


def limits(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the time limits that a node sets."""
    if isinstance(node, ast.Call):
        yield from (keyword.value for keyword in node.keywords if keyword.arg == "timeout")
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if len(node.args) == _LIMITED.get(name):
            yield node.args[-1]
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right) if Times(node).reads_clock(left):
            yield right


def fixed_limits(root: ast.AST) -> list[str]:
    """Return the statements that set a fixed time limit."""
    return [ast.unparse(node) for node in nodes(root) for each in limits(node) if is_fixed(each)]


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
    """Neither by a clock nor by memory, but for those of `make attack`, by LeastTime."""
    offenders = []
    for path in modules_of_tests():
        if path in (Path(__file__), Path(processor_time.__file__)):
            continue
        source = path.read_text(encoding="utf-8")
        is_measuring = "LeastTime" in source or "tracemalloc" in source
        if "process_time" in source or (is_measuring and _MEASURES not in source):
            offenders.append(path.relative_to(ROOT).as_posix())
        if any(clock in source for clock in _CLOCKS) and f"mark = {_MEASURES}" not in source:
            offenders += decided_by_time(tree(path))
    assert not offenders, "Count instead, wait by within(), or mark the test with `measures`."


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
        ("seconds = time.monotonic() - started; assert 1 > seconds", True),
        ("seconds = time.monotonic() - started; assert 1 < seconds", False),
        ("assert (ended := loop.time()) and ended - started <= 1", True),
        ("with timed() as seconds: assert all(each < 1 for each in seconds)", True),
        ("most = 2 * timed() + 2; assert calls <= most", True),
        ("times.append(timed()); assert times[1] - times[0] >= 1", False),
        ("times.append(timed()); assert max(times) < 1", True),
    ],
)
def test_an_upper_bound_of_a_time_is_found(source: str, is_found: bool) -> None:
    helper = "def timed():\n    began = time.perf_counter()\n    yield time.perf_counter() - began"
    test = f"{helper}\n@pytest.mark.asyncio\ndef test_it():\n    {source}"
    assert any(decided_by_time(ast.parse(test))) is is_found
    assert not any(decided_by_time(ast.parse(test.replace("pytest.mark.asyncio", _MEASURES))))
