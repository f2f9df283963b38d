"""PostgreSQL's logs: readable by its own account alone, and bounded in bytes.

Its own way to bound them, files named by weekday that are emptied when their day comes again,
bounds neither a day with many failures nor a server that is never up at midnight.
"""

from contextlib import suppress
from pathlib import Path
from typing import Final

_KEPT: Final = 7
"""Files; a new one is begun at each start, each day and every 10 MB."""

SETTINGS: Final = {
    "logging_collector": "on",
    "log_filename": "postgresql-%Y-%m-%d_%H%M%S.log",
    "log_file_mode": "0600",
    "log_rotation_age": "1d",
    "log_rotation_size": "10MB",
    "log_checkpoints": "off",
}


def clear(folder: Path) -> None:
    """Remove all but the newest files, whose names are in the order of time."""
    for old in sorted(folder.glob("postgresql-*.log"))[:-_KEPT]:
        with suppress(FileNotFoundError):
            old.unlink()
