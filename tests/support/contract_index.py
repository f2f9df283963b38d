"""Contract index: which tests check which section of the pages with promises.

Tests name sections with ``@pytest.mark.contract("Merges")``, modules with ``pytestmark``. The marks
are read from the source, so that the index needs neither a database nor a test run. ``make docs``
writes the index into docs/testing.md, and the list of the contract's pages into docs/contract.md.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_DOCS: Final = ROOT / "docs"
CONTRACT: Final = tuple(
    _DOCS / "contract" / f"{name}.md"
    for name in (
        *("basics", "lists", "writes", "own-keys", "transactions", "changes", "keys"),
        *("collections", "styles"),
    )
)
"""Pages of the contract in the order in which callers need them."""
_BESIDE: Final = ("tools.md", "operating.md")
PAGES: Final = CONTRACT + tuple(_DOCS / name for name in _BESIDE)
"""Documents with promises: to callers and to operators."""
_TESTS: Final = ROOT / "tests"
_MOST_MODULES: Final = 6
"""Longer lists end with the number of further modules: the index shows where to look first."""


@dataclass(frozen=True, slots=True)
class MarkedTest:
    """A test function and the contract sections that its marks name."""

    module: Path
    name: str
    has_mark: bool
    headings: tuple[str, ...]

    @property
    def id(self) -> str:
        """The test's pytest id, relative to the repository."""
        return f"{self.module.relative_to(ROOT).as_posix()}::{self.name}"


def headings() -> dict[str, str]:
    """Return the sections with promises, the headings of level 3: title -> page below docs/."""
    return {
        title: page.relative_to(_DOCS).as_posix()
        for page in PAGES
        for title in re.findall(r"^### (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    }


def section(title: str) -> str:
    """Return the text of a section of level 3."""
    for page in PAGES:
        _, heading, rest = f"\n{page.read_text(encoding='utf-8')}".partition(f"\n### {title}\n")
        if heading:
            return re.split(r"(?m)^##+ ", rest)[0]
    raise KeyError(title)


def contract_pages() -> str:
    """Return the pages of the contract with their sections, as a table."""
    rows = list[str]()
    for page in CONTRACT:
        path = page.relative_to(_DOCS).as_posix()
        title, _, text = page.read_text(encoding="utf-8").partition("\n")
        sections = ", ".join(
            _link(heading, path) for heading in re.findall(r"^### (.+)$", text, re.MULTILINE)
        )
        rows.append(f"| [{title.removeprefix('# ')}]({path}) | {sections} |")
    return "\n".join(["| page | sections |", "|---|---|", *rows])


def link(title: str) -> str:
    """Return a link to a section from a page of docs/."""
    return _link(title, headings()[title])


def _link(title: str, page: str) -> str:
    return f"[{title}]({page}#{_anchor(title)})"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


@cache
def marked_tests() -> tuple[MarkedTest, ...]:
    """Return every test function of the repository with its contract marks."""
    return tuple(
        test
        for module in sorted(_TESTS.glob("*/test_*.py"))
        for test in read_tests(module, module.read_text(encoding="utf-8"))
    )


def read_tests(module: Path, source: str) -> Iterator[MarkedTest]:
    """Yield the test functions of a module's source."""
    tree = ast.parse(source)
    of_module = [mark for node in tree.body for mark in _module_marks(node)]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith(
            "test_"
        ):
            marks = [*of_module, *filter(_is_contract_mark, node.decorator_list)]
            names = [heading for mark in marks for heading in _headings_of(mark)]
            yield MarkedTest(module, node.name, bool(marks), tuple(dict.fromkeys(names)))


def _module_marks(node: ast.stmt) -> list[ast.expr]:
    """Return the contract marks that an assignment to ``pytestmark`` holds."""
    if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) != "pytestmark":
        return []
    value = node.value
    marks = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    return [*filter(_is_contract_mark, marks)]


def _is_contract_mark(node: ast.expr) -> bool:
    mark = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(mark) == "pytest.mark.contract"


def _headings_of(mark: ast.expr) -> list[str]:
    """Return a mark's headings; raise ValueError if one is no literal."""
    return [ast.literal_eval(each) for each in mark.args] if isinstance(mark, ast.Call) else []


def render(sections: Mapping[str, str], tests: Sequence[MarkedTest]) -> str:
    """Return the index as a table: a row per section, its modules with the number of tests."""
    rows = [
        f"| {_link(title, page)} | {_modules(title, tests)} |" for title, page in sections.items()
    ]
    return "\n".join(["| section | tests |", "|---|---|", *rows])


def _modules(title: str, tests: Sequence[MarkedTest]) -> str:
    """Return the modules that test a section, the one with most tests first."""
    counts: dict[str, int] = {}
    for test in tests:
        if title in test.headings:
            module = test.module.relative_to(_TESTS).as_posix()
            counts[module] = counts.get(module, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    listed = [f"`{module}` {count}" for module, count in ordered[:_MOST_MODULES]]
    more = len(ordered) - len(listed)
    return ", ".join([*listed, *([f"{more} more"] if more else [])])


def index() -> str:
    """Return the index of the present tests and contract."""
    return render(headings(), marked_tests())
