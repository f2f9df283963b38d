"""Tests of test sampling: full runs take samples, runs of chosen tests do not."""

from argparse import Namespace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from service.routes import routes
from tests.support.sampling import Sample, collections, has_choice, seed_settings, unsampled

ROOT = Path(__file__).parents[2]
NOTHING = Namespace(keyword="", markexpr="", contract=None, lf=False)
MODULE = "tests/contract/test_write_options.py"


def items(count: int = 1) -> list[Any]:
    """Return a case of each route, so many times, as pytest collects them, and a thorough test."""
    cases = [
        Mock(
            nodeid=f"test_route[{route.path}]",
            fixturenames=["server_dsn"],
            callspec=Mock(params={"route": route}),
            get_closest_marker=lambda _: None,
        )
        for route in routes()
        for _ in range(count)
    ]
    return [*cases, Mock(nodeid="test_long", get_closest_marker=lambda name: name)]


def test_a_run_takes_cases_of_its_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no more of them where there are more."""
    monkeypatch.delenv("TEST_SHARE", raising=False)
    monkeypatch.setenv("TEST_SEED", "1")
    monkeypatch.setenv("TEST_SAMPLE", "on")
    for every_case in (items(), items(3)):
        left = unsampled(every_case)
        taken = [item for item in every_case if item not in left]
        assert len(taken) == 2
        resources = [item.callspec.params["route"].resource for item in taken]
        assert {resource.name for resource in resources if resource} <= {*collections()}
    assert ", ".join(collections()) in seed_settings()
    chosen = collections()
    monkeypatch.setenv("TEST_SEED", "2")
    assert chosen != collections()
    monkeypatch.setenv("TEST_SAMPLE", "cases")
    assert unsampled(items()) == []


def test_a_share_is_a_part_in_order() -> None:
    everything = range(1000)
    part = Sample("share").part(everything, 0.25)
    assert len(part) == 250
    assert [*part] == sorted({*part})
    assert part != Sample("other").part(everything, 0.25)
    assert Sample("share").part(everything, 1) == everything


@pytest.mark.parametrize(
    "option",
    [
        Namespace(keyword="cursor"),
        Namespace(markexpr="contract"),
        Namespace(contract=["Merges"]),
        Namespace(lf=True),
    ],
)
def test_options_choose_tests(option: Namespace) -> None:
    assert has_choice(option, [ROOT / "tests"], [ROOT / "tests"])


@pytest.mark.parametrize(
    ("path", "chosen"),
    [
        ("tests", False),
        ("tests/", False),
        (".", False),
        ("tests/unit", True),
        (MODULE, True),
        (f"{MODULE}::test_every_switch_beside_every_other", True),
    ],
)
def test_paths_choose_tests(path: str, chosen: bool) -> None:
    assert has_choice(NOTHING, [ROOT / path], [ROOT, ROOT / "tests"]) is chosen


def test_a_sample_is_repeated_by_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_SAMPLE", "on")
    monkeypatch.setenv("TEST_SEED", "1")
    first = Sample("name")(range(1000), 10)
    assert len(first) == 10
    assert first == sorted(first) == Sample("name")(range(1000), 10)
    assert first != Sample("another name")(range(1000), 10)
    monkeypatch.setenv("TEST_SAMPLE", "cases")
    assert Sample("name")(range(1000), 10) == [*range(1000)]
