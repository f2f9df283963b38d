"""Citus cluster of TEST_CITUS_URL: databases of the tests on its nodes.

The URL is of a database in which the coordinator knows its nodes; the account is a superuser on
each, by the addresses that the coordinator knows them by.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final
from urllib.parse import urlsplit

import psycopg

from service.database.session_settings import SESSION_SETTINGS

_TESTING: Final = 0x54455354
"""One run of the tests at a time: they make databases of the same names."""
_SHARDS: Final = 4
"""Few, for the sake of copies, but so many that the demo's organizations stand on two nodes."""


def url() -> str:
    """Return the variable; empty if there is no cluster to test on."""
    return os.environ.get("TEST_CITUS_URL") or ""


@contextmanager
def reserved(dsn: str) -> Iterator[None]:
    """Hold a server, waiting until no other run of the tests uses it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select pg_advisory_lock(%s)", [_TESTING])
        yield


@cache
def _addresses() -> list[str]:
    with psycopg.connect(url()) as connection:
        rows = connection.execute(
            "select nodename, nodeport from pg_dist_node order by groupid <> 0, groupid"
        ).fetchall()
    return [f"{host}:{port}" for host, port in rows]


def nodes(database: str = "postgres") -> list[str]:
    """Return the DSN of a database on each node, the coordinator's first.

    Past Citus, which sends changes of databases and roles on, nodes are administered in `postgres`.
    """
    parts = urlsplit(url())
    account, at, _ = parts.netloc.rpartition("@")
    return [
        parts._replace(netloc=f"{account}{at}{address}", path=f"/{database}").geturl()
        for address in _addresses()
    ]


def register(database: str) -> None:
    """Make one cluster of a new database, which is on each node already."""
    for dsn in nodes(database):
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("create extension citus")
    coordinator, *workers = (address.rsplit(":", 1) for address in _addresses())
    with psycopg.connect(nodes(database)[0], autocommit=True) as connection:
        setting = f"alter database {database} set citus.shard_count = {_SHARDS}"
        connection.execute(setting.encode())
        connection.execute("select citus_set_coordinator_host(%s, %s)", coordinator)
        for worker in workers:
            connection.execute("select citus_add_node(%s, %s)", worker)


def around(copying: list[str], name: str, template: str) -> list[str]:
    """Return the statements that copy a database, with what each node needs besides.

    Citus keeps a session in every database that was used, which would hinder the copying; and what
    distributing sets on a database is no part of a copy.
    """
    closing = [
        f"alter database {template} allow_connections false",
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
        f" where datname = '{template}'",
    ]
    settings = [
        f"alter database {name} set {setting} = '{value}'"
        for setting, value in SESSION_SETTINGS.items()
    ]
    return [*closing, *copying, *settings]
