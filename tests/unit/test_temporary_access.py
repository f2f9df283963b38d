"""Tests of temporary access to folders: least permissions, logged, closed by the last user."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.extras.privileges import temporary_access
from service.extras.privileges.temporary_access import TemporaryAccess
from tests.support.temporary_folders import temporary_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may pass through, unlike pytest's own."""
    with temporary_folder() as folder:
        yield folder


@pytest.fixture(autouse=True)
def records(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Records of the test's own."""
    monkeypatch.setattr(temporary_access, "RECORDS", folder / "records")
    return folder / "records"


@pytest.fixture
def home(folder: Path) -> Path:
    """A closed folder with a program and data in it, and with something to be left alone."""
    home = folder / "home"
    for name in ("program/part", "program/site-packages", "data/database", "private"):
        (home / name).mkdir(parents=True)
    (home / "program/part/code.py").write_text("")
    (home / "program/tool").write_text("")
    (home / "program/link").symlink_to(home / "private")
    for path in (home, *home.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o700)
    (home / "program/part/code.py").chmod(0o600)
    return home


def _modes(home: Path) -> dict[str, int]:
    paths = (home, *(path for path in home.rglob("*") if not path.is_symlink()))
    return {str(path.relative_to(home)): path.stat().st_mode & 0o777 for path in paths}


def test_only_needed_folders_are_opened_logged_and_closed(
    home: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _modes(home)
    with TemporaryAccess("Because", [home / "program"], [home / "data"]):
        opened = {path: mode for path, mode in _modes(home).items() if mode != before[path]}
        [line] = capsys.readouterr().err.splitlines()
        assert line.startswith("Because, ")
        assert f"pass through {home}" in line
        assert f"read {home / 'program'}" in line
    assert opened == {
        ".": 0o701,
        "data": 0o701,
        "program": 0o705,
        "program/part": 0o705,
        "program/part/code.py": 0o604,
        "program/tool": 0o705,
    }
    assert _modes(home) == before
    assert list(records.iterdir()) == []


def test_packages_that_are_imported_are_opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(home / "program/site-packages")
    with TemporaryAccess("Because", [home / "program"]):
        assert _modes(home)["program/site-packages"] == 0o705


def test_nothing_to_open_leaves_no_trace(
    home: Path, records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (home, *home.rglob("*")):
        path.chmod(0o755)
    with TemporaryAccess("Because", [home / "program"], [home / "data"]):
        assert set(_modes(home).values()) == {0o755}
    assert capsys.readouterr().err == ""
    assert not records.exists()


def test_the_last_one_closes(home: Path) -> None:
    before = _modes(home)
    first, second = (TemporaryAccess("Because", [], [home / name]) for name in ("data", "program"))
    with second:
        with first:
            assert _modes(home)["data"] == 0o701
        assert _modes(home) == before | {".": 0o701, "program": 0o701}
    with first:
        second.__enter__()
    assert _modes(home) == before | {".": 0o701, "program": 0o701}
    second.__exit__()
    assert _modes(home) == before


def test_access_left_by_a_killed_process_is_closed_by_the_next(home: Path, records: Path) -> None:
    before = _modes(home)
    for needed in (home / "data", home / "private"):
        killed = TemporaryAccess("Because", [home / "program"], [home / "data"])
        killed.__enter__()
        killed._disown()
        with TemporaryAccess("Because", [], [needed]):
            assert _modes(home) == before | {".": 0o701, needed.name: 0o701}
        assert _modes(home) == before
    assert list(records.iterdir()) == []


def test_a_record_cut_short_hinders_nobody(home: Path, records: Path) -> None:
    records.mkdir()
    (records / "opened-short").write_text('{"/')
    before = _modes(home)
    with TemporaryAccess("Because", [], [home / "data"]):
        pass
    assert _modes(home) == before
    assert list(records.iterdir()) == []


def test_folders_removed_meanwhile_are_ignored(home: Path) -> None:
    with TemporaryAccess("Because", [home / "program"]):
        (home / "program/tool").unlink()
    assert _modes(home)["."] == 0o700
