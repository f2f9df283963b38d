"""The parent process: it listens, keeps the workers alive and stops them.

gunicorn's arbiter replaces workers that die or hang; each worker runs the aiohttp application on
uvloop. The kernel deals connections out among sockets, one per worker: from a single one the worker
that wakes first would take a whole burst. The parent holds all of them, so what waits for a worker
that died is answered by its successor.
"""

import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from operator import attrgetter
from typing import Any, Final, NoReturn

from aiohttp import web
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.errors import HaltServer
from gunicorn.glogging import Logger

from service import __version__, signals
from service.database import fair_queue  # noqa: F401  # made before the fork: workers share its memory
from service.events import log_event
from service.http import connections, heap_trimmer, listeners, metrics_folder
from service.http.parser_limits import PARSER_LIMITS
from service.settings import Settings

_GRACE_SECONDS: Final = 35
"""For requests under way at a stop: the longest write, which is 30 s, and its answer."""
_DONE_ON: Final[dict[int, str]] = {
    signal.SIGTERM: "requests under way finish, then all ends",
    signal.SIGHUP: "requests under way finish, then all ends",
    signal.SIGINT: "requests under way finish, then all ends",
    signal.SIGQUIT: "requests under way finish, then all ends",
    signal.SIGTTIN: "one more worker starts",
    signal.SIGTTOU: "one worker less goes on",
}


def serve(
    settings: Settings,
    dsn: str,
    listening: list[socket.socket],
    keep_database_alive: Callable[[], None],
) -> NoReturn:
    """Serve until a signal ends it (SIGINT, SIGTERM, SIGQUIT, SIGHUP), then raise SystemExit.

    `keep_database_alive` is called about once a second.
    """

    async def runner() -> web.AppRunner:
        # Its handlers are there, but uvloop calls none before it runs.
        signals.deliver()
        # Not before the fork: it pulls in prometheus_client, which opens its files on import.
        from service.app import create_app

        app = create_app(settings, dsn)
        app.on_cleanup.append(metrics_folder.folder_cleanup())
        heap_trimmer.tune_garbage_collector()
        return connections.Runner(
            app,
            connections=connections.max_connections(settings.workers + settings.pool_size),
            **PARSER_LIMITS,
            # Whose caller is gone is read for no one; writes see to themselves.
            handler_cancellation=True,
            shutdown_timeout=_GRACE_SECONDS,
            access_log=None,
        )

    connections.raise_file_limit()
    _tell_of_start(settings, listening[0])
    with metrics_folder.create_folder():
        _Arbiter(_Application(settings, listening, runner), keep_database_alive).run()
    sys.exit()


