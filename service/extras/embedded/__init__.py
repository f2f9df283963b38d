"""Embedded PostgreSQL: a server that one process starts and owns, with its files in a folder.

It runs if ``DATABASE_URL`` is not set. Clients reach it by a Unix socket only.
"""

from service.extras.embedded.server import DataDirInUseError as DataDirInUseError
from service.extras.embedded.server import EmbeddedServer as EmbeddedServer
from service.extras.embedded.server import EmbeddedServerError as EmbeddedServerError
from service.extras.embedded.server import has_data as has_data
from service.extras.embedded.server import programs as programs
from service.extras.embedded.server import running_server as running_server
