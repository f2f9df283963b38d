"""Source files of the repository that the policy tests read."""

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import service as package
from service.database import statements
from service.database.statements import StatementFile
from service.files import MIGRATIONS, SQL

SERVICE = Path(package.__file__).parent
ROOT = SERVICE.parent
CLIENT = ROOT / "client" / "selvedge_client"


@cache
def tree(module: Path) -> ast.Module:
    """Return the syntax tree of a module, parsed once for all policies."""
    return ast.parse(module.read_text(encoding="utf-8"))


@cache
def nodes(root: ast.AST) -> list[ast.AST]:
    """Return the nodes of a tree as `ast.walk` does, without contexts, walked once for all."""
    walked = [root]
    for node in walked:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                walked += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST) and name != "ctx":
                walked.append(value)
    return walked


def sql_files() -> list[StatementFile]:
    """Return every file of ``sql/``."""
    return [statements.load(path.stem) for path in sorted(SQL.glob("*.sql"))]


def modules(folder: str = "") -> list[Path]:
    """Return every Python module of the service, or of one of its folders."""
    return sorted((SERVICE / folder).rglob("*.py"))


def modules_of_client() -> list[Path]:
    """Return every Python module of the client."""
    return sorted(CLIENT.rglob("*.py"))


def installed_modules() -> list[Path]:
    """Return every Python module of the service and of its client."""
    return [*modules(), *modules_of_client()]


def label(module: Path) -> str:
    """Return the path of a module within the service; of the client's, with its package."""
    parent = SERVICE if module.is_relative_to(SERVICE) else CLIENT.parent
    return module.relative_to(parent).as_posix()


def modules_of_tests() -> list[Path]:
    """Return every Python module of the tests, without installed packages."""
    return [path for path in written(ROOT / "tests") if path.suffix == ".py"]


def modules_of_benchmarks() -> list[Path]:
    """Return every Python module of the benchmarks and their peers, without installed packages."""
    return [path for path in written(ROOT / "benchmarks") if path.suffix == ".py"]


@cache
def written(folder: Path) -> list[Path]:
    """Return the files of a folder without hidden folders, in which packages are installed."""
    paths = list[Path]()
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [Path(parent, name) for name in names]
    return sorted(paths)


def imports(module: Path) -> Iterator[str]:
    """Yield the dotted names of the modules that a module imports, and of the names in them."""
    for node in nodes(tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = CLIENT.parent if module.is_relative_to(CLIENT) else ROOT
            package = module.relative_to(parent).parts[: -node.level] if node.level else ()
            name = ".".join([*package, *([node.module] if node.module else [])])
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


@cache
def texts(module: Path) -> list[str]:
    """Return the string literals of a module that are not docstrings."""
    docstrings = {node.value for node in nodes(tree(module)) if isinstance(node, ast.Expr)}
    constants = (node for node in nodes(tree(module)) if isinstance(node, ast.Constant))
    return [
        node.value for node in constants if isinstance(node.value, str) and node not in docstrings
    ]


def migrations() -> list[Path]:
    """Return every migration, without the rollbacks."""
    return sorted(path for path in MIGRATIONS.glob("*.sql") if ".rollback." not in path.name)


@cache
def tenant_tables() -> frozenset[str]:
    """Return every table whose rows belong to an organization, by its present name."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in migrations())
    created = re.findall(r"create table (\w+) \((.*?)\n\)[^;\n]*;", text, re.DOTALL)
    names = dict(re.findall(r"^alter table (\w+) rename to (\w+);", text, re.MULTILINE))
    return frozenset(
        names.get(name, name)
        for name, columns in created
        if re.search(r"^\s+organization_id ", columns, re.MULTILINE)
    )
