"""Tests of cursors: typed round trips, and nothing else decodes (contract, Cursors)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.errors import ApiError
from service.limits import MAX_CURSOR_BYTES
from service.listing import cursor
from service.listing.list_request import Condition, ListRequest, SortKey
from service.listing.operators import OPERATORS
from service.listing.properties import Properties

pytestmark = pytest.mark.contract("Cursors")

GROUPS, SUPPLIERS = Properties("groups"), Properties("sub-suppliers")
SCOPE = cursor.scope("/api/groups", 1)
BY_ID = (SortKey(GROUPS["id"], False),)
ids = st.integers(1, 2**63 - 1)
times = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC))
names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60)


def _written(list_request: ListRequest, last: list[Any]) -> str:
    return cursor.CursorWriter(list_request).write(last, SCOPE)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    wanted_ids=st.lists(ids, min_size=1, max_size=5),
    name=names,
    time=times,
    descending=st.booleans(),
    size=st.integers(1, 100),
    last=st.tuples(st.none() | names, ids),
)
def test_a_listing_comes_back_as_it_was(
    wanted_ids: list[int],
    name: str,
    time: datetime,
    descending: bool,
    size: int,
    last: tuple[Any, int],
) -> None:
    list_request = ListRequest(
        (
            Condition(GROUPS["beginDate"], OPERATORS["lt"], (time,)),
            Condition(GROUPS["id"], OPERATORS["eq"], tuple(wanted_ids)),
            Condition(GROUPS["name"], OPERATORS["contains"], (name,)),
            Condition(GROUPS["userDefinedId"], OPERATORS["isnull"], (descending,)),
        ),
        (SortKey(GROUPS["userDefinedId"], descending), SortKey(GROUPS["id"], False)),
        size,
    )
    decoded = cursor.decode(_written(list_request, list(last)), GROUPS, SCOPE)
    assert decoded.conditions == list_request.conditions
    assert (decoded.sort, decoded.page_size, decoded.after) == (list_request.sort, size, last)


def test_times_keep_their_microseconds() -> None:
    sort = (SortKey(GROUPS["beginDate"], True), *BY_ID)
    text = _written(ListRequest(sort=sort), ["2026-11-20T09:18:00.000001Z", 7])
    after = cursor.decode(text, GROUPS, SCOPE).after
    assert after == (datetime(2026, 11, 20, 9, 18, tzinfo=UTC) + timedelta(microseconds=1), 7)


def test_string_ids_are_numbers_where_they_sort() -> None:
    sort = (SortKey(SUPPLIERS["id"], False),)
    decoded = cursor.decode(_written(ListRequest(sort=sort), [10]), SUPPLIERS, SCOPE)
    assert decoded.after == (10,)


def test_short_and_long_queries_alike() -> None:
    for count in (1, 40):
        values = tuple(f"A group no. {number}" for number in range(count))
        list_request = ListRequest((Condition(GROUPS["name"], OPERATORS["eq"], values),), BY_ID)
        text = _written(list_request, [5])
        assert len(text) <= MAX_CURSOR_BYTES
        assert cursor.decode(text, GROUPS, SCOPE).conditions == list_request.conditions


@pytest.mark.parametrize(
    "scope", [cursor.scope("/api/groups", 2), cursor.scope("/api/colors", 1), ""]
)
def test_a_cursor_belongs_to_its_list_and_organization(scope: str) -> None:
    text = _written(ListRequest(sort=BY_ID), [1])
    with pytest.raises(ApiError) as error:
        cursor.decode(text, GROUPS, scope)
    assert error.value.code == "validation_error.invalid_cursor"


def test_all_of_a_long_scope_counts() -> None:
    path = f"/api/styles/number={'9' * 500}/sample-requests"
    sealed = cursor.seal(b"[1]", cursor.scope(path, 1))
    assert cursor.unseal(sealed, cursor.scope(path, 1)) == b"[1]"
    for scope in (cursor.scope(path, 2), cursor.scope(f"{path}s", 1), cursor.scope(path, 11)):
        with pytest.raises(ValueError, match="altered"):
            cursor.unseal(sealed, scope)


def test_sealed_texts_of_earlier_releases_are_accepted() -> None:
    assert cursor.unseal("aJ0VUeeCxS83WzFd", SCOPE) == b"[1]"
    assert cursor.unseal("ZSLJ3Bq9Ng3JWzFd", "x" * 64) == b"[1]"


def test_every_single_change_of_a_character_is_noticed() -> None:
    text = _written(ListRequest(sort=BY_ID), [1])
    for index, character in enumerate(text):
        changed = text[:index] + ("A" if character != "A" else "B") + text[index + 1 :]
        for wrong in (changed, text[:index], text[:index] + text[index + 1 :]):
            with pytest.raises(ApiError):
                cursor.decode(wrong, GROUPS, SCOPE)
