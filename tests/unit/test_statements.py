"""Tests of the loader of named SQL statements."""

import pytest

from service.database.statements import Statement, StatementError, StatementFile

SOURCE = """\
-- What the file is for.

-- name: all
select * from {{table}}
where id = $1::bigint;

-- name: two_slots
{{a}} and {{b}} and {{a}};

-- name: whole
select 1; -- with a remark
"""


def test_statements_by_name() -> None:
    file = StatementFile("things", SOURCE)
    assert list(file) == ["all", "two_slots", "whole"]
    assert file["whole"].text.startswith("select 1")
    assert file["all"].name == "things.all"
    assert "all" in file
    assert "none" not in file
    with pytest.raises(StatementError, match="no statement none"):
        file["none"]


def test_slots_are_filled_all_of_them_and_no_others() -> None:
    file = StatementFile("things", SOURCE)
    assert file["all"].fill(table="color").startswith("select * from color\n")
    assert file["two_slots"].fill(a="x", b="{{a}}") == "x and {{a}} and x"
    for parts in ({}, {"a": "x"}, {"a": "x", "b": "y", "c": "z"}):
        with pytest.raises(StatementError, match="slots"):
            file["two_slots"].fill(**parts)
    with pytest.raises(StatementError):
        _ = file["all"].text
    with pytest.raises(StatementError):
        file["whole"].fill(table="color")


def test_some_slots_can_be_filled_first() -> None:
    bound = Statement.read("t", "{{a}} {{b}}").bind(a="x")
    assert bound.slots == {"b"}
    assert bound.fill(b="y") == "x y"


def test_a_name_stands_once() -> None:
    with pytest.raises(StatementError, match="twice"):
        StatementFile("things", "-- name: a\nselect 1;\n-- name: a\nselect 2;\n")
