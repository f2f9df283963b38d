"""Policy for ``sql/``: statements that are safe, distributable and easy to find."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from service.database.statements import Statement
from service.records.resource import SHOWN_IN
from tests.policy.sources import modules, sql_files, tenant_tables, texts
from tests.support.offenders import in_each
from tests.support.statement_names import PARAMETERS

FILES = sql_files()
STATEMENTS = [statement for file in FILES for statement in file.values()]
TENANTS = tenant_tables()
#: The operator's statements, the one that tells a foreign size range from an unknown one, the list
#: of the organizations whose webhooks are polled, and what the metrics and `selvedge check` count.
ACROSS_ORGANIZATIONS = frozenset(
    {
        "shared.owned_by_any",
        "system.ending_keys",
        "system.ending_ranges",
        "system.late_webhooks",
        "system.most_stored",
        "webhooks.active",
    }
)
OPERATORS_FILE = "administration."
SLOTS = {"table": "color", "kind": "style", "owner": "care_instruction"}

_KEYWORDS = (
    "as|where|set|on|group|order|join|left|full|cross|inner|for|limit|using|select|returning"
)
REFERENCE = re.compile(
    rf"\b(from|join|update|into|using)\s+([a-z_]+)(?:\s+as\b)?(?:\s+(?!(?:{_KEYWORDS})\b)([a-z_]+))?"
)

each_statement = in_each("statement", STATEMENTS, label=lambda statement: statement.name)


def whole(statement: Statement) -> str:
    """Return the statement without comments, with a table where a slot names one."""
    text = statement.fill(**{slot: SLOTS.get(slot, slot) for slot in statement.slots})
    return re.sub(r"--.*", "", text)


def plain(statement: Statement) -> str:
    """Return the same without what its texts hold."""
    return re.sub(r"'(?:[^']|'')*'", "''", whole(statement))


def references(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield keyword, tenant table and alias of each reference in a statement."""
    own = set(re.findall(r"\b([a-z_]+)(?:\([^()]*\))? as (?:not )?(?:materialized )?\(", text))
    for how, table, alias in REFERENCE.findall(text):
        if table in TENANTS - own:
            yield how, table, alias or table


def test_there_are_tenant_tables() -> None:
    assert {"color", "style_group", "style_relation", "api_key", "facility"} <= TENANTS
    assert "language" not in TENANTS


def unbound(text: str) -> list[str]:
    """Return the tenant tables that lack an ``organization_id = $1`` of their own.

    ``= any($1)`` of polls counts, too: on a cluster they pass one organization.
    """
    text = text.replace("= any($1::bigint[])", "= $1::bigint")
    named = [(how, name) for how, _, name in references(text)]
    bare = len(re.findall(r"(?<![.\w])organization_id = \$1::bigint", text))
    problems = []
    for name, count in Counter(name for how, name in named if how != "into").items():
        qualified = len(re.findall(rf"\b{name}\.organization_id = \$1::bigint", text))
        if qualified + bare * (name in TENANTS) < count:
            problems.append(name)
    all_bound = len(re.findall(r"\borganization_id = \$1::bigint", text))
    if all_bound < sum(how != "into" for how, _ in named):
        problems.append("one of several")
    inserts = any(how == "into" for how, _ in named)
    if inserts and not re.search(r"into \w+ (as \w+ )?\(\s*organization_id,", text):
        problems.append("into")
    if inserts and not re.search(r"(select|values \()\s*(\$1::bigint|o\.id),", text):
        problems.append("into")
    if "o.id," in text and not re.search(r"\bwhere o\.id = \$1::bigint\b", text):
        problems.append("o")
    return problems


