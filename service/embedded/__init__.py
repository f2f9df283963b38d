"""The embedded PostgreSQL: one server in one data folder, owned by one process."""

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
