"""Layer policy: SQL only in ``sql/``, HTTP only in handlers."""

import ast
import json
import re
import sys
from collections.abc import Callable, Container, Iterator
from pathlib import Path

import selvedge_client
from service.resources.registry import MASTER_RECORDS
from service.routes import routes
from tests.contract.test_every_route import SUCCESSES
from tests.policy.sources import (
    ROOT,
    SERVICE,
    imports,
    installed_modules,
    modules,
    modules_of_client,
    nodes,
    texts,
    tree,
)
from tests.support.offenders import in_each

_SQL = re.compile(r"\s*(select|insert into|update|delete from|with)\s+\w", re.ASCII)
#: What composes pages of lists, and what is no caller's: start, migrations, cells and demo data.
COMPOSES_SQL = {
    "service/listing/page_sql.py",
    "service/database/preflight.py",
    "service/database/migration_effects.py",
    "service/database/migrations.py",
    "service/database/database_state.py",
    "service/database/distribution.py",
    "service/extras/commands/installation_cells.py",
    "service/database/planner_statistics.py",
    "service/extras/commands/database_copy.py",
    "service/extras/commands/dump_file.py",
    "service/extras/demo/loading.py",
}
DATABASE_DRIVERS = {"asyncpg", "psycopg"}
#: And how many packages each pins at least.
REQUIREMENTS = {
    "requirements.txt": 20,
    "requirements-embedded.txt": 3,
    "requirements-build.txt": 3,
    "requirements-tracing.txt": 3,
    "requirements-dev.txt": 40,
}
MASTER_NAMES = {resource.name for resource in MASTER_RECORDS}
CLIENT_STANDS_ON = {"selvedge_client", "aiohttp", "yarl"}
CALL_THE_CLIENT = (
    *("service/__main__.py", "service/extras/commands/", "service/extras/transfer/"),
)


def relative(module: Path) -> str:
    return module.relative_to(ROOT).as_posix()


