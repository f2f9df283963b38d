"""Tests of test sampling: full runs take samples, runs of chosen tests do not."""

import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from tests.support.sampling import Sample, has_choice

ROOT = Path(__file__).parents[2]
NOTHING = Namespace(keyword="", markexpr="", contract=None, lf=False)
#: Two tests per resource in this module, so a sample leaves most of its cases out.
MODULE = "tests/contract/test_write_options.py"


def collected(*arguments: str, **settings: str) -> int:
    """Return how many tests a run of pytest would execute."""
    environment = {name: value for name, value in os.environ.items() if "TEST" not in name}
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:xdist", *arguments],
        cwd=ROOT,
        env=environment | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    return sum(
        int(line.rpartition(": ")[2]) for line in result.stdout.split("\n") if ".py: " in line
    )


def test_a_chosen_path_runs_every_case() -> None:
    every_case = collected(MODULE)
    assert every_case == collected(MODULE, TEST_SAMPLE="off")
    assert 0 < collected(MODULE, TEST_SAMPLE="on") < every_case


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
