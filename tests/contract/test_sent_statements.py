"""Statements that operations send: the snapshot has those of three collections, formatted."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.support import sql_recorder
from tests.support.databases import DEMO_TEMPLATE, fresh_database
from tests.support.sql_formatting import format_sql

pytestmark = [pytest.mark.contract(), pytest.mark.plain_postgresql()]

SNAPSHOT: Final = Path(__file__).parents[1] / "snapshots" / "statements.sql"
#: A plain collection, one with links and parts, and a part.
NAMES: Final = ("brands", "colors", "color-translations")
COMMAND: Final = f'make -s sql ARGS="{" ".join(NAMES)}" > tests/snapshots/statements.sql'
_TOKEN: Final = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\"[^\"]*\"|[\w$]+|\S")
#: Comments stay on their line.
_WIDEST: Final = 120


async def test_statements_are_those_of_the_snapshot(server_dsn: str, worker_id: str) -> None:
    operations = [
        operation
        for name in NAMES
        for operation in await sql_recorder.record(
            name, fresh_database(server_dsn, f"demo_{worker_id}", DEMO_TEMPLATE)
        )
    ]
    lines = [*sql_recorder.printed(operations)]
    assert lines == SNAPSHOT.read_text("utf-8").splitlines(), f"read the diff after `{COMMAND}`"
    assert len(lines) <= 2200
    for text in (text for operation in operations for text in operation.statements):
        formatted = format_sql(text)
        assert _TOKEN.findall(formatted) == _TOKEN.findall(text)
        assert max(map(len, re.sub("--.*", "", formatted).split("\n"))) <= _WIDEST


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        ("from (with a as (\n    select 1\n)\nselect 2) as b",
         "from (\n    with a as (\n        select 1\n    )\n    select 2\n) as b"),
        ("select '(', ')'\nfrom (select 1) as a", "select '(', ')'\nfrom (select 1) as a"),
        (f"select '{'a, ' * 50}', b", f"select '{'a, ' * 50}',\n    b"),
    ],
)  # fmt: skip
def test_lines_are_broken_and_indented(text: str, formatted: str) -> None:
    assert format_sql(text) == formatted
