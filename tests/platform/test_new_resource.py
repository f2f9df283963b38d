"""Test of a new master record and its part: what docs/adding-a-resource.md names suffices.

A copy of the repository gets the files of a sample resource and its edits. There the policies and
the common tests pass for it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Final

import pytest

from tests.policy.sources import ROOT
from tests.support import generated_parts

SAMPLE_RESOURCE: Final = ROOT / "tests" / "support" / "sample_resource"
EDITS: Final[dict[str, dict[str, list[str]]]] = json.loads(
    (SAMPLE_RESOURCE / "edits.json").read_text(encoding="utf-8")
)
"""Lines that files of the repository get, by the line that they come after."""
PROGRAM: Final = ("client", "migrations", "page/src", "schemas", "service", "sql")
AROUND: Final = (".ci", "benchmarks", "docs", "tests")
REGISTRY: Final = "service/resources/registry.py"
PROSE: Final = ("CHANGELOG.md", "docs/", "schemas/common/words/")
#: Lines by hand at most, and files: of a plain master record, and of a part that is a list.
MOST_LINES, MOST_FILES = {"trims": 150, "trim-sizes": 120}, 6
#: Lines for readers and lines that commands write: of both together.
MOST_PROSE, MOST_GENERATED = 30, 95
#: Tests that take a second. `make test-all` runs all those of the sample.
POLICIES: Final = ("generated_parts", "references")
COMMON: Final = ("every_route", "part_collections")
#: Tests of all collections at once.
OF_ALL: Final = ("part_routes", "scope_matrix", "transaction_law")


def line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def generated_lines(home: Path) -> int:
    """Return the number of lines of the files that commands write, wholly or in part."""
    parts = {part.file.relative_to(ROOT).as_posix() for part in generated_parts.PARTS}
    data = (home / "service" / "extras" / "demo" / "files").iterdir()
    return sum(map(line_count, [*(home / part for part in parts - EDITS.keys()), *data]))


def run(home: Path, *program: str) -> None:
    """Run a Python module in the copy, with a server of its own; it must succeed."""
    inherited = os.environ.items()
    own = {name: value for name, value in inherited if not name.startswith(("TEST_", "PYTEST_"))}
    result = subprocess.run(
        [sys.executable, "-m", *program],
        cwd=home,
        env=own | {"PYTHONPATH": f"{home}:{home / 'client'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def run_tests(home: Path, *arguments: str) -> None:
    run(home, "pytest", "-q", "-p", "no:cacheprovider", *arguments)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with trims, after `make docs`."""
    home = tmp_path_factory.mktemp("with_trims")
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, home)
    ignored = shutil.ignore_patterns(".*", "*.pyc.*")  # installed, or being written
    for folder in PROGRAM + AROUND:
        shutil.copytree(ROOT / folder, home / folder, ignore=ignored)
    shutil.copytree(SAMPLE_RESOURCE, home, dirs_exist_ok=True)
    for name, insertions in EDITS.items():
        text = (home / name).read_text(encoding="utf-8")
        for before, lines in insertions.items():
            assert f"\n{before}\n" in text, (name, before)
            text = text.replace(f"\n{before}\n", "\n".join(["", before, *lines, ""]), 1)
        (home / name).write_text(text, encoding="utf-8")
    run(home, "tests.support.generated_parts")
    return home


def test_policies_and_common_tests_pass(home: Path) -> None:
    modules = [
        *(f"tests/policy/test_{name}.py" for name in POLICIES),
        *(f"tests/contract/test_{name}.py" for name in COMMON),
        *("tests/resources/test_trims.py", "tests/resources/test_trim_sizes.py"),
    ]
    run_tests(home, *modules, "-k", "policy or trim")
    assert 0 < generated_lines(home) - generated_lines(ROOT) <= MOST_GENERATED


@pytest.mark.thorough
def test_all_policies_and_common_tests_pass(home: Path) -> None:
    """After `make demo-files`."""
    run(home, "tests.support.demo.files")
    run_tests(home, "tests", "-k", "trim")
    modules = [f"tests/contract/test_{name}.py" for name in OF_ALL]
    run_tests(home, "tests/policy", *modules)
    assert generated_lines(home) - generated_lines(ROOT) <= MOST_GENERATED


def test_a_new_resource_costs_few_lines() -> None:
    files: dict[str, list[Path]] = {name: [] for name in MOST_LINES}
    for path in {*SAMPLE_RESOURCE.rglob("*.*")} - {SAMPLE_RESOURCE / "edits.json"}:
        if path.suffix in {".json", ".py", ".sql"}:
            files["trim-sizes" if "size" in path.name else "trims"].append(path)
    files["trim-sizes"].append(SAMPLE_RESOURCE / "service" / "resources" / "trims.py")
    assert [name for name in EDITS if not name.startswith(PROSE)] == [REGISTRY]
    registered = sum(map(len, EDITS[REGISTRY].values()))
    for name, paths in files.items():
        assert len(paths) + 1 <= MOST_FILES, paths
        assert sum(map(line_count, paths)) + registered <= MOST_LINES[name], name
    everything = sum(len(lines) for edits in EDITS.values() for lines in edits.values())
    assert everything - registered <= MOST_PROSE


def test_the_page_shows_the_classes_that_are_tested() -> None:
    page = (ROOT / "docs" / "adding-a-resource.md").read_text(encoding="utf-8")
    shown = [textwrap.dedent(code) for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL)]
    module = SAMPLE_RESOURCE / "service" / "resources" / "trims.py"
    text = module.read_text(encoding="utf-8")
    assert len(shown) == text.count("\nclass ")
    assert all(code in text for code in shown)
