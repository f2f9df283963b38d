"""Tests of the byte budget: each organization has its own share."""

import pytest

from service.errors import ApiError
from service.http.budgets import ByteBudget

pytestmark = pytest.mark.contract("Budgets")


def test_bytes_beyond_the_share_are_refused_and_not_counted() -> None:
    accounts = ByteBudget(100)
    accounts.reserve(1, 60)
    with pytest.raises(ApiError) as error:
        accounts.reserve(1, 41)
    assert (error.value.status, error.value.headers) == (429, {"Retry-After": "1"})
    accounts.reserve(1, 40)
    accounts.reserve(2, 100)


def test_an_organization_without_reservations_gets_any_size() -> None:
    accounts = ByteBudget(100)
    accounts.reserve(1, 500)
    with pytest.raises(ApiError):
        accounts.check(1)
    accounts.check(2)


def test_added_bytes_are_counted_beyond_the_share() -> None:
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
