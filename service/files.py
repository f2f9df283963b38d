"""Where the SQL, schema and migration files are, in a checkout and in an installed wheel."""

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parent
_PACKED: Final = _PACKAGE / "_data"
_ROOT: Final = _PACKED if _PACKED.is_dir() else _PACKAGE.parent
"""A wheel carries the three folders inside the package; a checkout has them beside it."""

SQL: Final = _ROOT / "sql"
SCHEMAS: Final = _ROOT / "schemas"
MIGRATIONS: Final = _ROOT / "migrations"
