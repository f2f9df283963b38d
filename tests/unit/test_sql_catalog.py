"""SQL catalog: snapshots, completeness, parameters and readable form of every statement."""

import re
from argparse import Namespace

import pytest

from service.commands import CommandError, sql
from service.settings import Settings
from service.sql_catalog import catalog
from service.sql_catalog.formatting import format_sql
from tests.policy.sources import sql_files
from tests.support import sql_snapshots

CATALOG = catalog()
PAGES = sql_snapshots.pages()
_TOKEN = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\"[^\"]*\"|[\w$]+|\S")
#: Comments stay on their line.
_WIDEST = 120

each_resource = pytest.mark.parametrize("name", CATALOG)


@pytest.mark.parametrize("name", PAGES)
def test_statements_are_those_of_the_snapshot(name: str) -> None:
    path = sql_snapshots.FOLDER / name
    stored = path.read_text(encoding="utf-8") if path.exists() else ""
    assert PAGES[name] == stored, "`make sql-snapshots` writes the snapshots anew; read their diff"


def test_every_snapshot_is_of_a_resource() -> None:
    assert {path.name for path in sql_snapshots.FOLDER.iterdir()} == set(PAGES)


@each_resource
def test_names_are_unique(name: str) -> None:
    names = [entry.name for entry in CATALOG[name]]
    assert len(names) == len(set(names))


@each_resource
def test_every_parameter_is_named(name: str) -> None:
    for entry in CATALOG[name]:
        numbers = {int(number) for number in re.findall(r"\$(\d+)::", entry.text)}
        assert numbers == set(range(1, len(entry.parameters) + 1)), entry.name


@each_resource
def test_formatting_changes_white_space_only(name: str) -> None:
    for text in (text for entry in CATALOG[name] for text in entry.texts):
        formatted = format_sql(text)
        assert _TOKEN.findall(formatted) == _TOKEN.findall(text)
        assert max(map(len, re.sub("--.*", "", formatted).split("\n"))) <= _WIDEST


def test_every_statement_and_fragment_of_the_files_is_printed() -> None:
    """A statement that the catalog leaves out is one that nobody can read as it is sent."""
    entries = [entry for entries in CATALOG.values() for entry in entries]
    printed = "\n".join(text for entry in entries for text in entry.texts)
    missing = [
        statement.name
        for file in sql_files()
        for statement in file.values()
        if not all(piece in printed for piece in statement.pieces[::2])
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        ("select 1\nfrom color", "select 1\nfrom color"),
        ("from (with a as (\n    select 1\n)\nselect 2) as b",
         "from (\n    with a as (\n        select 1\n    )\n    select 2\n) as b"),
        ("from (select 1) as page", "from (select 1) as page"),
        ("select '(', ')'\nfrom a", "select '(', ')'\nfrom a"),
        ("with p as (\n    select 1\nfrom a\n)\nselect 2",
         "with p as (\n    select 1\n    from a\n)\nselect 2"),
        (f"select {'a' * 60}, {'b' * 60}", f"select {'a' * 60},\n    {'b' * 60}"),
        (f"select '{'a, ' * 50}', b", f"select '{'a, ' * 50}',\n    b"),
    ],
)  # fmt: skip
def test_lines_are_broken_and_indented(text: str, formatted: str) -> None:
    assert format_sql(text) == formatted


def run(resource: str | None) -> None:
    sql.print_statements(Settings.from_environment({}), Namespace(resource=resource))


def test_the_command_prints_one_resource_or_all(capsys: pytest.CaptureFixture[str]) -> None:
    run("colors")
    assert capsys.readouterr().out == PAGES["colors.sql"]
    run(None)
    assert capsys.readouterr().out == "\n".join(PAGES.values())


def test_the_command_lists_the_resources_if_it_lacks_one() -> None:
    with pytest.raises(CommandError, match="no resource 'colours': use one of") as error:
        run("colours")
    assert all(name in str(error.value) for name in CATALOG)
