"""Policy cases: a rule lists every value that breaks it."""

import pytest

from tests.support.offenders import in_each


def test_all_offenses_are_listed() -> None:
    @in_each(("number", "least"), [(1, 2), (3, 2), (0, 1)], label=lambda row: row[0])
    def rule(number: int, least: int, most: int) -> None:
        assert least <= number <= most

    with pytest.raises(AssertionError) as failure:
        rule(most=9)
    lines = str(failure.value).splitlines()
    assert [line[0] for line in lines if line[1:2] == ":"] == ["1", "0"]


def test_a_rule_for_nothing_is_refused() -> None:
    with pytest.raises(AssertionError):
        in_each("number", [])