def each(paths: list[Path]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return in_each("module", paths, label=relative)


def module_name(module: Path) -> str:
    path = relative(module).removeprefix("client/").removesuffix(".py").removesuffix("/__init__")
    return path.replace("/", ".")


def top(name: str) -> str:
    return name.partition(".")[0]


@each([module for module in installed_modules() if relative(module) not in COMPOSES_SQL])
def test_no_sql_in_python(module: Path) -> None:
    assert not [text for text in texts(module) if _SQL.match(text)]


@each(modules("handlers") + modules("openapi"))
def test_handlers_know_no_database_driver(module: Path) -> None:
    assert not {top(name) for name in imports(module)} & DATABASE_DRIVERS


ENGINE = [path for name in ("batches", "records", "writing") for path in modules(name)]


@each(ENGINE)
def test_the_engine_knows_no_http(module: Path) -> None:
    """No request and no answer; nor paths, which follow from what resources say of themselves."""
    names = set(imports(module))
    assert "aiohttp" not in {top(name) for name in names}
    above = ("service.handlers", "service.http", "service.idempotency")
    assert not {name for name in names if name.startswith(above)}
    assert not [text for text in texts(module) if text.startswith("/")]


@each(modules_of_client())
def test_the_client_needs_nothing_of_the_service(module: Path) -> None:
    """It speaks to any Selvedge over HTTP, and is installed without the service."""
    assert {top(name) for name in imports(module)} - sys.stdlib_module_names <= CLIENT_STANDS_ON


@each(modules())
def test_the_service_calls_its_client_as_users_do(module: Path) -> None:
    """Only commands and transfers call it, by its public names."""
    names = {name for name in imports(module) if top(name) == "selvedge_client"}
    public = {"selvedge_client", *(f"selvedge_client.{name}" for name in vars(selvedge_client))}
    modules_of_it = {f"selvedge_client.{each.stem}" for each in modules_of_client()}
    assert names <= public - (modules_of_it - {"selvedge_client.documents"})
    assert not names or relative(module).startswith(CALL_THE_CLIENT)


def test_nothing_below_the_entry_of_a_query_sees_the_pool() -> None:
    """The engine is given connections: only handlers and the caller's look-up ask for one."""
    for module in ENGINE:
        assert not re.search(r"\bDatabase\b", module.read_text(encoding="utf-8")), module


def test_every_kind_of_route_has_a_contract_test() -> None:
    """The test of every route finds resources by itself; a new kind of route is told to it."""
    assert {route.operation.name for route in routes()} == set(SUCCESSES)


@each([path for path in modules() if path.name != "plain_collections.py"])
def test_collections_are_listed_in_the_registry_alone(module: Path) -> None:
    """Adding one is one edit of shared code. A module may name those that its rules are about.

    A resource names those that refer to it, and those that it refers to.
    """
    most = 8 if module.is_relative_to(SERVICE / "resources") else 4
    assert len({*texts(module)} & MASTER_NAMES) <= most


def test_pinned_requirements_name_no_host() -> None:
    for name, least in REQUIREMENTS.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "://" not in text
        assert not re.search(r"^--?(index|extra|find|trusted)", text, re.MULTILINE)
        pinned = re.findall(r"^[\w.\[\]-]+==\S+", text, re.MULTILINE)
        assert len(pinned) >= least
        assert text.count("--hash=sha256:") >= len(pinned)


@each(
    [
        path
        for folder in ("benchmarks", "tests")
        for path in ROOT.glob(f"{folder}/**/package-lock.json")
        if "/." not in path.as_posix()
    ]
)
def test_locked_npm_packages_name_no_host(module: Path) -> None:
    """They come from whichever registry npm is set to, and have to be what was locked."""
    lock = json.loads(module.read_text(encoding="utf-8"))
    packages = [package for path, package in lock["packages"].items() if path]
    assert len(packages) > 10
    assert all("resolved" not in package for package in packages)
    assert all("integrity" in package for package in packages if not package.get("inBundle"))


def test_modules_import_each_other_in_one_direction() -> None:
    """A cycle also counts if an import of it is for type checkers only."""
    by_name = {module_name(module): module for module in installed_modules()}
    graph = {
        name: {*imported_modules(module, by_name.keys())} - {name}
        for name, module in by_name.items()
    }
    assert not [*cycles(graph)]


def imported_modules(module: Path, names: Container[str]) -> Iterator[str]:
    """Yield the modules among ``names`` that a module imports.

    A package counts only if a name that it defines is imported.
    """
    imported = [*imports(module)]
    for name in imported:
        if not any(other.startswith(f"{name}.") for other in imported):
            candidates = (name, name.rpartition(".")[0])
            yield from [each for each in candidates if each in names][:1]


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of nodes that reach each other, sorted."""
    reached = {node: reachable(graph, node) for node in graph}
    groups = {
        node: sorted(each for each in reached[node] if node in reached[each]) for node in graph
    }
    return [group for node, group in sorted(groups.items()) if group and node == group[0]]


def reachable(graph: dict[str, set[str]], node: str) -> set[str]:
    """Return the nodes that a path leads to."""
    nodes, pending = set[str](), [node]
    while pending:
        new = graph[pending.pop()] - nodes
        nodes |= new
        pending += new
    return nodes


def test_cycles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert cycles(graph) == [["a", "b", "c"], ["d", "e"]]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the names of a function's parameters, keyword-only ones included, without ``self``."""
    listed = function.args
    names = [*listed.posonlyargs, *listed.args, *listed.kwonlyargs, listed.vararg, listed.kwarg]
    return [each.arg for each in names if each is not None and each.arg not in ("self", "cls")]


def crowded(root: ast.Module) -> list[str]:
    """Return the functions with more than five parameters."""
    return [
        node.name
        for node in nodes(root)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(parameters(node)) > 5
    ]


def test_functions_have_at_most_five_parameters() -> None:
    """Values that belong together are an object."""
    offenses = {path: crowded(tree(path)) for path in installed_modules()}
    assert not {path: names for path, names in offenses.items() if names}


def test_functions_with_six_parameters_are_found() -> None:
    assert crowded(ast.parse("class A:\n def f(self, a, /, b, *c, d, e, **f): ...")) == ["f"]
    assert not crowded(ast.parse("def f(a, /, b, *, c, d, **e): ..."))
