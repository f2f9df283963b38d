"""Log files of the embedded server: readable by its account only, and bounded in number and size.

Rejected: PostgreSQL's own rotation, files named by weekday that are overwritten a week later. It
bounds neither a day with many failures nor a server that is never up at midnight.
"""

from contextlib import suppress
from pathlib import Path
from typing import Final

_MAX_FILES: Final = 7
"""Number of files that ``clear`` keeps. A new one begins at each start, daily and every 10 MB."""

SETTINGS: Final = {
    "logging_collector": "on",
    "log_filename": "postgresql-%Y-%m-%d_%H%M%S.log",
    "log_file_mode": "0600",
    "log_rotation_age": "1d",
    "log_rotation_size": "10MB",
    "log_checkpoints": "off",
}
"""Settings of PostgreSQL for its logs, without the folder: the caller adds ``log_directory``."""


def clear(folder: Path) -> None:
    """Remove all but the 7 newest log files of a folder, which may be missing.

    Names sort by time. The server calls it at its start and about once a second.
    """
    for path in sorted(folder.glob("postgresql-*.log"))[:-_MAX_FILES]:
        with suppress(FileNotFoundError):
            path.unlink()
