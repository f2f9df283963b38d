"""Supervisor: the parent process, which starts, replaces and stops workers and holds listeners.

gunicorn's arbiter replaces workers that die or hang. Each worker runs the aiohttp application on
uvloop, and accepts on a listener of its own, among which the kernel distributes connections. From
a shared listener the worker that wakes first would accept a whole burst. The parent keeps all
listeners open, so the successor of a dead worker serves the connections that wait.
"""

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, Final, NoReturn

from aiohttp import web
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.errors import HaltServer
from gunicorn.glogging import Logger

from service import __version__, signals
from service.events import log_event
from service.http import connections, metrics_folder
from service.http.parser_errors import PARSER_LIMITS
from service.limits import ACQUIRE_SECONDS, STOP_SECONDS
from service.settings import Settings
from service.shares import heap_trimmer

_CLEANUP_SECONDS: Final = ACQUIRE_SECONDS + 3
"""Time for deliveries (2 s), then transactions, to end after running requests; 1 s is to spare."""
_GRACE_SECONDS: Final = STOP_SECONDS - _CLEANUP_SECONDS
"""Time for running requests at a stop, 32 s: the longest write takes 30 s, then its response."""


def serve(
    settings: Settings,
    dsn: str,
    listening: list[socket.socket],
    keep_database_alive: Callable[[], None],
) -> NoReturn:
    """Serve until SIGINT, SIGTERM, SIGQUIT or SIGHUP, then raise SystemExit.

    Take over ``listening``, a socket per worker; the caller has deferred the signals. Until a stop,
    call ``keep_database_alive`` in this process about once a second.
    """

    async def runner() -> web.AppRunner:
        # The handlers are in place; uvloop calls none before it runs.
        signals.deliver()
        # Imported after the fork, as prometheus_client opens its files on import.
        from service.app import create_app

        app = create_app(settings, dsn)
        app.on_cleanup.append(metrics_folder.folder_cleanup())
        heap_trimmer.tune_garbage_collector()
        return connections.Runner(
            app,
            connections=connections.max_connections(settings.workers + settings.pool_size),
            stop_delay=settings.stop_delay,
            **PARSER_LIMITS,
            # Cancels reads whose callers have gone; writes shield themselves.
            handler_cancellation=True,
            shutdown_timeout=_GRACE_SECONDS,
            access_log=None,
        )

    connections.raise_file_limit()
    _log_start(settings, listening[0])
    import_module("service.resources.registry")  # what workers share: most of what they import
    gc.freeze()  # else the workers' collections would copy the memory that they share with it
    with metrics_folder.create_folder():
        _Arbiter(_Application(settings, listening, runner), keep_database_alive).run()
    sys.exit()