def _tell_of_start(settings: Settings, listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    log_event(
        "started",
        f"Selvedge {__version__} serves with {settings.workers} workers.",
        version=__version__,
        host=host,
        port=port,
        workers=settings.workers,
    )


def _assign_listener(arbiter: Arbiter, worker: Any) -> None:
    """Give a worker about to start the listener that no other worker has."""
    worker.sockets = _free_listeners(arbiter)[:1]


def _free_listeners(arbiter: Arbiter) -> list[Any]:
    taken = {worker.sockets[0] for worker in arbiter.WORKERS.values()}
    return [listener for listener in arbiter.LISTENERS if listener not in taken]


def _keep_own_listener(arbiter: Arbiter, worker: Any) -> None:
    """Close the listeners that a worker has inherited and does not accept on.

    The kernel goes on giving connections to a listener that any process holds open.
    """
    for listener in arbiter.LISTENERS:
        if listener not in worker.sockets:
            listener.close()
    listeners.accept_handshakes(worker.sockets[0])


def _forget_metrics(_: Arbiter, worker: Any) -> None:
    """Drop the gauges of a worker that is gone; its counters stay."""
    from prometheus_client import multiprocess  # as in serve(): not before the folder is there

    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def _why(worker: Any, code: int) -> str:
    """Say how a worker ended, and what to do."""
    if worker.aborted:
        how = "was ended, for it had hung; the lines before may say in what"
    elif code == -signal.SIGKILL:
        how = "was killed: see in the system's log whether memory ran out, and lower WORKERS if so"
    elif code < 0:
        how = f"was ended by {signal.Signals(-code).name}; the lines before may say why"
    else:
        how = f"ended by itself with code {code}; the lines before may say why"
    return f"Worker {worker.pid} {how}. Another one takes its place."


def _log_level(settings: Settings) -> str:
    """Return gunicorn's level; what it says at `info` is for those who debug it."""
    return "warning" if settings.log_level == "info" else settings.log_level


class _Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's log, whose lines are written as all others are."""

    def __init__(self, cfg: Any) -> None:
        super().__init__(cfg)
        self.error_log.propagate = True

    def _set_handler(self, *_: object, **__: object) -> None:
        """None of its own."""


class _Application(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's configuration, given by the code alone."""

    def __init__(
        self,
        settings: Settings,
        listening: list[socket.socket],
        runner: Callable[[], Awaitable[web.AppRunner]],
    ) -> None:
        self._settings = settings
        self._runner = runner
        self._bind = [f"fd://{listener.detach()}" for listener in listening]
        super().__init__()

    def load_config(self) -> None:
        """Set what differs from gunicorn's defaults."""
        options = {
            "bind": self._bind,
            "workers": self._settings.workers,
            "worker_class": "aiohttp.GunicornUVLoopWebWorker",
            "graceful_timeout": _GRACE_SECONDS + 5,
            "logger_class": _Log,
            "loglevel": _log_level(self._settings),
            # Whoever we are by now: its default is who imported it, which root may have been.
            "user": os.geteuid(),
            "group": os.getegid(),
            "proc_name": "selvedge",
            "control_socket_disable": True,
            "pre_fork": _assign_listener,
            "post_fork": _keep_own_listener,
            "child_exit": _forget_metrics,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Callable[[], Awaitable[web.AppRunner]]:
        """Return what every worker awaits for its runner."""
        return self._runner


class _Arbiter(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's arbiter as the one parent of everything that runs."""

    def __init__(self, application: _Application, keep_database_alive: Callable[[], None]) -> None:
        self._keep_database_alive = keep_database_alive
        super().__init__(application)

    def init_signals(self) -> None:
        """Take signals from now on."""
        super().init_signals()
        signals.deliver()

    def wait_for_signals(self, timeout: float = 1.0) -> list[int]:
        """Return the signals that came, and tell of those that an operator sends."""
        numbers: list[int] = super().wait_for_signals(timeout)
        for number in numbers:
            if number != signal.SIGCHLD:
                name = signal.Signals(number).name
                what = f"{name} came: {_DONE_ON.get(number, 'nothing is done on it')}."
                log_event("signal_received", what, signal=name)
        return numbers

    def halt(self, reason: str | None = None, exit_status: int = 0) -> None:
        """Stop, tell so, and raise SystemExit."""
        try:
            super().halt(reason, exit_status)
        finally:
            log_event("stopped", reason or "Selvedge has stopped.")

    def reap_workers(self) -> None:
        """Take note of workers that ended, and tell of those that were not to.

        As the first process of a container it gets processes that are nobody's, too.
        """
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                worker = self.WORKERS.pop(ended[0], None)
                if worker is not None:
                    self._bury(worker, os.waitstatus_to_exitcode(ended[1]))

    def _bury(self, worker: Any, code: int) -> None:
        """Tell of a worker's end; raises HaltServer where another one would not start either."""
        worker.tmp.close()
        self.cfg.child_exit(self, worker)
        if code in (self.WORKER_BOOT_ERROR, self.APP_LOAD_ERROR):
            raise HaltServer("A worker cannot start; the lines before say why.", code)
        # The listener of a worker that was told to end is closed here already.
        if worker.sockets[0] in self.LISTENERS:
            metrics_folder.DEATHS.add()
            log_event(
                "worker_died", _why(worker, code), logging.ERROR, worker=worker.pid, code=code
            )

    def murder_workers(self) -> None:
        """Do what has to be done once a second: end workers that hang, see to the database."""
        super().murder_workers()
        self._keep_database_alive()

    def spawn_worker(self) -> int:
        """Fork a worker, which ends here and never unwinds what its parent still holds open.

        Return its process id, or 0 where there is no listener for it.
        """
        if not self._has_free_listener():
            return 0
        signals.defer()
        try:
            pid = int(super().spawn_worker())
            signals.deliver()
            return pid
        except SystemExit as ending:
            if os.getpid() == self.pid:
                raise
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ending.code if isinstance(ending.code, int) else 1)

    def _has_free_listener(self) -> bool:
        """Return whether there is a listener for one more worker, after opening one if need be."""
        if not _free_listeners(self):
            try:
                self.LISTENERS.append(listeners.open_another(self.LISTENERS[0]))
            except OSError as error:
                # Only the account that opened the first one may: that was root's.
                self.num_workers = len(self.WORKERS)
                what = f"No worker is added: {error.strerror}. Set WORKERS and restart."
                log_event("worker_not_added", what, logging.ERROR)
                return False
        return True

    def handle_ttou(self) -> None:
        """End the oldest worker; its listener closes with it, or nobody would accept on it."""
        serving = [each for each in self.WORKERS.values() if each.sockets[0] in self.LISTENERS]
        if self.num_workers > 1 and serving:
            oldest = min(serving, key=attrgetter("age"))
            self.LISTENERS.remove(oldest.sockets[0])
            oldest.sockets[0].close()
        super().handle_ttou()

    def handle_hup(self) -> None:
        """Stop: the terminal is gone, and settings in the environment cannot be loaded again."""
        self.handle_term()

    def handle_usr2(self) -> None:
        """Nothing: a second parent could not own the data folder too."""
        self.log.warning("Signal %s is not supported", signal.SIGUSR2.name)
