"""Server commands: `selvedge serve`, and `selvedge run`, which migrates first."""

import logging
import os
import socket
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from service import signals
from service.console import say
from service.database.preflight import check
from service.events import configure_logging, log_event
from service.extras.commands import Parsers
from service.extras.privileges import parent_process
from service.extras.privileges.accounts import service_account
from service.extras.privileges.temporary_access import TemporaryAccess
from service.files import program_folders
from service.settings import Settings, nearly_settings


def add(parsers: Parsers) -> None:
    """Add both commands."""
    parsers.add_parser("serve").set_defaults(run=serve)
    run_parser = parsers.add_parser("run")
    run_parser.set_defaults(run=run)


def serve(settings: Settings, _: Namespace) -> None:
    """Serve until a signal, then raise SystemExit; without DATABASE_URL run the embedded server.

    While the database is out of reach or its schema is behind this release, the service runs but is
    not ready. Raise CommandError if there is no embedded database, EmbeddedServerError if its
    server does not start, SettingsError if the port is taken or the database is unsuitable: by
    version, encoding or connection limit.
    """
    configure_logging(settings.log_level)
    _log_nearly_settings()
    if settings.database_url is None:
        # Imported here: it loads psycopg, which takes 6 MB of every worker.
        from service.extras.commands.command_database import require_data

        require_data(settings)
    _require_port(settings)
    with _owned_database(settings) as (dsn, tend_database):
        _serve(settings, dsn, tend_database)


def run(settings: Settings, _: Namespace) -> None:
    """Migrate, load the demo data into an empty embedded database, print the URL, and serve.

    The embedded database is created if there is none, and a write key of each demo organization is
    printed. With DATABASE_URL there are no demo data and no keys. Raise SettingsError if
    the port is taken, or the database is out of reach or unsuitable; SystemExit after a signal.
    """
    # Imported here: it loads psycopg and yoyo, which no worker needs.
    from service.database import migrations

    configure_logging(settings.log_level)
    _log_nearly_settings()
    _require_port(settings)
    with _owned_database(settings) as (dsn, tend_database):
        check(settings, dsn, required=True)
        migrations.migrate(dsn)
        keys = {} if settings.database_url else _demo(settings, dsn)
        _serve(settings, dsn, tend_database, keys)


def _log_nearly_settings() -> None:
    """Log variables of the environment that are nearly, but not, named as a setting."""
    for name, nearest in nearly_settings(os.environ):
        message = f"{name} is no setting and has no effect; did you mean {nearest}?"
        log_event("setting_ignored", message, logging.WARNING, name=name)


def _require_port(settings: Settings) -> None:
    """Raise SettingsError if the port stays taken for 5 s, before anything is started or loaded."""
    # Imported here: it loads aiohttp, which no other command needs.
    from service.http import listeners

    for listener in listeners.listen(settings):
        listener.close()


def _demo(settings: Settings, dsn: str) -> dict[int, str]:
    """Load the demo data if the database is empty.

    Return a write key of each demo organization by id; none of other data (``demo_keys.ensure``).
    """
    # Imported here: `serve` needs none of them.
    from service.extras.commands.command_database import execute
    from service.extras.commands.demo_data import ensure, fill
    from service.organizations import administration

    if execute(dsn, lambda connection: administration.value(connection, "is_empty")):
        say("Loading the demo data ...", file=sys.stderr)
        fill(dsn)
    return execute(dsn, lambda connection: ensure(connection, settings.data_dir))


@contextmanager
def _owned_database(settings: Settings) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the DSN, and a function to call once a second, which tends the embedded server.

    Without an embedded server the function does nothing. Raise DataDirInUseError if another process
    runs the server in the data folder.
    """
    if settings.database_url is not None:
        yield settings.database_url, lambda: None
    else:
        from service.extras.embedded import EmbeddedServer  # loads psycopg

        with EmbeddedServer(settings.data_dir) as server:
            yield server.dsn, server.tend


def _serve(
    settings: Settings,
    dsn: str,
    tend_database: Callable[[], None],
    keys: dict[int, str] | None = None,
) -> NoReturn:
    """Serve in this process, or if it is root's, in an unprivileged child; then raise SystemExit.

    ``keys`` are None for ``serve``; for ``run`` they are printed.
    """
    # Imported here: they load gunicorn and aiohttp, which no other command needs.
    from service import supervisor
    from service.http import listeners

    listening = listeners.listen(settings)

    def serve_here(tend: Callable[[], None]) -> NoReturn:
        # Checked by the account that serves: root may reach a database that this one cannot.
        check(settings, dsn, required=False)
        signals.defer()
        _announce(_base_url(listening[0]), keys)
        supervisor.serve(settings, dsn, listening, tend)

    account = service_account()
    if account.uid is None:
        serve_here(tend_database)
    with TemporaryAccess(
        "The service does not run as root; for its own account", program_folders()
    ):
        sys.exit(parent_process.run_as(account, serve_here, tend_database, listening))


def _base_url(listener: socket.socket) -> str:
    """Return the URL by which this machine reaches the listener: loopback for all addresses."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _announce(base_url: str, keys: dict[int, str] | None) -> None:
    """Print the URL; if there are keys, these and a first request; for `run` how to stop."""
    say(f"Selvedge serves on {base_url}")
    for organization_id, key in (keys or {}).items():
        say(f"API key of organization {organization_id}: {key}")
    if keys:
        key = next(iter(keys.values()))
        say("Try:")
        say(f"  curl -H 'Authorization: Bearer {key}' '{base_url}/api/colors?pageSize=3'")
    if keys is not None:
        say(f"Open {base_url}/ in a browser. Ctrl-C stops everything.")
