"""Tests of the heap trimmer: the time at which it returns memory."""

import pytest

from service.shares.heap_trimmer import MIN_GROWTH_BYTES, HeapTrimmer

BASE, GROWN = 100 * MIN_GROWTH_BYTES, 102 * MIN_GROWTH_BYTES


@pytest.fixture
def recorded_trimmer(monkeypatch: pytest.MonkeyPatch) -> tuple[HeapTrimmer, list[int]]:
    """An allowance of a process that has little, and what it asks of the system."""
    trims, allowance = list[int](), HeapTrimmer()
    monkeypatch.setattr(allowance, "_trim", trims.append)
    allowance.update(BASE, 0)
    return allowance, trims


def test_memory_in_use_is_trimmed_less_and_less_often(
    recorded_trimmer: tuple[HeapTrimmer, list[int]],
) -> None:
    allowance, trims = recorded_trimmer
    for second in range(1, 600):
        allowance.update(GROWN, second)
    assert len(trims) <= 16


def test_memory_in_use_at_first_is_returned_later(
    recorded_trimmer: tuple[HeapTrimmer, list[int]],
) -> None:
    """The burst is still going on when it is first seen."""
    allowance, trims = recorded_trimmer
    for second in range(1, 20):
        allowance.update(GROWN, second)
    assert len(trims) >= 3
    for second in range(20, 40):
        allowance.update(BASE, second)
    allowance.update(GROWN, 40)
    before = len(trims)
    allowance.update(GROWN, 45)
    assert len(trims) == before + 1
