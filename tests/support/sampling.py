"""Samples of generated test cases: each run takes another part, by a seed that it prints.

A run takes the cases of a few collections, so that its time does not grow with their number.
``TEST_SEED`` repeats a run's samples. ``TEST_SAMPLE`` says what a run takes: ``on`` takes samples,
``cases`` runs every case of the tests, and ``off`` makes up more examples for the property tests as
well. The default is ``on`` where no test was chosen, and ``cases`` where tests were. ``TEST_SHARE``
is the share of all tests that a run takes, by chance, such as ``0.25``; the default is 1.
"""

import os
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final, TypeVar

import pytest

_SEED: Final = "TEST_SEED"
_SAMPLE: Final = "TEST_SAMPLE"
_SHARE: Final = "TEST_SHARE"
_ON, _CASES, _OFF = "on", "cases", "off"
_COLLECTIONS: Final = 3
"""Number of collections that a run takes, parts and reference lists included."""
_LEAST: Final = 1
"""Minimum number of cases of a sampled test. Other collections fill up those of the run's."""
_MOST: Final = 2
"""Maximum number of cases of a sampled test."""
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


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import a share of the modules first: where none is cached, each worker would compile all."""
    if workers := getattr(session.config, "workerinput", None):
        folders = [session.config.invocation_params.dir / name for name in session.config.args]
        paths = sorted(path for folder in folders for path in folder.glob("*/test_*.py"))
        for path in paths[int(workers["workerid"][2:]) :: workers["workercount"]]:
            names = path.relative_to(session.config.rootpath).with_suffix("").parts
            with suppress(Exception, pytest.skip.Exception):  # collection reports it
                import_module(".".join(names))


def settle_seed() -> str:
    """Return the run's seed, random unless given; processes started from now on have the same."""
    given = os.environ.get(_SEED) or str(SystemRandom().randrange(10**6))
    os.environ[_SEED] = given
    return given


def seed_settings() -> str:
    """Return the settings that repeat this run's samples."""
    share = f" {_SHARE}={os.environ[_SHARE]}" if os.environ.get(_SHARE) else ""
    chosen = "" if _takes_every_case() else f", collections: {', '.join(collections())}"
    return f"{_SEED}={settle_seed()} {_SAMPLE}={os.environ.get(_SAMPLE) or _ON}{share}{chosen}"


def collections() -> list[str]:
    """Return the names of the collections that this run takes; the same for the same seed."""
    from service.routes import routes  # a fifth of a second, which unit tests do without

    names = sorted({route.resource.name for route in routes() if route.resource})
    if _takes_every_case():
        return names
    return sorted(Random(f"{settle_seed()} collections").sample(names, _COLLECTIONS))


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
    """Return the cases that this run leaves out: thorough ones, and those of other collections.

    Only tests that use a database and are parametrized by resource or route are sampled.
    """
    if _takes_every_case():
        return []
    chosen = {*collections()}
    cases: defaultdict[str, list[tuple[bool, pytest.Item]]] = defaultdict(list)
    left: list[pytest.Item] = []
    for item in items:
        if item.get_closest_marker("thorough"):
            left.append(item)
        elif (names := _collection_names(item)) is not None:
            cases[item.nodeid.partition("[")[0]].append((names <= chosen, item))
    for name, of_test in cases.items():
        sample = Sample(name)
        taken = sample([item for is_chosen, item in of_test if is_chosen], _MOST)
        others = [item for is_chosen, item in of_test if not is_chosen]
        taken += sample(others, max(_LEAST - len(taken), 0))
        left += [item for _, item in of_test if item not in taken]
    return left


def _collection_names(item: Any) -> set[str] | None:
    """Return the collections of a case made from the registry; None of a case that is not sampled.

    Routes without a collection, such as those of webhooks, have none.
    """
    from service.records.resource import Resource
    from service.routes import Route

    if not hasattr(item, "callspec") or {"apis", "server_dsn"}.isdisjoint(item.fixturenames):
        return None
    values = item.callspec.params.values()
    of_registry = [value for value in values if isinstance(value, Resource | Route)]
    resources = [value.resource if isinstance(value, Route) else value for value in of_registry]
    return {resource.name for resource in resources if resource} if of_registry else None
