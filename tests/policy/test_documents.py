"""What the documents name is there: links, paths, make targets, commands, rooms."""

import argparse
import re
from pathlib import Path

import pytest

from service.__main__ import _parser
from tests.policy import pages
from tests.policy.sources import ROOT, SERVICE, imports, modules

ARCHITECTURE = ROOT / "docs" / "architecture.md"
_PATH = re.compile(
    r"(service|tests|sql|schemas|migrations|docs|\.ci)/[\w.*<>/-]*|[A-Z]+\.md|Makefile"
)
#: The resource that docs/adding-a-resource.md makes up, and one that has all the files of one.
_MADE_UP, _REAL = "trims", "colors"

each_page = pytest.mark.parametrize(
    "page", pages.documents(), ids=lambda page: page.relative_to(ROOT).as_posix()
)


def test_there_are_pages() -> None:
    assert {page.name for page in pages.documents()} >= {
        *("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"),
        *("architecture.md", "contract.md", "scale.md", "testing.md"),
    }


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    targets = [target.partition("#")[0] for target in pages.links(page)]
    assert not [target for target in targets if not (page.parent / target).exists()]


def exists(path: str) -> bool:
    """Whether there is such a path; ``*``, ``<name>`` and ``NN`` stand for anything."""
    pattern = re.sub(r"<\w+>", "*", path).replace("NN", "??").replace(_MADE_UP, _REAL)
    return any(ROOT.glob(pattern.rstrip("/")))


def test_curl_needs_no_option_that_is_new() -> None:
    """`--json` came with curl 7.82; Debian 11 and Ubuntu 22.04 have older ones."""
    shown = [*pages.documents(), *(SERVICE / "pages" / "files").iterdir()]
    assert not [page for page in shown if "--json" in page.read_text(encoding="utf-8")]


@each_page
def test_paths_are_there(page: Path) -> None:
    named = [span for span in pages.spans(pages.text(page)) if _PATH.fullmatch(span)]
    assert not [path for path in named if not exists(path)]


@pytest.mark.parametrize(
    ("path", "found"),
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
def test_a_wrong_path_is_found(path: str, found: bool) -> None:
    assert _PATH.fullmatch(path)
    assert exists(path) is found


@each_page
def test_make_targets_are_there(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name for line in pages.code(page) for name in re.findall(r"(?:^| )make ([a-z-]+)", line)
    }
    assert not named - targets


def missing(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """What of a command line the parser does not know: sub-commands and options."""
    choices = [
        action.choices
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    if choices and words and re.fullmatch(r"[a-z]+", words[0]):
        known = choices[0]
        return missing(known[words[0]], words[1:]) if words[0] in known else [words[0]]
    options = {option for action in parser._actions for option in action.option_strings}
    return [word for word in words if word.startswith("--") and word not in options]


@each_page
def test_commands_are_there(page: Path) -> None:
    for line in pages.code(page):
        for rest in re.findall(r"(?:^| )selvedge ([^`]*)", line):
            assert not missing(_parser(), re.findall(r"[\w-]+", rest)), line


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
    assert missing(_parser(), re.findall(r"[\w-]+", line)) == unknown


def rooms() -> list[str]:
    """The rooms of the service from top to bottom, as the architecture's table has them."""
    named = pages.column(pages.sections(ARCHITECTURE)["Rooms"], "room")
    return [room.rstrip("/") for room in named]


def room_of(dotted: str) -> str:
    """The room of a module by its dotted name: a folder, or a module that lies flat."""
    package, _, rest = dotted.partition(".")
    room = rest.partition(".")[0] if package == "service" else ""
    return room if (SERVICE / room).is_dir() else f"{room}.py"


def test_every_room_has_its_place_on_the_map() -> None:
    folders = {path.name for path in SERVICE.iterdir() if (path / "__init__.py").exists()}
    named = rooms()
    assert len(set(named)) == len(named)
    assert {room for room in named if "." not in room} == folders
    assert all((SERVICE / room).exists() for room in named)


def test_no_room_imports_one_above_it() -> None:
    """Rooms are in one order, so there is no circle either; what is in none imports none."""
    order = {room: place for place, room in enumerate(rooms())}
    upward = []
    for module in modules():
        home = module.relative_to(SERVICE).parts[0]
        for dotted in imports(module):
            target = room_of(dotted)
            if order.get(target, len(order)) < order.get(home, len(order)):
                upward.append(f"{module.relative_to(ROOT).as_posix()} imports {dotted}")
    assert not upward
