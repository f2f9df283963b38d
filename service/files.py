"""Where files are, in a checkout and in an installed wheel: the code, SQL, schemas and so on."""

import os
import sysconfig
from pathlib import Path
from typing import IO, Final

_PACKAGE: Final = Path(__file__).resolve().parent
_PACKED: Final = _PACKAGE / "_data"
_ROOT: Final = _PACKED if _PACKED.is_dir() else _PACKAGE.parent
"""A wheel carries these folders inside the package; a checkout has them beside it."""

SQL: Final = _ROOT / "sql"
SCHEMAS: Final = _ROOT / "schemas"
MIGRATIONS: Final = _ROOT / "migrations"
GUIDES: Final = _ROOT / "docs" / "guides"
DEMO: Final = _PACKAGE / "demo" / "files"
"""The demo data of organization 1, as files to import."""


PRIVATE: Final = 0o600
"""The mode of files with customers' data or keys: their owner alone reads and writes them."""


def fresh(path: Path, mode: int) -> IO[str]:
    """Return a new file to write, with that mode whatever the umask; one that was there goes.

    It is never a link's target, which another owner of the folder might have put there for root.
    """
    file = os.fdopen(_new(path), "w")
    os.fchmod(file.fileno(), mode)
    return file


def private(path: Path) -> IO[bytes]:
    """Return a new binary file that only its owner can read; replaces one at the path."""
    return os.fdopen(_new(path), "wb")


def make_private(path: Path) -> None:
    """Make a file readable by its owner alone; create an empty one where there is none."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, PRIVATE))
    path.chmod(PRIVATE)


def _new(path: Path) -> int:
    path.unlink(missing_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)


def program_folders() -> list[Path]:
    """Return the folders whose files a process that serves reads: ours, packages and Python's."""
    python = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    return [*dict.fromkeys([_PACKAGE, SQL, SCHEMAS, MIGRATIONS, GUIDES, *map(Path, python)])]
