"""Temporary access: opens files and folders to other accounts, and closes them again.

Problem: root may have installed the program and the data where no other account can read. The
modes are widened as little as possible, the operator is informed, and the last process that needs
the wider modes restores them. Each such process has a record file of the bits that it needs and
that it or another such process has set. The file is locked while the process lives, so that the
next process that enters or leaves can close what a killed one left open.
"""

import fcntl
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, Final, Self, TypeAlias

from service.console import say

RECORDS: Final = Path("/var/lib/selvedge")
"""Folder of the record files, which only root can use.

It survives a restart of the machine, as the widened modes do.
"""
_PASS: Final = stat.S_IXOTH
_READ: Final = stat.S_IROTH

_Bits: TypeAlias = dict[str, int]
"""Mode bits by path."""


class TemporaryAccess:
    """Context manager in which other accounts may read ``trees`` and pass through ``folders``.

    Trees are existing folders, with everything in them at the time of entering; symbolic links are
    not followed. Folders, and the parents of trees and folders, may be passed through, not listed.
    Entering raises OSError if a mode cannot be changed, and then restores the modes. ``reason``
    begins the message to the operator, on standard error, if modes are changed. In a forked child
    leaving the context does nothing.
    """

    def __init__(self, reason: str, trees: Sequence[Path], folders: Sequence[Path] = ()) -> None:
        self._reason = reason
        self._trees = _outermost(trees)
        self._passed = _passed_folders((*trees, *folders), folders)
        self._record: IO[str] | None = None
        os.register_at_fork(after_in_child=self._disown)

    def __enter__(self) -> Self:
        if not RECORDS.exists() and not self._missing():
            return self
        try:
            with _locked():
                self._open()
                _sweep()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._record is not None:
            with _locked():
                self._record.close()
                self._record = None
                _sweep()

    def _open(self) -> None:
        """Record the missing mode bits and the needed ones that others have set; then set them.

        Nothing is recorded if there are none. The caller has locked the records folder.
        """
        missing, opened = self._missing(), _merged(map(_read, _records()))
        shared = {path: bits for path, bits in opened.items() if self._needs(path)}
        if not missing and not shared:
            return
        self._record = _new_record(_merged((missing, shared)))
        for path, bits in missing.items():
            Path(path).chmod(_mode(path) | bits)
        if missing:
            self._inform(missing)

    def _missing(self) -> _Bits:
        """Return the missing mode bits by path, parent folders first; symbolic links have none."""
        closed = [str(folder) for folder in self._passed if not _mode(str(folder)) & _PASS]
        return dict.fromkeys(closed, _PASS) | {
            path: bits for tree in self._trees for path, bits in _closed(tree)
        }

    def _needs(self, path: str) -> bool:
        return Path(path) in self._passed or any(
            Path(path).is_relative_to(tree) for tree in self._trees
        )

    def _inform(self, missing: _Bits) -> None:
        passed = [path for path in missing if Path(path) in self._passed]
        read = [
            tree for tree in self._trees if any(Path(path).is_relative_to(tree) for path in missing)
        ]
        rights = [f"pass through {', '.join(passed)}"] if passed else []
        rights += [f"read {', '.join(map(str, read))}"] if read else []
        message = f"{self._reason}, other users may {' and '.join(rights)} until it stops"
        say(message, file=sys.stderr)

    def _disown(self) -> None:
        if self._record is not None:
            self._record.close()
            self._record = None


def _passed_folders(paths: Iterable[Path], folders: Iterable[Path]) -> list[Path]:
    """Return the parents of all paths, as given and resolved, and the folders, parents first."""
    both = [form for path in paths for form in (path.absolute(), path.resolve())]
    return sorted({folder.resolve() for folder in folders}.union(*(path.parents for path in both)))


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Return the resolved paths, without those within another one."""
    resolved = {path.resolve() for path in paths}
    return sorted(path for path in resolved if resolved.isdisjoint(path.parents))


def _closed(tree: Path) -> Iterator[tuple[str, int]]:
    """Yield (path, missing mode bits) of a folder and everything in it that others cannot read.

    Folders and programs that their owner may enter or run miss the bit to pass or run them, too.
    Packages beside Python's library that nobody imports, as in an environment, are passed over.
    """
    if missing := (_READ | _PASS) & ~_mode(str(tree)):
        yield str(tree), missing
    for entry in _entries(tree):
        mode = entry.stat(follow_symlinks=False).st_mode
        needed = _READ | _PASS if mode & stat.S_IXUSR else _READ
        if missing := needed & ~mode:
            yield entry.path, missing


def _entries(tree: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the files and folders below a folder, without packages that nobody imports."""
    imported = {os.path.realpath(path) for path in sys.path}
    pending = [str(tree)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    yield entry
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name == "site-packages" and entry.path not in imported:
                        continue
                    pending.append(entry.path)
                    yield entry


def _mode(path: str) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


@contextmanager
def _locked() -> Iterator[None]:
    """Lock the records folder, so that no other process changes modes meanwhile."""
    RECORDS.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = os.open(RECORDS, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _records() -> list[Path]:
    return list(RECORDS.glob("opened-*"))


def _new_record(bits: _Bits) -> IO[str]:
    """Write a record to disk before modes are changed, and return it locked until it is closed."""
    record = NamedTemporaryFile("w", prefix="opened-", dir=RECORDS, delete=False)  # noqa: SIM115
    fcntl.flock(record, fcntl.LOCK_EX)
    json.dump(bits, record)
    record.flush()
    os.fsync(record.fileno())
    return record


def _read(record: Path) -> _Bits:
    """Return the mode bits of a record, none if its writer was killed while writing it."""
    try:
        bits: Any = json.loads(record.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return dict(bits)


def _merged(records: Iterable[_Bits]) -> _Bits:
    merged: _Bits = {}
    for record in records:
        for path, bits in record.items():
            merged[path] = merged.get(path, 0) | bits
    return merged


def _sweep() -> None:
    """Clear the mode bits that only ended processes needed, and remove their records.

    The caller has locked the records folder.
    """
    stale = [record for record in _records() if not _is_live(record)]
    needed = _merged(_read(record) for record in _records() if record not in stale)
    for path, bits in _merged(map(_read, stale)).items():
        with suppress(FileNotFoundError):
            Path(path).chmod(_mode(path) & ~(bits & ~needed.get(path, 0)))
    for record in stale:
        record.unlink()


def _is_live(record: Path) -> bool:
    """Return whether the process that wrote a record still has it locked."""
    with record.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
