"""Tests of the weighted LRU cache: the sum of its weights is bounded."""

import pytest

from service.handlers.lru_cache import WeightedLruCache


class CountingFactory:
    """Factory that counts its calls; a text weighs its length."""

    def __init__(self, most: int) -> None:
        self.times: dict[str, int] = {}
        self.remembered = WeightedLruCache(self.make, lambda key, value: len(key + value), most)

    def make(self, key: str) -> str:
        self.times[key] = self.times.get(key, 0) + 1
        return key.upper()


def test_a_value_is_made_once() -> None:
    made = CountingFactory(1000)
    assert [made.remembered("abc") for _ in range(3)] == ["ABC"] * 3
    assert made.times == {"abc": 1}
    made.remembered.clear()
    assert made.remembered("abc") == "ABC"
    assert made.times == {"abc": 2}


def test_the_least_recently_used_value_is_evicted() -> None:
    made = CountingFactory(640)
    keys = [f"{number:05}" for number in range(64)]
    for key in keys:
        made.remembered(key)
    made.remembered(keys[0])
    made.remembered("00064")
    for key in (keys[0], keys[-1], "00064", keys[1]):
        made.remembered(key)
    assert made.times[keys[0]] == made.times[keys[-1]] == made.times["00064"] == 1
    assert made.times[keys[1]] == 2


def test_a_value_above_the_bound_evicts_nothing() -> None:
    made = CountingFactory(640)
    for key in ("a", "x" * 6, "a", "x" * 6):
        made.remembered(key)
    assert made.times == {"a": 1, "x" * 6: 2}


def test_the_weight_never_exceeds_the_bound() -> None:
    made = CountingFactory(640)
    for number in range(10_000):
        made.remembered(str(number % 777))
        assert made.remembered._weight <= 640
    assert made.remembered._weight == sum(weight for _, weight in made.remembered._entries.values())


def test_failures_are_not_remembered() -> None:
    answers = iter(["once more"])

    def make(key: str) -> str:
        if key == "refused":
            raise LookupError(key)
        return next(answers)

    remembered = WeightedLruCache(make, lambda *_: 1, 64)
    for _ in range(2):
        with pytest.raises(LookupError):
            remembered("refused")
    assert remembered("a") == remembered("a") == "once more"
