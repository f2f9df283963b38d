"""Source files of the repository that the policy tests read."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import service as package
from service.database import statements
from service.database.statements import StatementFile
from service.files import MIGRATIONS, SQL

SERVICE = Path(package.__file__).parent
ROOT = SERVICE.parent


def sql_files() -> list[StatementFile]:
    """Return every file of ``sql/``."""
    return [statements.load(path.stem) for path in sorted(SQL.glob("*.sql"))]


def modules(folder: str = "") -> list[Path]:
    """Return every Python module of the service, or of one of its folders."""
    return sorted((SERVICE / folder).rglob("*.py"))


def modules_of_tests() -> list[Path]:
    """Return every Python module of the tests, without installed packages."""
    return _written(ROOT / "tests")


def modules_of_benchmarks() -> list[Path]:
    """Return every Python module of the benchmarks and their peers, without installed packages."""
    return _written(ROOT / "benchmarks")


def _written(folder: Path) -> list[Path]:
    """Return the Python files of a folder; packages are installed in hidden ones."""
    paths = sorted(folder.rglob("*.py"))
    return [path for path in paths if "/." not in path.relative_to(ROOT).as_posix()]


def imports(module: Path) -> Iterator[str]:
    """Yield the dotted names of the modules that a module imports, and of the names in them."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.relative_to(ROOT).parts[: -node.level] if node.level else ()
            name = ".".join([*package, *([node.module] if node.module else [])])
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


def texts(module: Path) -> Iterator[str]:
    """Yield the string literals of a module that are not docstrings."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            is_docstring = isinstance(node, ast.Expr)
            if (
                isinstance(child, ast.Constant)
                and isinstance(child.value, str)
                and not is_docstring
            ):
                yield child.value


def migrations() -> list[Path]:
    """Return every migration, without the rollbacks."""
    return sorted(path for path in MIGRATIONS.glob("*.sql") if ".rollback." not in path.name)


def tenant_tables() -> set[str]:
    """Return every table whose rows belong to an organization, by its present name."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in migrations())
    created = re.findall(r"create table (\w+) \((.*?)\n\);", text, re.DOTALL)
    names = dict(re.findall(r"^alter table (\w+) rename to (\w+);", text, re.MULTILINE))
    return {
        names.get(name, name)
        for name, columns in created
        if re.search(r"^\s+organization_id ", columns, re.MULTILINE)
    }
