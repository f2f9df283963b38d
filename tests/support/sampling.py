"""Samples of generated matrices: each run takes another part, by a seed that it prints.

TEST_SEED repeats a run's samples; ``TEST_SEED=all`` takes everything.
"""

import os
from collections import defaultdict
from collections.abc import Iterable
from random import Random, SystemRandom
from typing import Final, TypeVar

import pytest

from service.queries.resource import Resource
from service.routes import Route

_VARIABLE: Final = "TEST_SEED"
_EVERYTHING: Final = "all"
_LEAST: Final = 4
"""So many of a test's cases are run at least, and a fifth of them where that is more."""
T = TypeVar("T")


def settle_seed() -> str:
    """The run's seed, made up unless it is given; processes started from now on have the same."""
    given = os.environ.get(_VARIABLE) or str(SystemRandom().randrange(10**6))
    os.environ[_VARIABLE] = given
    return given


def told_seed() -> str:
    """How to have the same samples again, for whoever reads the output."""
    return f"{_VARIABLE}={settle_seed()}"


def examples(few: int, many: int) -> int:
    """How many examples to make up: few, or many where everything is wanted."""
    return many if settle_seed() == _EVERYTHING else few


class Sample:
    """Takes parts of what a test could look at; another test of the run takes other parts."""

    def __init__(self, name: str) -> None:
        self._everything = settle_seed() == _EVERYTHING
        self._random = Random(f"{settle_seed()} {name}")

    def __call__(self, cases: Iterable[T], most: int) -> list[T]:
        """At most that many of the cases, in their order."""
        found = list(cases)
        if self._everything or len(found) <= most:
            return found
        return [found[n] for n in sorted(self._random.sample(range(len(found)), most))]


def left_out(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """What this run leaves of the tests that ask a database once for each resource or route.

    Each of them has a sample of its own: what one leaves another one takes, and another run.
    """
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and _is_of_the_registry(item):
            cases[item.nodeid.partition("[")[0]].append(item)
    left: list[pytest.Item] = []
    for name, found in cases.items():
        taken = {*Sample(name)(found, max(_LEAST, len(found) // 5))}
        left += [item for item in found if item not in taken]
    return left


def _is_of_the_registry(item: pytest.Function) -> bool:
    """Whether its cases are made from the registry, and ask a database."""
    if not hasattr(item, "callspec") or "server_dsn" not in item.fixturenames:
        return False
    return any(isinstance(value, Resource | Route) for value in item.callspec.params.values())
