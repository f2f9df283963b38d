"""Policy for distributed SQL: rules that let every statement run on Citus (scaling)."""

import re
from pathlib import Path

import pytest

from service.database.statements import Statement
from service.files import MIGRATIONS, SQL
from tests.policy.sources import (
    ROOT,
    migrations,
    modules,
    modules_of_benchmarks,
    modules_of_tests,
    texts,
    written,
)
from tests.policy.test_statements import REFERENCE, each_statement, plain
from tests.support.offenders import in_each


@each_statement
def test_inserts_of_selected_rows_are_not_pulled(statement: Statement) -> None:
    """Scaling, rule 18: the organization's row lets a cluster send the insert to its node."""
    text = plain(statement)
    if "insert into" in text and "select" in text:
        assert "from organization o\n" in text
        assert "row_number() over (order" not in text
        assert "nextval(" not in text


@each_statement
def test_inserts_have_their_ids(statement: Statement) -> None:
    """Scaling, rule 19: by default a node other than the coordinator gives ids beyond 2^48.

    Only a command, which needs the coordinator, creates organizations. Slots may be columns.
    """
    for table, columns in re.findall(r"insert into (\w+)[^()]*\(([^)]*)\)", plain(statement)):
        if table in tables_with_ids() - {"organization"} and not statement.slots:
            assert re.search(r"\bid\b", columns)


def tables_with_ids() -> set[str]:
    """Return the tables whose ids come from a sequence."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in migrations())
    created = re.findall(r"create table (\w+) \((.*?)\n\)[^;\n]*;", text, re.DOTALL)
    return {name for name, columns in created if "\n    id bigint generated" in columns}


@each_statement
def test_only_recursive_queries_have_column_lists(statement: Statement) -> None:
    """Scaling, rule 8: a node does not get the names of another one's columns."""
    text = plain(statement)
    if "with recursive" not in text:
        assert not re.search(
            r"^(with )?[a-z_]+ ?\([a-z_, ]+\) as (materialized )?\(", text, re.MULTILINE
        )


@each_statement
def test_updates_choose_no_time(statement: Statement) -> None:
    """Scaling, rules 8 and 9: no ``now()`` in a case or a coalesce, nor where rows conflict."""
    assert not chosen_times(changing(plain(statement)))


def changing(text: str) -> str:
    """Return the part of a statement that updates rows; empty if there is none."""
    match = re.search(r"^(update|on conflict .* do update)\b.*", text, re.MULTILINE | re.DOTALL)
    return match[0] if match else ""


def chosen_times(update: str) -> list[str]:
    """Return the update expressions that read the time and may not need it."""
    nested = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
    choices = re.findall(rf"\bcoalesce\({nested}\)|\bcase\b.*?\bend\b", update, re.DOTALL)
    if update.startswith("on conflict"):
        choices.append(update)
    return [choice for choice in choices if "now()" in choice]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("update color set at = now()", 0),
        ("update color set at = coalesce(color.at, now())", 1),
        ("update color set at = case when state = '' then now() end, name = ''", 1),
        (
            "with item as (\n select now() as at\n)\n"
            "update color set at = case 1 when 1 then item.at end",
            0,
        ),
        ("insert into color (at)\nselect coalesce(x.at, now())\nreturning id", 0),
        ("insert into color (at)\nvalues (now())\non conflict (id) do update set at = now()", 1),
    ],
)
def test_a_chosen_time_is_found(text: str, count: int) -> None:
    assert len(chosen_times(changing(text))) == count


@each_statement
def test_one_item_is_read_as_many_are(statement: Statement) -> None:
    """Scaling, rule 8: there the type of a single one's row cannot be told."""
    assert "jsonb_to_record(" not in plain(statement)


@each_statement
def test_nothing_waits_by_lock_timeout(statement: Statement) -> None:
    """Scaling, rule 12: it does not reach the nodes that hold the rows."""
    assert "lock_timeout" not in plain(statement)


@each_statement
def test_selects_have_columns(statement: Statement) -> None:
    """Scaling, rule 8: ``select 1 from``, also where only a row's being there matters."""
    assert not re.search(r"\bselect\s+from\b", plain(statement))


@each_statement
def test_inserts_have_no_correlated_subquery(statement: Statement) -> None:
    """Scaling, rule 8: what is sent, or in a CTE, is joined."""
    assert not correlated(plain(statement))


def correlated(text: str) -> list[str]:
    """Return the subqueries of an insert that name something outside but the organization, o."""
    _, _, insert = text.partition("insert into")
    queries = []
    for opening in re.finditer(r"\(\s*select\b", insert):
        query = insert[opening.start() : _closing(insert, opening.start())]
        named = {alias or table for _, table, alias in REFERENCE.findall(query)}
        named |= set(re.findall(r"\bas (?:materialized )?([a-z_]+)", query))
        if set(re.findall(r"(?<![.\w])([a-z_]+)\.", query)) - named - {"o"}:
            queries.append(query)
    return queries


def _closing(text: str, opening: int) -> int:
    """Return the index of the closing parenthesis."""
    depth = 0
    for index in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    raise AssertionError("parentheses do not match")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("insert into a (x)\nselect item.x from sent() as item", 0),
        ("insert into a (x)\nselect item.x + (select max(t.x) from a t) from sent() as item", 0),
        (
            "insert into a (x)\nselect item.x from sent() as item\n"
            "where not exists (select 1 from a same where same.x = item.x)",
            1,
        ),
        ("select (select item.x from a) from b as item", 0),
    ],
)
def test_a_correlated_subquery_is_found(text: str, count: int) -> None:
    assert len(correlated(text)) == count


@in_each("module", modules())
def test_code_keeps_to_the_same_rules(module: Path) -> None:
    """Scaling, rules 5, 8 and 12: Citus leaves the name of a constraint to the error's message."""
    for text in texts(module):
        assert not re.search(r"\bselect\s+from\b|\block_timeout\b", text)
    assert not re.search(r"\.constraint_name\b", module.read_text(encoding="utf-8"))


def forces_generic_plans(path: Path) -> bool:
    """Return whether a file names the mode; this one does."""
    return path != Path(__file__) and "force_generic_plan" in path.read_text(encoding="utf-8")


def test_no_generic_plan_is_forced_on_a_cluster() -> None:
    """Scaling, rule 13: tests force them on plain PostgreSQL only."""
    files = [*modules(), *modules_of_benchmarks(), *written(SQL), *written(MIGRATIONS)]
    assert not [path for path in files if forces_generic_plans(path)]
    of_tests = [path for path in modules_of_tests() if forces_generic_plans(path)]
    plain = [path for path in of_tests if "plain_postgresql" in path.read_text(encoding="utf-8")]
    assert [path for path in of_tests if path not in plain] == [
        ROOT / "tests" / "support" / "databases.py"  # unless there is a cluster
    ]