def _log_start(settings: Settings, listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    noun = "worker" if settings.workers == 1 else "workers"
    log_event(
        "started",
        f"Selvedge {__version__} serves with {settings.workers} {noun}.",
        version=__version__,
        host=host,
        port=port,
        workers=settings.workers,
    )


def _assign_listener(arbiter: Arbiter, worker: Any) -> None:
    """Assign a free listener, of which there is one, to a worker about to start."""
    taken = {other.sockets[0] for other in arbiter.WORKERS.values()}
    worker.sockets = [listener for listener in arbiter.LISTENERS if listener not in taken][:1]


def _keep_own_listener(arbiter: Arbiter, worker: Any) -> None:
    """Close a new worker's inherited copies of other workers' listeners.

    The kernel distributes connections to every listener that any process has open.
    """
    for listener in arbiter.LISTENERS:
        if listener not in worker.sockets:
            listener.close()


def _forget_metrics(_: Arbiter, worker: Any) -> None:
    """Remove the live gauges of a worker that has ended; its counters stay."""
    from prometheus_client import multiprocess  # imported late, as its folder must exist

    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def _death_message(worker: Any, code: int) -> str:
    """Return how a worker ended, by its exit code or minus its signal, and what to do."""
    if worker.aborted:
        cause = "was ended because it hung; the lines before may say where"
    elif code == -signal.SIGKILL:
        cause = "was killed: check the system's log for a lack of memory, and lower WORKERS if so"
    elif code < 0:
        cause = f"was ended by {signal.Signals(-code).name}; the lines before may say why"
    else:
        cause = f"ended by itself with code {code}; the lines before may say why"
    return f"Worker {worker.pid} {cause}. Another one takes its place."


def _log_level(settings: Settings) -> str:
    """Return gunicorn's log level: not ``info``, whose lines serve its own developers only."""
    return "warning" if settings.log_level == "info" else settings.log_level


class _Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Logger of gunicorn that writes through the service's handlers."""

    def __init__(self, cfg: Any) -> None:
        super().__init__(cfg)
        self.error_log.propagate = True

    def _set_handler(self, *_: object, **__: object) -> None:
        """Add no handler of gunicorn's own."""


class _Application(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Configuration of gunicorn, from code only."""

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
        """Set the options that differ from gunicorn's defaults."""
        options = {
            "bind": self._bind,
            "workers": self._settings.workers,
            "worker_class": "aiohttp.GunicornUVLoopWebWorker",
            "graceful_timeout": self._settings.stop_delay + STOP_SECONDS,
            "logger_class": _Log,
            "loglevel": _log_level(self._settings),
            # The present account: gunicorn's default is that of its import, which may be root.
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
        """Return the function that every worker awaits for its runner."""
        return self._runner


class _Arbiter(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """Arbiter of gunicorn that also looks after the database and logs what happens to workers."""

    def __init__(self, application: _Application, keep_database_alive: Callable[[], None]) -> None:
        self._keep_database_alive = keep_database_alive
        super().__init__(application)

    def init_signals(self) -> None:
        """Install the handlers and unblock the signals."""
        super().init_signals()
        signals.deliver()

    def wait_for_signals(self, timeout: float = 1.0) -> list[int]:
        """Return the received signals after up to ``timeout`` seconds; log all but SIGCHLD."""
        numbers: list[int] = super().wait_for_signals(timeout)
        for number in numbers:
            if number != signal.SIGCHLD:
                name = signal.Signals(number).name
                stop = "running requests finish, then the service stops"
                effect = stop if number in signals.ENDINGS else "it has no effect"
                log_event("signal_received", f"Received {name}: {effect}.", signal=name)
        return numbers

    def halt(self, reason: str | None = None, exit_status: int = 0) -> None:
        """Stop the workers, kill those that take too long, log it, and raise SystemExit.

        They may take ``STOP_SECONDS`` after the delay of the settings.
        """
        try:
            super().halt(reason, exit_status)
        finally:
            log_event("stopped", reason or "Selvedge has stopped.")

    def reap_workers(self) -> None:
        """Reap ended children and adopted orphans; log workers that should not have ended."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                code = os.waitstatus_to_exitcode(ended[1])
                signals.record(ended[0], code)
                worker = self.WORKERS.pop(ended[0], None)
                if worker is not None:
                    self._on_worker_end(worker, code)

    def _on_worker_end(self, worker: Any, code: int) -> None:
        """Log an unexpected end; raise HaltServer if a successor could not start either."""
        worker.tmp.close()
        self.cfg.child_exit(self, worker)
        if code in (self.WORKER_BOOT_ERROR, self.APP_LOAD_ERROR):
            raise HaltServer("A worker cannot start; the lines before say why.", code)
        # A stop has closed all listeners.
        if worker.sockets[0] in self.LISTENERS:
            metrics_folder.DEATHS.add()
            message = _death_message(worker, code)
            log_event("worker_died", message, logging.ERROR, worker=worker.pid, code=code)

    def murder_workers(self) -> None:
        """End workers that hang (30 s), and look after the database; called each second or more."""
        super().murder_workers()
        self._keep_database_alive()

    def spawn_worker(self) -> int:
        """Fork a worker and return its process id.

        The worker exits here: unwinding the stack would end the ``with`` blocks of its parent.
        """
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

    def handle_hup(self) -> None:
        """Stop: the terminal has gone, and the environment cannot be read again."""
        self.handle_term()

    def _ignore(self) -> None:
        """Do nothing: each worker has a listener, and no second parent can own the data folder."""

    handle_ttin = handle_ttou = handle_usr2 = _ignore
