"""Names: bindings, classes, modules, docstrings and the glossary (CONTRIBUTING, Language).

The rules hold for the service, its tests and the benchmarks. ``names_left.json`` lists the offenses
from before them. They may only become fewer: ``python -m tests.policy.test_names`` writes the list
anew, and refuses to write a longer one.
"""

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.policy import documents
from tests.policy.sources import (
    ROOT,
    installed_modules,
    modules_of_benchmarks,
    modules_of_tests,
    nodes,
    tree,
)
from tests.support.offenders import in_each

GLOSSARY = ROOT / "docs" / "glossary.md"
BANNED = {"one", "found", "place", "told", "known", "wanted", "asked", "held", "kept"}
#: Offenses that are left: written by ``python -m tests.policy.test_names``, compared by a test.
LEFT = Path(__file__).with_name("names_left.json")
#: Modules of one name in several folders, and what they have in common.
SHARED_MODULE_NAMES = {
    "administration": "organizations and keys: the commands, and their statements",
    "audit": "the audit log: its chain, its handlers and its command",
    "changes": "the change feed: its parameters, handler, OpenAPI operation and client",
    "collections": "collections: as the client calls them, as an import orders them",
    "connections": "connections: to the database, and of HTTP clients",
    "errors": "errors: of the interface, the database, the client and transfers",
    "files": "files: of the program, and of an import",
    "keys": "API keys: their storage, their handlers and their commands",
    "operations": "operations: the table, and as OpenAPI objects",
    "webhooks": "webhooks: the resource, its handlers and its part of the OpenAPI document",
    "outcomes": "outcomes of items: of the engine, as responses, and of imports",
    "parameters": "parameters: of lists, of all requests, in the OpenAPI document",
    "parts": "parts of records: in the engine, the client and transfers",
    "reads": "reads: handlers and engine",
    "transaction": "transactions over collections: the engine, and the resource",
    "transactions": "transactions: of the database, and over collections in four packages",
    "tracing": "spans: of requests, and of statements",
    "writes": "writes: handlers and engine",
}
#: First words of docstrings that describe a scene instead of naming the thing.
_CLAUSE = re.compile(
    r"(Whatever|What|Whoever|Who|Whose|Whom|How|Wherever|Where|Whenever|When|Whether|Which|Why|"
    r"If|Once|As|That|One that|Those|Everything|Everyone|Everybody|Anybody|Nobody|Nothing|Many|"
    r"From|Around|Less|Until)\b"
)


def relative(module: Path) -> str:
    return module.relative_to(ROOT).as_posix()


def bindings(root: ast.AST) -> Iterator[str]:
    """Yield the name of each variable, parameter and attribute that the code binds."""
    for node in nodes(root):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name) | ast.alias(asname=str(name)):
                yield name
            case ast.MatchAs() | ast.MatchStar() | ast.ExceptHandler() if node.name:
                yield node.name


def banned(root: ast.AST) -> int:
    """Return the number of banned bindings; a leading underscore does not excuse one."""
    return sum(name.lstrip("_") in BANNED for name in bindings(root))


def offenses() -> dict[str, int]:
    """Return "rule: path or class" -> number of offenses, where there are any."""
    paths = (*installed_modules(), *modules_of_tests(), *modules_of_benchmarks())
    trees = {path: tree(path) for path in paths}
    counts = {f"binding: {relative(module)}": banned(root) for module, root in trees.items()}
    counts |= {
        f"docstring: {relative(module)}": 1
        for module, root in trees.items()
        if not opens_with_a_term(ast.get_docstring(root) or default_docstring(module))
    }
    counts |= {f"class: {name}": len(paths) for name, paths in repeated(classes()).items()}
    return {offense: count for offense, count in sorted(counts.items()) if count}


def default_docstring(module: Path) -> str:
    """Return the docstring of a module without one: only modules of tests may lack it."""
    return "Tests." if module.is_relative_to(ROOT / "tests") else ""


def left() -> dict[str, int]:
    """Return the offenses that are left by the list."""
    allowed: dict[str, int] = json.loads(LEFT.read_text(encoding="utf-8"))
    return allowed


def more(now: dict[str, int], allowed: dict[str, int]) -> dict[str, int]:
    """Return the offenses of today that exceed the list."""
    return {offense: count for offense, count in now.items() if count > allowed.get(offense, 0)}


def test_no_offense_is_new_and_the_list_shrinks() -> None:
    """No banned binding, no module docstring that opens with a clause, no class name twice.

    Bindings and docstrings of the tests and of the benchmarks count as well.
    """
    now = offenses()
    assert not more(now, left())
    assert not more(left(), now), "Run `python -m tests.policy.test_names`."


