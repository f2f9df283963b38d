"""Policy for measurements: figures name the commit that they were measured on."""

import re
from pathlib import Path

import pytest

from tests.policy import documents
from tests.policy.sources import ROOT
from tests.support.offenders import in_each

#: Sections of measured figures; `make docs` measures nothing.
_SECTION = re.compile(
    r"<!-- written by `(?!make docs)(.+?)` -->\n(.*?)<!-- end of `\1` -->", re.DOTALL
)
_COMMIT = re.compile(r"[Mm]easured on commit\s+`[0-9a-f]{7,40}`")
_FIGURE = re.compile(r"\b(?:took|measured)\b[^.]*?\s\d[\d.,]* (?:µs|ms|s|MB|GB)\b", re.IGNORECASE)
_WRITERS = {
    "make bench": "benchmarks.md",
    "make bench-scale": "benchmarks.md",
    "make bench-scale: search": "benchmarks.md",
    "make bench-webhooks": "benchmarks.md",
    "make soak": "benchmarks.md",
    "make faults": "reliability.md",
    "make fuzz": "reliability.md",
    "make attack": "reliability.md",
    "make bench-cluster": "scaling.md",
}
"""Commands that write what they measured, and where."""


def unnamed(text: str) -> list[str]:
    """Return the sections with figures that name no commit."""
    sections = [command for command, body in _SECTION.findall(text) if not _COMMIT.search(body)]
    has_figures = bool(_SECTION.search(text) or _FIGURE.search(" ".join(text.split())))
    return sections + ["the page"] * (has_figures and not _COMMIT.search(text))


@in_each("page", documents.documents())
def test_measured_figures_name_a_commit(page: Path) -> None:
    assert not unnamed(documents.text(page))


@in_each("command", _WRITERS)
def test_every_command_that_measures_has_its_section(command: str) -> None:
    page = documents.text(ROOT / "docs" / _WRITERS[command])
    assert command in [name for name, _ in _SECTION.findall(page)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A page takes at most 8 MB.", []),
        ("<!-- written by `make docs` -->\n5\n<!-- end of `make docs` -->\n", []),
        ("It took 5 ms.", ["the page"]),
        ("It took\n5 ms, measured on commit `0a6cef5`.", []),
        ("It took 5 ms, measured on commit unknown.", ["the page"]),
        (
            "<!-- written by `make it` -->\n5\n<!-- end of `make it` -->\n"
            "Measured on commit `0a6cef5`.",
            ["make it"],
        ),
    ],
)
def test_figures_without_a_commit_are_found(text: str, expected: list[str]) -> None:
    assert unnamed(text) == expected
