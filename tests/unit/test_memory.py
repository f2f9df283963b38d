"""When memory is given back."""

import pytest

from service.http.heap_trimmer import MIN_GROWTH_BYTES, HeapTrimmer

BASE, GROWN = 100 * MIN_GROWTH_BYTES, 102 * MIN_GROWTH_BYTES


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> tuple[HeapTrimmer, list[int]]:
    """An allowance of a process that has little, and what it asks of the system."""
    found, allowance = list[int](), HeapTrimmer()
    monkeypatch.setattr(allowance, "_trim", found.append)
    allowance.update(BASE, 0)
    return allowance, found


def test_what_stays_in_use_is_asked_for_less_and_less(asked: tuple[HeapTrimmer, list[int]]) -> None:
    allowance, found = asked
    for second in range(1, 600):
        allowance.update(GROWN, second)
    assert len(found) <= 16


def test_what_was_in_use_at_first_is_given_back_later(asked: tuple[HeapTrimmer, list[int]]) -> None:
    """The burst is still going on when it is first seen."""
    allowance, found = asked
    for second in range(1, 20):
        allowance.update(GROWN, second)
    assert len(found) >= 3
    for second in range(20, 40):
        allowance.update(BASE, second)
    allowance.update(GROWN, 40)
    before = len(found)
    allowance.update(GROWN, 45)
    assert len(found) == before + 1
