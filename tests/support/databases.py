"""Throw-away databases: one server, one migrated template, fresh copies of it.

The server is an embedded one (TEST_POSTGRES_VERSION chooses PostgreSQL 16 or 18), the one that
TEST_DATABASE_SERVER names, or the cluster of TEST_CITUS_URL, where databases are distributed.
"""

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from service.database import distribution, migrations
from service.extras import demo
from service.extras.embedded import EmbeddedServer
from service.extras.embedded.access import ROLE
from service.extras.embedded.server import CLUSTER
from tests.support import cluster, template_clusters
from tests.support.temporary_folders import sweep, temporary_folder

PREFIX = "selvedge_test_"
"""Of every database of the tests, so that none of them is left on a server that stays."""
_TEMPLATE = f"{PREFIX}template"
_ALLOWED = (
    f"alter role {ROLE} createdb",
    f"grant set on parameter session_replication_role to {ROLE}",
    # Its workers are the superuser's: a database in which one is at work could not be dropped.
    "alter system set autovacuum = off",
    "select pg_reload_conf()",
)
"""What the tests need beside what the service's role may do by itself."""
DEMO_TEMPLATE = f"{PREFIX}demo_template"


@contextmanager
def template_server() -> Iterator[str]:
    """Run a server that holds a migrated template and one with the demo data; give its DSN."""
    given = cluster.url() or os.environ.get("TEST_DATABASE_SERVER")
    if given:
        with cluster.reserved(given):
            try:
                _make_templates(given)
                yield given
            finally:
                _clear(given)
    else:
        sweep()
        version = int(os.environ.get("TEST_POSTGRES_VERSION") or "18")
        with temporary_folder() as folder:
            saved = template_clusters.saved_cluster(version)
            if not template_clusters.take(saved, folder / CLUSTER):
                with _embedded_server(folder, version) as server:
                    _prepare(server.superuser_dsn)
                    _make_templates(server.dsn)
                template_clusters.save(folder / CLUSTER, saved)
            with _embedded_server(folder, version) as server:
                yield server.dsn


def _embedded_server(folder: Path, version: int) -> EmbeddedServer:
    """Return a server in a folder, whose cluster need not outlive the machine."""
    return EmbeddedServer(folder, postgres_version=version, durable=False)


def _prepare(superuser_dsn: str) -> None:
    """Allow the role of the tests what they need."""
    with psycopg.connect(superuser_dsn, autocommit=True) as connection:
        for statement in _ALLOWED:
            connection.execute(statement.encode())


def _make_templates(dsn: str) -> None:
    """Make the migrated template, and the one with the demo data."""
    template = fresh_database(dsn, "template", "template0")
    if cluster.url():
        cluster.register(_TEMPLATE)
    migrations.migrate(template)
    if cluster.url():
        with migrations.migration_lock(template) as connection:
            distribution.distribute(connection, distribution.plan(connection))
    asyncio.run(demo.load(fresh_database(dsn, "demo_template"), progress=False))


def fresh_database(server_dsn: str, name: str, template: str = _TEMPLATE) -> str:
    """Return the DSN of a new copy of a template; a database of that name makes way.

    Copying files takes about 30 ms in memory, as long as emptying every table, and leaves nothing
    of the last test behind: rows, identities, statistics. On a cluster every node copies its part.
    """
    name = PREFIX + name
    copying = [
        f"drop database if exists {name} with (force)",
        f"create database {name} template {template} strategy file_copy",
    ]
    if cluster.url() and template.startswith(PREFIX):
        copying = cluster.around(copying, name, template)
    _administer(server_dsn, *copying)
    return with_database(server_dsn, name)


def demo_database(server_dsn: str, name: str) -> str:
    """Return the DSN of a new copy of the demo data, where each statement is planned once.

    By default PostgreSQL plans a statement anew for each of its first five calls in a session. On a
    cluster it does: Citus refuses generic plans (scaling, rule 13).
    """
    dsn = fresh_database(server_dsn, name, DEMO_TEMPLATE)
    if not cluster.url():
        plans = f"alter database {PREFIX}{name} set plan_cache_mode = force_generic_plan"
        _administer(server_dsn, plans)
    return dsn


def with_database(dsn: str, name: str) -> str:
    """Return the DSN of another database of the same server."""
    return urlsplit(dsn)._replace(path=f"/{name}").geturl()


def _administer(server_dsn: str, *statements: str) -> None:
    """Run statements, on a cluster by every node at once."""

    def run(node: str) -> None:
        with psycopg.connect(node, autocommit=True) as connection:
            for statement in statements:
                _execute(connection, statement)

    nodes = cluster.nodes() if cluster.url() else [server_dsn]
    with ThreadPoolExecutor(len(nodes)) as pool:
        list(pool.map(run, nodes))


def _execute(connection: psycopg.Connection[Any], statement: str) -> None:
    """Run a statement; repeat it if a session of Citus hindered it."""
    try:
        connection.execute(statement.encode())
    except psycopg.errors.ObjectInUse:
        connection.execute(statement.encode())


def _clear(server_dsn: str) -> None:
    """Drop the databases of the tests."""
    with psycopg.connect(server_dsn) as connection:
        query = "select datname from pg_database where starts_with(datname, %s)"
        names = [name for (name,) in connection.execute(query, [PREFIX])]
    _administer(server_dsn, *(f"drop database if exists {name} with (force)" for name in names))
