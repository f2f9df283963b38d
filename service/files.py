"""Files of the program: its folders, and creation of files with a mode, as for private data."""

import os
import sysconfig
from pathlib import Path
from typing import IO, Final

_PACKAGE: Final = Path(__file__).resolve().parent
_PACKED: Final = _PACKAGE / "_data"
_ROOT: Final = _PACKED if _PACKED.is_dir() else _PACKAGE.parent
"""Parent of SQL, SCHEMAS, MIGRATIONS and docs: inside the package in a wheel, else beside it."""

SQL: Final = _ROOT / "sql"
SCHEMAS: Final = _ROOT / "schemas"
MIGRATIONS: Final = _ROOT / "migrations"
PAGE: Final = _ROOT / "page" / "src"
"""Folder with the pages for browsers: HTML templates, styles and scripts."""
GUIDES: Final = _ROOT / "docs" / "guides"
DEMO: Final = _PACKAGE / "extras" / "demo" / "files"
"""Folder with the demo data of organization 1 as files to import."""


PRIVATE: Final = 0o600
"""Mode of files with customers' data or keys."""


def fresh(path: Path, mode: int) -> IO[str]:
    """Create and return an open text file with a mode, whatever the umask.

    An existing file is removed first, so for a moment there is none. It replaces a link instead of
    writing to its target, which an attacker could choose for root. Raise OSError if it fails.
    """
    file = os.fdopen(_new(path), "w")
    os.fchmod(file.fileno(), mode)
    return file


def private(path: Path) -> IO[bytes]:
    """Create and return an open binary file of mode PRIVATE; replace a file as ``fresh`` does."""
    return os.fdopen(_new(path), "wb")


def _new(path: Path) -> int:
    """Create a private file in place of any other; return its descriptor."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)


def program_folders() -> list[Path]:
    """Return the folders that a worker reads: the service's own, its packages' and Python's.

    Each occurs once; some are within others.
    """
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    python = (Path(sysconfig.get_path(name)) for name in names)
    return [*dict.fromkeys([_PACKAGE, SQL, SCHEMAS, MIGRATIONS, PAGE, GUIDES, *python])]
