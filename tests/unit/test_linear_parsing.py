"""Tests of parsing time: it grows linearly with the request."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from service.errors import ApiError
from service.feed import feed_parameters as changes
from service.listing import parameters
from service.listing.properties import Properties
from service.listing.query_reader import QueryReader
from tests.support.processor_time import LeastTime

pytestmark = pytest.mark.measures

PROPERTIES = Properties("colors")


def _changes(pairs: list[tuple[str, str]]) -> None:
    changes.read_request(pairs, {"colors": None}, "")


def _list(pairs: list[tuple[str, str]]) -> None:
    parameters.read_query(pairs, PROPERTIES)


def _any(pairs: list[tuple[str, str]]) -> None:
    reader = QueryReader(pairs)
    reader.only("id")
    reader.single("colour")
    reader.raise_errors()


def _seconds(read: Callable[[list[tuple[str, str]]], None], name: str, number: int) -> float:
    pairs = [(name.format(index), "x") for index in range(number)]
    used = LeastTime()
    for _ in used.attempts():
        with suppress(ApiError):
            read(pairs)
    return used.seconds


@pytest.mark.parametrize("read", [_changes, _list, _any])
@pytest.mark.parametrize(
    "name", ["colour{}", "colour", "id", "a\0{}", "filter[{}].x", "sort[{}].property", "collection"]
)
def test_reading_a_query_grows_with_its_parameters(
    read: Callable[[list[tuple[str, str]]], None], name: str
) -> None:
    """Four times as many take about four times as long; 16 times where each looks at all others."""
    few, many = (_seconds(read, name, number) for number in (500, 2000))
    assert many < 8 * few + 0.002
