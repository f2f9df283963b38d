"""Policy for documents: the links, paths, targets, commands and packages they name exist."""

import argparse
import re
import sys
from pathlib import Path

import pytest

from service.__main__ import _parser
from tests.policy import documents
from tests.policy.sources import ROOT, SERVICE, imports, modules
from tests.support.offenders import in_each

ARCHITECTURE = ROOT / "docs" / "architecture.md"
_PATH = re.compile(
    r"(service|client/selvedge_client|tests|benchmarks|sql|schemas|migrations|docs|\.ci)/[\w.*<>/-]*|[A-Z]+\.md|Makefile"
)
#: The sample resource of docs/adding-a-resource.md, and a real one that has all its files.
_SAMPLE, _REAL = "trims", "colors"

#: What stands beside the service, and the modules that may import it.
ROOM, ENTRIES = "extras", {"__main__.py", "app.py", "routes.py"}

each_page = in_each("page", documents.documents())
PARSER = _parser()


def test_there_are_pages() -> None:
    assert {page.name for page in documents.documents()} >= {
        *("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"),
        *("architecture.md", "contract.md", "scaling.md", "testing.md"),
    }


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    targets = [target.partition("#")[0] for target in documents.links(page)]
    assert not [target for target in targets if not (page.parent / target).exists()]


def exists(path: str) -> bool:
    """Return whether the path exists; ``*``, ``<name>`` and ``NN`` match anything."""
    pattern = re.sub(r"<\w+>", "*", path).replace("NN", "??").replace(_SAMPLE, _REAL)
    return any(ROOT.glob(pattern.rstrip("/")))


def test_curl_needs_no_option_that_is_new() -> None:
    """`--json` came with curl 7.82; Debian 11 and Ubuntu 22.04 have older ones."""
    shown = [*documents.documents(), *(ROOT / "page" / "src").rglob("*.*")]
    assert not [page for page in shown if "--json" in page.read_text(encoding="utf-8")]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: of its headings, as GitHub makes them, and its own."""
    whole = documents.text(page)
    headings = re.findall(r"^#+ (.+)$", whole, re.MULTILINE)
    slugs = (re.sub(r"[^\w -]", "", heading).strip().lower() for heading in headings)
    return {slug.replace(" ", "-") for slug in slugs} | {*re.findall(r'<a id="([^"]+)"', whole)}


@each_page
def test_anchors_of_links_are_there(page: Path) -> None:
    targets = re.findall(r"\]\(([\w./-]*)#([^)\s]+)\)", documents.text(page))
    assert not [
        f"{target}#{anchor}"
        for target, anchor in targets
        if anchor not in anchors(page.parent / target if target else page)
    ]


@each_page
def test_paths_are_there(page: Path) -> None:
    named = [span for span in documents.spans(documents.text(page)) if _PATH.fullmatch(span)]
    assert not [path for path in named if not exists(path)]


@pytest.mark.parametrize(
    ("path", "is_there"),
    [
        ("service/handlers/", True),
        ("service/nowhere/", False),
        ("sql/<name>.sql", True),
        ("sql/trims.sql", True),
        ("sql/thrums.sql", False),
        ("migrations/00NN.trims.sql", True),
        ("docs/decisions/9999-*.md", False),
    ],
)
def test_a_wrong_path_is_found(path: str, is_there: bool) -> None:
    assert _PATH.fullmatch(path)
    assert exists(path) is is_there


@each_page
def test_make_targets_are_there(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name for line in documents.code(page) for name in re.findall(r"(?:^| )make ([a-z-]+)", line)
    }
    assert not named - targets


def missing(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """Return the sub-commands and options of a command line that the parser does not have."""
    choices = [
        action.choices
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    if choices and words and re.fullmatch(r"[a-z]+", words[0]):
        commands = choices[0]
        return missing(commands[words[0]], words[1:]) if words[0] in commands else [words[0]]
    options = {option for action in parser._actions for option in action.option_strings}
    return [word for word in words if word.startswith("--") and word not in options]


@each_page
def test_commands_are_there(page: Path) -> None:
    for line in documents.code(page):
        for rest in re.findall(r"(?:^| )selvedge ([^`]*)", line):
            assert not missing(PARSER, re.findall(r"[\w-]+", rest)), line


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("key issue --organization 1 --scope write", []),
        ("migrate [--rollback N]", []),
        ("--version", []),
        ("sing", ["sing"]),
        ("key forge", ["forge"]),
        ("migrate --sideways", ["--sideways"]),
    ],
)
def test_a_wrong_command_is_found(line: str, unknown: list[str]) -> None:
    assert missing(PARSER, re.findall(r"[\w-]+", line)) == unknown


def packages() -> list[str]:
    """Return the packages of the service from top to bottom, from the table of layers."""
    named = documents.column(documents.sections(ARCHITECTURE)["Layers"], "package")
    return [package.rstrip("/") for package in named]


def package_of(dotted: str) -> str:
    """Return the package of a module by its dotted name; a module outside any is its own."""
    root, _, rest = dotted.partition(".")
    parts = rest.split(".") if root == "service" else [""]
    package = "/".join(parts[: 2 if parts[0] == ROOM else 1])
    return package if (SERVICE / package).is_dir() else f"{package}.py"


def test_the_table_of_layers_lists_every_package() -> None:
    folders = {
        path.parent.relative_to(SERVICE).as_posix()
        for path in [*SERVICE.glob("*/__init__.py"), *SERVICE.glob(f"{ROOM}/*/__init__.py")]
    } - {ROOM}
    named = packages()
    assert len(set(named)) == len(named)
    assert {package for package in named if "." not in package} == folders
    assert all((SERVICE / package).exists() for package in named)


def test_no_package_imports_one_above_it() -> None:
    """Packages have one order, so there is no cycle. Modules outside them import none."""
    order = {package: index for index, package in enumerate(packages())}
    upward = []
    for module in modules():
        home = package_of(".".join(module.relative_to(ROOT).with_suffix("").parts))
        for dotted in imports(module):
            target = package_of(dotted)
            if order.get(target, len(order)) < order.get(home, len(order)) or (
                target.startswith(ROOM) and not home.startswith(ROOM) and home not in ENTRIES
            ):
                upward.append(f"{module.relative_to(ROOT).as_posix()} imports {dotted}")
    assert not upward


def test_imports_in_documents_are_there() -> None:
    """Imports of the project's own packages, in the programs that documents show."""
    own = re.compile(
        r"^from ((?:service|selvedge_client|tests|benchmarks)[\w.]*) import ([\w, ]+)$"
    )
    lines = [line for page in documents.documents() for line in documents.code(page)]
    imported = [match.groups() for line in lines if (match := own.match(line))]
    assert imported
    for module, names in imported:
        __import__(module, fromlist=names.split(", "))
        assert not [name for name in names.split(", ") if not hasattr(sys.modules[module], name)]


def test_tests_that_ci_runs_are_there() -> None:
    """A renamed test must not end the script that names it."""
    paths = re.findall(r"\btests/[\w/.]+", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert paths
    assert not [path for path in paths if not (ROOT / path).exists()]
