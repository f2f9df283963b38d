"""Tests of a release: what it refuses, and that its wheel serves without the repository."""

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from service import __version__
from service.database import releases
from tests.policy.sources import ROOT
from tests.support.processes import environment, reaches_status, status
from tests.support.temporary_folders import temporary_folder
from tests.support.time_limits import limit

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def _release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RELEASE = _release()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """The wheels, as a release builds them; the bill and checksums of all."""
    with temporary_folder() as parent:
        folder = parent / "dist"
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
        for project in (ROOT, ROOT / "client"):
            words = [*command, "--outdir", str(folder), str(project)]
            subprocess.run(words, check=True, capture_output=True)
        RELEASE.write_bill(folder / "bill.json")
        RELEASE.write_checksums(folder)
        yield folder


@pytest.fixture(scope="module")
def program(folder: Path) -> Iterator[Path]:
    """The installed wheel: an environment of its own sees the packages of this one."""
    with temporary_folder() as target:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", target], check=True)
        [site] = target.glob("lib/python*/site-packages")
        (site / "here.pth").write_text(sysconfig.get_path("purelib"))
        python = str(target / "bin" / "python")
        pip = [sys.executable, "-m", "pip", "--python", python, "install"]
        wheel = folder / f"selvedge-{__version__}-py3-none-any.whl"
        options = ["--no-deps", "--no-index", "--ignore-installed", "--quiet"]
        subprocess.run([*pip, *options, str(wheel)], check=True)
        yield target / "bin" / "selvedge"


def _run(program: Path, settings: dict[str, str], *arguments: str) -> str:
    """Run a command outside of the repository; return what it prints."""
    command = [str(program), *arguments]
    options: dict[str, Any] = {"cwd": "/", "capture_output": True, "text": True}
    ended = subprocess.run(command, env=settings, timeout=limit(60), **options)
    assert ended.returncode == 0, ended.stderr
    return str(ended.stdout)


@pytest.mark.contract("Versions")
def test_the_wheel_serves_without_the_repository(program: Path, dsn: str, data_dir: Path) -> None:
    settings = environment(data_dir, DATABASE_URL=dsn)
    settings.pop("PYTHONPATH", None)
    run = partial(_run, program, settings)
    assert run("--version") == f"{__version__}\n"
    assert f"current for {__version__}" in run("migrate")
    organization = run("organization", "create", "Norrby").strip()
    key = run("key", "issue", "--organization", organization, "--scope", "write").strip()
    with subprocess.Popen(
        [program, "serve"], env=settings, stdout=subprocess.PIPE, text=True, cwd="/"
    ) as process:
        assert process.stdout is not None
        base_url = process.stdout.readline().split()[-1]
        assert reaches_status(f"{base_url}/readyz", 200)
        for path in ("/", "/guides/paging", "/docs", "/data", "/openapi.json"):
            assert status(base_url + path) == 200, path
        for path in ("/api/me", "/api/colors", "/api/changes?from=now"):
            assert status(base_url + path, key) == 200, path
        process.terminate()


def test_the_bill_of_materials_has_each_pinned_package(folder: Path) -> None:
    bill = json.loads((folder / "bill.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "selvedge"
    pins = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    listed = {(each["name"], each["version"]) for each in bill["components"]}
    assert listed == {*pins}


def test_checksums_are_those_of_the_files(folder: Path) -> None:
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert sums.keys() == {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    assert {name.split("-")[0] for name in sums} == {"selvedge", "selvedge_client", "bill.json"}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_another_version_is_refused_with_all_reasons() -> None:
    reasons = "\n".join(RELEASE.problems("9.9.9"))
    for reason in (f"has the version {__version__}", "[9.9.9]", "releases.txt", "**Rollback**"):
        assert reason in reasons


def test_the_changelog_has_each_release() -> None:
    """With settings, migrations and the way back; at most 200 lines for all of the past."""
    headings = re.findall(r"^## \[(.+?)\]", CHANGELOG, re.MULTILINE)
    assert headings == ["Unreleased", *reversed(releases.releases())]
    assert headings[1] == __version__
    for version in headings[1:]:
        assert [line for line in RELEASE.changelog_problems(version) if version in line] == []
    past = CHANGELOG[CHANGELOG.index(f"## [{headings[2]}]") :]
    assert len(past.splitlines()) <= 200
