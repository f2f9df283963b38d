"""Tests of the embedded server's roles and logs: no superuser, private logs."""

import os
from pathlib import Path

import psycopg
import pytest

from service.database import migrations
from service.extras.embedded import EmbeddedServer
from service.extras.embedded.access import ROLE
from service.extras.privileges.accounts import become, service_account

pytestmark = pytest.mark.contract("Embedded server")

_OWNED_BY_OTHERS = """
select relname::text, relowner::regrole::text from pg_class
where relnamespace = 'public'::regnamespace and relowner <> %(role)s::regrole
union all
select stxname::text, stxowner::regrole::text from pg_statistic_ext
where stxowner <> %(role)s::regrole
union all
select datname::text, datdba::regrole::text from pg_database
where datname = current_database() and datdba <> %(role)s::regrole
"""


def _connects_as_service(dsn: str) -> bool:
    """Return whether a process of the service's account gets in."""
    child = os.fork()
    if child == 0:
        try:
            if service_account().uid is not None:
                become(service_account())
            psycopg.connect(dsn).close()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_service_is_no_superuser_and_cannot_become_one(data_dir: Path) -> None:
    with EmbeddedServer(data_dir) as server:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            assert connection.execute("""
                select rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls
                from pg_roles where rolname = current_user
            """).fetchall() == [(ROLE, False, False, False, False, False)]
            for forbidden in (
                "copy (select 1) to program 'true'",
                "select pg_read_file('postgresql.conf')",
                "set role postgres",
                "create role another",
                "alter system set log_statement = 'all'",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(forbidden.encode())
        assert _connects_as_service(server.dsn)
        # Where both are one account, what it may read it may change; root's are two.
        assert _connects_as_service(server.superuser_dsn) is (os.geteuid() != 0)


def test_data_of_an_earlier_release_becomes_the_services(data_dir: Path) -> None:
    with EmbeddedServer(data_dir) as server:
        # As it was: everything made by the superuser, and no role beside.
        with psycopg.connect(server.superuser_dsn, autocommit=True) as connection:
            connection.execute("alter database postgres owner to postgres")
            connection.execute(f"drop role {ROLE}".encode())
        migrations.migrate(server.superuser_dsn)
        with psycopg.connect(server.superuser_dsn, autocommit=True) as connection:
            connection.execute("create view seen as select id from organization")
            connection.execute("create function counted() returns int return 1")
            connection.execute("create sequence counter")
            assert not connection.execute(
                "select true from pg_roles where rolname = %s", [ROLE]
            ).fetchall()
    with EmbeddedServer(data_dir) as server:
        with psycopg.connect(server.dsn) as connection:
            assert connection.execute(_OWNED_BY_OTHERS, {"role": ROLE}).fetchall() == []
            connection.execute("drop view seen; drop function counted; drop sequence counter")
        assert migrations.roll_back(server.dsn, 99) == migrations.migrate(server.dsn)[::-1] != []


def test_logs_are_nobody_elses_and_bounded(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "postgresql.log").write_text("of an earlier release")
    (data_dir / "postgresql.log").chmod(0o644)
    with EmbeddedServer(data_dir) as server:
        with psycopg.connect(server.superuser_dsn) as connection:
            rows = connection.execute("select name, current_setting(name) from pg_settings")
            settings: dict[str, str] = dict(rows.fetchall())
        assert settings["logging_collector"] == "on"
        assert settings["log_directory"] == str(data_dir / "logs")
        assert settings["log_file_mode"] == "0600"
        assert settings["log_rotation_age"] == "1d"
        assert settings["log_rotation_size"] == "10MB"
        logs = data_dir / "logs"
        [current] = logs.iterdir()
        assert current.read_text()
        assert {path.stat().st_mode & 0o777 for path in logs.iterdir()} == {0o600}
        assert logs.stat().st_mode & 0o777 == 0o700
        assert (data_dir / "postgresql.log").stat().st_mode & 0o777 == 0o600
        for day in range(10, 30):
            (logs / f"postgresql-2001-01-{day}_000000.log").touch()
        server.tend()
        assert len(list(logs.iterdir())) == 7
        assert current.exists()
