"""Stage of the faults: a durable PostgreSQL, a proxy before it, the service and a caller."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar, cast

import aiohttp
import asyncpg
import psutil

from service.database.migrations import migrate
from service.extras import demo
from service.extras.embedded import EmbeddedServer, postmaster
from tests.faults.proxy import Proxy
from tests.faults.work import Batch, Workload
from tests.support import generate, rows
from tests.support.api import Answer, Api, issue_key
from tests.support.processes import Running, kill, running
from tests.support.time_limits import limit, within

WORKERS: Final = 2
POOL_SIZE: Final = 2
PATIENCE: Final = 30
"""Seconds after which the service counts as dead; it must answer again within 5."""
_READ: Final = "/api/languages?pageSize=1"
_AT_REST: Final = """
    select not exists (
        select from pg_stat_activity where application_name = 'selvedge' and xact_start is not null
    )
"""
_END_SESSIONS: Final = """
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'selvedge'
"""
T = TypeVar("T")


class Stage:
    """Service that a fault strikes, and the checks afterwards."""

    def __init__(self, dsn: str, random: Random) -> None:
        self.random = random
        self.dsn = dsn
        self.proxy = Proxy(dsn)
        self.settings: Mapping[str, str] = {}
        """Settings of the service beside those of every stage."""
        self.service: Running
        self.api: Api
        self.workload: Workload

    async def start(self, stack: AsyncExitStack, folder: Path) -> None:
        """Serve the database, which holds the demo data."""
        dsn = await self.proxy.open()
        stack.push_async_callback(self.proxy.close)
        settings = {
            "DATABASE_URL": dsn,
            "WORKERS": str(WORKERS),
            "POOL_SIZE": str(POOL_SIZE),
            "LOG_LEVEL": "critical",
            **self.settings,
        }
        serving = running(folder / "service", "serve", **settings)
        self.service = await asyncio.to_thread(serving.__enter__)
        # The service ends its work through the proxy, which needs this thread's event loop.
        stack.push_async_callback(asyncio.to_thread, serving.__exit__, None, None, None)
        session = aiohttp.ClientSession(
            self.service.base_url,
            connector=aiohttp.TCPConnector(force_close=True),
            timeout=aiohttp.ClientTimeout(limit(PATIENCE)),
        )
        session._retry_connection = False  # aiohttp would send PUT and DELETE again by itself
        await stack.enter_async_context(session)
        self.api = Api(cast(Any, session), await issue_key(self.dsn, 1))
        await self.answers_again()
        self.workload = Workload(await generate.references(self.api), self.random)

    def workers(self) -> list[psutil.Process]:
        """Return the processes that serve."""
        return self.service.workers()

    async def kill_workers(self) -> None:
        """Kill every worker by SIGKILL; their parent starts others."""
        await asyncio.to_thread(kill, self.workers())

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[asyncpg.Connection]:
        """Open a connection past the proxy, as soon as the server accepts one."""
        connection = await self._connect()
        try:
            yield connection
        finally:
            await connection.close()

    async def _connect(self) -> asyncpg.Connection:
        deadline = time.monotonic() + limit(PATIENCE)
        while True:
            try:
                return await asyncpg.connect(self.dsn)
            except (OSError, asyncpg.PostgresError):
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.02)

    async def answers_again(self) -> float:
        """Return the seconds until the service answers a read; raise TimeoutError at a limit."""
        began = time.monotonic()
        deadline = began + limit(PATIENCE)
        while time.monotonic() < deadline:
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                if (await self.api.get(_READ)).status == 200:
                    return time.monotonic() - began
            await asyncio.sleep(0.02)
        raise TimeoutError("the service does not answer again")

    async def settle(self, batch: Batch) -> Answer:
        """Send a batch until the service knows its outcome; return that response."""
        deadline = time.monotonic() + limit(PATIENCE)
        while True:
            with contextlib.suppress(aiohttp.ClientError):
                answer = await batch.send(self.api)
                passing = (
                    answer.status in (429, 503) or answer.json["code"] == "conflict.in_progress"
                )
                if not passing or time.monotonic() > deadline:
                    return answer
            await asyncio.sleep(0.02)

    async def dump(self) -> dict[str, list[str]]:
        """Return every row, as soon as no transaction of the service is open."""
        async with self.connection() as connection:
            await until(connection, _AT_REST)
        return await rows.dump(self.dsn)

    async def forget_keys(self) -> None:
        """Delete the responses stored for retries, which would make dumps slow."""
        async with self.connection() as connection:
            await connection.execute("truncate idempotency_key")


async def until(connection: asyncpg.Connection, condition: str) -> None:
    """Wait until a query returns true."""
    async with within(PATIENCE):
        while not await connection.fetchval(condition):  # noqa: ASYNC110  # the server tells nobody
            await asyncio.sleep(0.01)


class OwnServer(Stage):
    """Stage with a PostgreSQL of its own, to be killed as a whole."""

    def __init__(self, data_dir: Path, random: Random) -> None:
        self.server = EmbeddedServer(data_dir)
        self.cluster = data_dir / "postgresql"
        # PostgreSQL ends with the thread that started it: this one stays until the end.
        self._thread = ThreadPoolExecutor(max_workers=1)
        super().__init__(self.server.dsn, random)

    async def start(self, stack: AsyncExitStack, folder: Path) -> None:
        """Start PostgreSQL, load the demo data, and serve it."""
        stack.callback(self._thread.shutdown)
        await self.blocking(self.server.__enter__)
        stack.push(self.server)
        await self.blocking(lambda: migrate(self.dsn))
        await demo.load(self.dsn, progress=False)
        await super().start(stack, folder)

    async def blocking(self, work: Callable[[], T]) -> T:
        """Return the result of blocking work, done in the thread that PostgreSQL belongs to."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def restart_postgres(self) -> None:
        """Stop PostgreSQL as an operator does (fast shutdown), and start it."""
        await self.blocking(self._restart)

    async def kill_postgres(self) -> None:
        """Kill PostgreSQL by SIGKILL, its parent or all its processes, and start it."""
        everything = postmaster.processes(self.cluster)
        status = postmaster.read_pid_file(self.cluster)
        assert status is not None
        parent = [process for process in everything if process.pid == status.pid]
        await asyncio.to_thread(kill, self.random.choice([parent, everything]))
        await self.blocking(self._restart)

    async def kill_backend(self) -> None:
        """Kill one PostgreSQL session by SIGKILL; PostgreSQL then ends all and recovers."""
        async with self.connection() as connection:
            rows = await connection.fetch(
                "select pid from pg_stat_activity where application_name = 'selvedge'"
            )
        pids = {row["pid"] for row in rows}
        sessions = [each for each in postmaster.processes(self.cluster) if each.pid in pids]
        if sessions:
            await asyncio.to_thread(kill, [self.random.choice(sessions)])

    async def end_sessions(self) -> None:
        """End every session of the service, as an operator can."""
        async with self.connection() as connection:
            await connection.execute(_END_SESSIONS)

    def _restart(self) -> None:
        self.server.__exit__(None, None, None)
        self.server.__enter__()


@asynccontextmanager
async def stage(seed: int, **settings: str) -> AsyncIterator[OwnServer]:
    """Start everything in a temporary folder; stop it with the context."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="selvedge-faults-")))
        await asyncio.to_thread(folder.chmod, 0o711)
        made = OwnServer(folder / "database", Random(seed))
        made.settings = settings
        await made.start(stack, folder)
        yield made
