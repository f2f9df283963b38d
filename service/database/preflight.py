"""What the database must be able to do, looked at once before serving."""

import sys
from typing import Final

import psycopg

from service.settings import Settings, SettingsError

_OLDEST_VERSION: Final = 150000
_CONNECT_SECONDS: Final = 10
_QUERY: Final = """
    select current_setting('server_version_num')::int,
           current_setting('server_encoding'),
           lower('Ä') = 'ä',
           least(
               current_setting('max_connections')::int
                   - current_setting('superuser_reserved_connections')::int
                   - coalesce(current_setting('reserved_connections', true)::int, 0),
               (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
               (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
           )
"""


def check(settings: Settings, dsn: str, *, required: bool) -> None:
    """Raise SettingsError, with one line, when this database will not do.

    A database that cannot be reached is an error when `required`, a warning when it may come later.
    """
    try:
        with psycopg.connect(dsn, connect_timeout=_CONNECT_SECONDS) as connection:
            row = connection.execute(_QUERY).fetchone()
    except psycopg.OperationalError as error:
        problem = f"the database cannot be reached: {' '.join(str(error).split())}"
        if required:
            raise SettingsError(problem) from error
        print(f"selvedge: {problem}; serving without it until it is there", file=sys.stderr)
        return
    assert row is not None
    _judge(settings, *row)


def _judge(settings: Settings, version: int, encoding: str, folds: bool, connections: int) -> None:
    needed = settings.workers * (settings.pool_size + 1)
    if version < _OLDEST_VERSION:
        raise SettingsError(f"PostgreSQL 15 or newer is needed, not {version // 10000}")
    if encoding != "UTF8" or not folds:
        raise SettingsError("the database must have the encoding UTF8 and a UTF-8 LC_CTYPE")
    if needed > connections:
        raise SettingsError(
            f"WORKERS={settings.workers} times POOL_SIZE={settings.pool_size} and one more makes"
            f" {needed} connections; the database allows {connections}"
        )
