"""Embedded PostgreSQL: a server in a data folder that one process owns."""

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
