"""Files and folders opened to other accounts for a while, and closed again.

Root may have put the program and the data where nobody else gets to. What has to be opened is
opened as little as possible, told, and closed by the last that needs it. Each process that does
keeps a record, locked while it lives, so that what a killed one left open is found.
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
"""Root's, and there after the machine was restarted, as the modes are."""
_PASS: Final = stat.S_IXOTH
_READ: Final = stat.S_IROTH

_Bits: TypeAlias = dict[str, int]
"""Mode bits by path."""


class TemporaryAccess:
    """A context in which other accounts read what is in `trees` and pass through to `places`.

    Folders on the way are opened to be passed through only, not to be listed. Entering raises
    OSError when something cannot be opened. A forked child holds nothing open: its leaving the
    context does nothing.
    """

    def __init__(self, why: str, trees: Sequence[Path], places: Sequence[Path] = ()) -> None:
        self._why = why
        self._trees = _outermost(trees)
        self._ways = _ways((*trees, *places), places)
        self._record: IO[str] | None = None
        os.register_at_fork(after_in_child=self._disown)

    def __enter__(self) -> Self:
        if not RECORDS.exists() and not self._missing():
            return self
        try:
            with _alone():
                self._open()
                _sweep()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._record is not None:
            with _alone():
                self._record.close()
                self._record = None
                _sweep()

    def _open(self) -> None:
        """Open what is closed; what others have opened for themselves must stay open for us."""
        missing, opened = self._missing(), _merged(map(_read, _records()))
        held = {path: bits for path, bits in opened.items() if self._needs(path)}
        if not missing and not held:
            return
        self._record = _written(_merged((missing, held)))
        for path, bits in missing.items():
            Path(path).chmod(_mode(path) | bits)
        if missing:
            self._tell(missing)

    def _missing(self) -> _Bits:
        """Return the bits that are missing, on the way first; what is a link leads elsewhere."""
        passed = [str(way) for way in self._ways if not _mode(str(way)) & _PASS]
        return dict.fromkeys(passed, _PASS) | {
            path: bits for tree in self._trees for path, bits in _closed(tree)
        }

    def _needs(self, path: str) -> bool:
        return Path(path) in self._ways or any(
            Path(path).is_relative_to(tree) for tree in self._trees
        )

    def _tell(self, missing: _Bits) -> None:
        passed = [path for path in missing if Path(path) in self._ways]
        read = [
            tree for tree in self._trees if any(Path(path).is_relative_to(tree) for path in missing)
        ]
        what = [f"pass through {', '.join(passed)}"] if passed else []
        what += [f"read {', '.join(map(str, read))}"] if read else []
        say(f"{self._why}, other users may {' and '.join(what)} until it stops", file=sys.stderr)

    def _disown(self) -> None:
        if self._record is not None:
            self._record.close()
            self._record = None


def _ways(paths: Iterable[Path], ends: Iterable[Path]) -> list[Path]:
    """Return the folders to be passed through, ends included, by links and past them."""
    both = [way for path in paths for way in (path.absolute(), path.resolve())]
    above = {parent for way in both for parent in way.parents}
    return sorted(above.union(end.resolve() for end in ends))


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Return paths without links in them, and without those that lie in another one."""
    found = {path.resolve() for path in paths}
    return sorted(path for path in found if found.isdisjoint(path.parents))


def _closed(tree: Path) -> Iterator[tuple[str, int]]:
    """Yield what others cannot read in a folder, with the bits that are missing."""
    if missing := (_READ | _PASS) & ~_mode(str(tree)):
        yield str(tree), missing
    pending = [str(tree)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif not entry.is_file(follow_symlinks=False):
                    continue
                mode = entry.stat(follow_symlinks=False).st_mode
                if missing := (_READ | (_PASS if mode & stat.S_IXUSR else 0)) & ~mode:
                    yield entry.path, missing


def _mode(path: str) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


@contextmanager
def _alone() -> Iterator[None]:
    """Keep other processes from opening and closing meanwhile."""
    RECORDS.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = os.open(RECORDS, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _records() -> list[Path]:
    return list(RECORDS.glob("opened-*"))


def _written(bits: _Bits) -> IO[str]:
    """Return a record, on disk before anything is opened, and locked until it is closed."""
    record = NamedTemporaryFile("w", prefix="opened-", dir=RECORDS, delete=False)  # noqa: SIM115
    fcntl.flock(record, fcntl.LOCK_EX)
    json.dump(bits, record)
    record.flush()
    os.fsync(record.fileno())
    return record


def _read(record: Path) -> _Bits:
    """Return what a record says; nothing when its writer was killed while writing it."""
    try:
        found: Any = json.loads(record.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return dict(found)


def _merged(several: Iterable[_Bits]) -> _Bits:
    merged: _Bits = {}
    for bits in several:
        for path, more in bits.items():
            merged[path] = merged.get(path, 0) | more
    return merged


def _sweep() -> None:
    """Close what only those had opened who are gone, and forget them."""
    gone = [record for record in _records() if not _alive(record)]
    kept = _merged(_read(record) for record in _records() if record not in gone)
    for path, bits in _merged(map(_read, gone)).items():
        with suppress(FileNotFoundError):
            Path(path).chmod(_mode(path) & ~(bits & ~kept.get(path, 0)))
    for record in gone:
        record.unlink()


def _alive(record: Path) -> bool:
    """Return whether the process that wrote a record holds it still."""
    with record.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