def test_a_longer_list_is_found() -> None:
    assert more({"binding: a.py": 2, "class: B": 2}, {"binding: a.py": 1}) == {
        "binding: a.py": 2,
        "class: B": 2,
    }
    assert not more({"binding: a.py": 1}, {"binding: a.py": 1})


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("one = 1", 1),
        ("for found, other in pairs: pass", 1),
        ("[place for place in places]", 1),
        ("if (told := 1): pass", 1),
        ("def run(known, *, wanted): pass", 2),
        ("lambda asked: asked", 1),
        ("self._held = 1", 1),
        ("with lock() as kept: pass", 1),
        ("match 1:\n    case one: pass", 1),
        ("try: pass\nexcept ValueError as found: pass", 1),
        ("import this as one", 1),
        ("ones = one.found(kept=1)", 0),
    ],
)
def test_banned_bindings_are_counted(source: str, count: int) -> None:
    assert banned(ast.parse(source)) == count


def repeated(definitions: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return name -> paths, for the names that are defined several times."""
    by_name = defaultdict[str, list[str]](list)
    for name, path in definitions:
        by_name[name].append(path)
    return {name: paths for name, paths in by_name.items() if len(paths) > 1}


def classes() -> list[tuple[str, str]]:
    """Return every class of the service and its client with its file."""
    return [
        (node.name, relative(module))
        for module in installed_modules()
        for node in nodes(tree(module))
        if isinstance(node, ast.ClassDef)
    ]


def test_there_are_classes() -> None:
    assert len(classes()) > 100


def test_module_names_are_unique_or_mean_the_same() -> None:
    paths = [module for module in installed_modules() if module.stem[:2] != "__"]
    names = [(module.stem, relative(module)) for module in paths]
    unexplained = repeated(names).keys() ^ SHARED_MODULE_NAMES.keys()
    assert not unexplained, "Rename the modules, or enter what they have in common."


def test_repeated_names_are_found() -> None:
    assert repeated([("Page", "a.py"), ("Page", "b.py"), ("Row", "b.py")]) == {
        "Page": ["a.py", "b.py"]
    }


def opens_with_a_term(docstring: str | None) -> bool:
    """Return whether a docstring begins with a noun phrase and not with a clause."""
    return bool(docstring) and not _CLAUSE.match(docstring or "")


@pytest.mark.parametrize(
    ("docstring", "is_good"),
    [
        ("Single-flight cache: concurrent callers share one computation.", True),
        ("The OpenAPI document.", True),
        ("Whole-request checks.", True),
        ("What many ask for at once.", False),
        ("Who gets a connection next.", False),
        ("One that waits.", False),
        ("One JSON line per request.", True),
        ("", False),
        (None, False),
    ],
)
def test_clauses_at_the_beginning_are_found(docstring: str | None, is_good: bool) -> None:
    assert opens_with_a_term(docstring) is is_good


def glossary() -> dict[str, list[str]]:
    """Return term -> code spans of its place: a path, and names in that file."""
    rows = re.findall(
        r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", documents.text(GLOSSARY), re.MULTILINE
    )
    assert len({term for term, _ in rows}) == len(rows)
    return {term: documents.spans(cell) for term, cell in rows if documents.spans(cell)}


def defined(body: list[ast.stmt]) -> dict[str, list[ast.stmt]]:
    """Return name -> members of what a module or a class defines; only classes have members."""
    names: dict[str, list[ast.stmt]] = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = node.body
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names[node.name] = []
        elif isinstance(node, ast.Assign):
            names |= {target.id: [] for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = []
    return names


def is_defined(path: str, dotted: str) -> bool:
    """Return whether the file defines a name: of its own, or of one of its classes."""
    body = tree(ROOT / path).body
    for name in dotted.split("."):
        names = defined(body)
        if name not in names:
            return False
        body = names[name]
    return True


def test_the_glossary_is_alphabetical() -> None:
    terms = [term.casefold() for term in glossary()]
    assert len(terms) > 80
    assert terms == sorted(terms)


@in_each(("term", "spans"), glossary().items())
def test_glossary_terms_have_a_place(term: str, spans: list[str]) -> None:
    path, *names = spans
    assert (ROOT / path).is_file(), f"{term}: {path}"
    assert not [name for name in names if not is_defined(path, name)], term


@pytest.mark.parametrize(
    ("dotted", "is_there"),
    [
        ("FairQueue", True),
        ("FairQueue.acquire", True),
        ("READ", True),
        ("FairQueue.release_all", False),
        ("Shares", False),
        ("READ.bulk", False),
    ],
)
def test_wrong_places_are_found(dotted: str, is_there: bool) -> None:
    assert is_defined("service/shares/fair_queue.py", dotted) is is_there


def test_the_glossary_is_linked() -> None:
    for page in ("README.md", "CONTRIBUTING.md", "docs/architecture.md"):
        links = {(ROOT / page).parent / link for link in documents.links(ROOT / page)}
        assert GLOSSARY in links, page


def main() -> int:
    """Write the offenses of today; return 1 if there are new ones."""
    now = offenses()
    new = more(now, left())
    if new and "--force" not in sys.argv:
        print("New offenses:", json.dumps(new, indent=2))
        return 1
    LEFT.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
    print(f"{sum(now.values())} offenses are left.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