@each_statement
def test_every_tenant_table_is_read_for_one_organization(statement: Statement) -> None:
    """Scaling, rule 7: each table in a statement has its own ``organization_id = $1``."""
    if statement.name not in ACROSS_ORGANIZATIONS and OPERATORS_FILE not in statement.name:
        assert not unbound(plain(statement))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select id from color where organization_id = $1::bigint", []),
        ("select id from color where id = $2::bigint", ["color", "one of several"]),
        ("select id from color c where c.id = $2::bigint", ["c", "one of several"]),
        (
            "select 1 from color c join color_in_group g on g.color_id = c.id"
            " where c.organization_id = $1::bigint",
            ["g", "one of several"],
        ),
        (
            "delete from color where organization_id = $1::bigint and not exists (\n"
            "select from color_language l where l.color_id = color.id)",
            ["l", "one of several"],
        ),
        ("insert into color (id, name) select 1, ''", ["into", "into"]),
        ("insert into color as c (organization_id, id)\nselect o.id, 1 from organization o", ["o"]),
        ("with item as materialized (select 1) select * from item", []),
    ],
)
def test_a_missing_organization_is_found(text: str, expected: list[str]) -> None:
    assert unbound(text) == expected


@each_statement
def test_every_parameter_has_its_type(statement: Statement) -> None:
    assert not re.findall(r"\$\d+(?!\d*::)", plain(statement))


def test_parameters_have_names() -> None:
    """A fragment in a slot may have some of them; a fragment itself names none."""
    offenses = list[str]()
    for statement in STATEMENTS:
        names = PARAMETERS.get(statement.name, [])
        numbers = {*map(int, re.findall(r"\$(\d+)::", whole(statement)))}
        named = {*range(1, len(names) + 1)}
        if statement.name in PARAMETERS and (
            numbers - named or not (numbers == named or statement.slots)
        ):
            offenses.append(statement.name)
    assert not offenses


#: Of these nobody has to know what they changed: they are no records.
TELL_NOTHING = (
    "administration.",
    "audit.",
    "deleted_records.",
    "idempotency.",
    "changes.",
    "plain_records.remove",
    "record_versions.",
    "system.",
    "writer_locks.",
)


@each_statement
def test_writes_answer_what_they_changed(statement: Statement) -> None:
    """The ids are in a column ``id`` or named after a collection (``change_recorder.py``)."""
    text = plain(statement)
    if re.search(r"^(insert into|update|delete from)\b", text, re.MULTILINE):
        answered = re.search(r"returning (?:.*?\b)(id|as \"[a-z-]+(?:\.form)?\")", text)
        assert answered or statement.name.startswith(TELL_NOTHING)


@each_statement
def test_sql_is_lowercase(statement: Statement) -> None:
    bare = re.sub(r'"[^"]*"', "", plain(statement))
    assert bare == bare.lower()


@each_statement
def test_writes_on_shards_call_nothing_volatile(statement: Statement) -> None:
    """Scaling, rules 4 and 8; ids come from a statement of their own."""
    text = plain(statement)
    assert not re.search(r"\b(merge into|create |clock_timestamp|random\(|gen_random_uuid)", text)
    if re.match(r"(update|delete)\b", text):
        assert not re.search(r"\b(nextval|jsonb_build_\w+|to_jsonb|format)\(", text)


@in_each("file", FILES, label=lambda file: file.name)
def test_statements_stand_in_alphabetical_order(file: object) -> None:
    names = list(file)  # type: ignore[call-overload]
    assert names == sorted(names)
    assert names


def test_no_statement_is_written_twice() -> None:
    written = Counter(" ".join(plain(statement).split()) for statement in STATEMENTS)
    alike = [text for text, count in written.items() if count > 1 and len(text) > 400]
    assert not alike


def test_every_statement_is_used() -> None:
    in_code = {text for module in modules() for text in texts(module)}
    in_sql = {text for other in STATEMENTS for text in re.findall(r"'(\w+)'", whole(other))}
    names = {statement.name.rpartition(".")[2] for statement in STATEMENTS}
    found_by_name = {name for name in names if name.startswith((SHOWN_IN, "writable_"))}
    assert not names - in_code - in_sql - found_by_name
