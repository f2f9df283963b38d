"""Each organization has a share of the bytes under way, and its own alone."""

import pytest

from service.errors import ApiError
from service.http.byte_budget import ByteBudget

pytestmark = pytest.mark.contract("Budgets")


def test_what_exceeds_the_share_is_refused_and_not_counted() -> None:
    accounts = ByteBudget(100)
    accounts.reserve(1, 60)
    with pytest.raises(ApiError) as error:
        accounts.reserve(1, 41)
    assert (error.value.status, error.value.headers) == (429, {"Retry-After": "1"})
    accounts.reserve(1, 40)
    accounts.reserve(2, 100)


def test_who_holds_nothing_gets_what_is_asked_for() -> None:
    accounts = ByteBudget(100)
    accounts.reserve(1, 500)
    with pytest.raises(ApiError):
        accounts.check(1)
    accounts.check(2)


def test_what_has_to_be_answered_counts_all_the_same() -> None:
    accounts = ByteBudget(100)
    accounts.reserve(1, 90)
    accounts.add(1, 90)
    with pytest.raises(ApiError):
        accounts.check(1)
    accounts.release(1, 90)
    accounts.check(1)


def test_nothing_is_kept_of_who_holds_nothing() -> None:
    accounts = ByteBudget(100)
    accounts.reserve(1, 90)
    accounts.release(1, 90)
    assert not accounts._reserved
