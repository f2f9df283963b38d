"""Embedded PostgreSQL: a server that one process starts and owns, with its files in a folder.

It runs if ``DATABASE_URL`` is not set. Clients reach it by a Unix socket only.
"""

from service.embedded.server import (
    DataDirInUseError,
    EmbeddedServer,
    EmbeddedServerError,
    has_data,
    programs,
    running_server,
)

__all__ = [
    "DataDirInUseError",
    "EmbeddedServer",
    "EmbeddedServerError",
    "has_data",
    "programs",
    "running_server",
]
