"""Samples of generated test cases: each run takes another part, by a seed that it prints.

``TEST_SEED`` repeats a run's samples. ``TEST_SAMPLE`` says what a run takes: ``on`` takes samples,
``cases`` runs every case of the tests, and ``off`` makes up more examples for the property tests as
well. The default is ``on`` where no test was chosen, and ``cases`` where tests were. ``TEST_SHARE``
is the share of all tests that a run takes, by chance, such as ``0.25``; the default is 1.
"""

import os
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random, SystemRandom
from typing import Final, TypeVar

import pytest

from service.queries.resource import Resource
from service.routes import Route

_SEED: Final = "TEST_SEED"
_SAMPLE: Final = "TEST_SAMPLE"
_SHARE: Final = "TEST_SHARE"
_ON, _CASES, _OFF = "on", "cases", "off"
_LEAST: Final = 4
"""A sampled test runs at least so many cases, or a tenth of them where that is more."""
T = TypeVar("T")


def settle(config: pytest.Config) -> None:
    """Settle the seed and whether this run takes samples, for it and for its workers."""
    settle_seed()
    value = os.environ.get(_SAMPLE) or (_CASES if _chooses_tests(config) else _ON)
    if value not in (_ON, _CASES, _OFF):
        raise pytest.UsageError(f"{_SAMPLE} must be {_ON}, {_CASES} or {_OFF}, not {value!r}.")
    os.environ[_SAMPLE] = value


def _chooses_tests(config: pytest.Config) -> bool:
    """Return whether the command line names tests by an option, a path or an id."""
    everything = [config.rootpath, *(config.rootpath / path for path in config.getini("testpaths"))]
    named = [config.invocation_params.dir / path for path in config.args]
    return has_choice(config.option, named, everything)


def has_choice(option: Namespace, named: Iterable[Path], everything: Iterable[Path]) -> bool:
    """Return whether options choose tests, or paths name less than the whole folder of tests."""
    if any(getattr(option, name, None) for name in ("keyword", "markexpr", "contract", "lf")):
        return True
    return not {path.resolve() for path in named} <= {path.resolve() for path in everything}


def settle_seed() -> str:
    """Return the run's seed, random unless given; processes started from now on have the same."""
    given = os.environ.get(_SEED) or str(SystemRandom().randrange(10**6))
    os.environ[_SEED] = given
    return given


def seed_settings() -> str:
    """Return the settings that repeat this run's samples."""
    share = f" {_SHARE}={os.environ[_SHARE]}" if os.environ.get(_SHARE) else ""
    return f"{_SEED}={settle_seed()} {_SAMPLE}={os.environ.get(_SAMPLE) or _ON}{share}"


def examples(few: int, many: int) -> int:
    """Return the number of generated examples of a property test."""
    return many if os.environ.get(_SAMPLE) == _OFF else few


def _takes_every_case() -> bool:
    return os.environ.get(_SAMPLE) in (_CASES, _OFF)


class Sample:
    """Sampler of one test's matrix; other tests of the run take other parts."""

    def __init__(self, name: str) -> None:
        self._random = Random(f"{settle_seed()} {name}")

    def __call__(self, cases: Iterable[T], most: int) -> list[T]:
        """Return at most so many of the cases, in their order."""
        matrix = list(cases)
        if _takes_every_case() or len(matrix) <= most:
            return matrix
        return [*self.part(matrix, most / len(matrix))]

    def part(self, cases: Sequence[T], share: float) -> Sequence[T]:
        """Return this share of the cases, in their order."""
        if share >= 1:
            return cases
        most = round(len(cases) * share)
        return [cases[n] for n in sorted(self._random.sample(range(len(cases)), most))]


def unsampled(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests that this run leaves out; another run takes them."""
    taken = Sample("share").part(items, float(os.environ.get(_SHARE) or 1))
    left = {*items}.difference(taken)
    return [*(item for item in items if item in left), *_unsampled_cases(taken)]


def _unsampled_cases(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the cases that this run leaves out of tests parametrized by resource or route.

    Only tests that use a database are sampled. Each has a sample of its own.
    """
    if _takes_every_case():
        return []
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and _is_of_the_registry(item):
            cases[item.nodeid.partition("[")[0]].append(item)
    left: list[pytest.Item] = []
    for name, of_test in cases.items():
        taken = {*Sample(name)(of_test, max(_LEAST, len(of_test) // 10))}
        left += [item for item in of_test if item not in taken]
    return left


def _is_of_the_registry(item: pytest.Function) -> bool:
    """Return whether the test uses a database and its cases are made from the registry."""
    if not hasattr(item, "callspec") or "server_dsn" not in item.fixturenames:
        return False
    return any(isinstance(value, Resource | Route) for value in item.callspec.params.values())
