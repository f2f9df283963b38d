"""Rules for every value: a test lists all that break it."""

import asyncio

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


async def test_coroutines_are_awaited_one_by_one() -> None:
    seen: list[int] = []

    @pytest.mark.contract("Errors")
    @in_each("number", [1, 2, 3])
    async def rule(number: int, most: int) -> None:
        await asyncio.sleep(0)
        seen.append(number)
        assert number <= most

    with pytest.raises(AssertionError) as failure:
        await rule(most=1)
    assert seen == [1, 2, 3]
    assert [line[0] for line in str(failure.value).splitlines() if line[1:2] == ":"] == ["2", "3"]


def test_a_rule_for_nothing_is_refused() -> None:
    with pytest.raises(AssertionError):
        in_each("number", [])
