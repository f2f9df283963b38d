"""Fault campaign on a cluster, whose nodes are killed and started by commands.

TEST_CITUS_KILL and TEST_CITUS_START are the commands, to which the node's address is added
(`host:port`); the first ends it as a crash does, the second returns once it takes connections.
TEST_CITUS_PAUSE and TEST_CITUS_RESUME likewise stop all of its processes (SIGSTOP), and continue
them (SIGCONT).
"""

import asyncio
import os
import shlex
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

import asyncpg

from tests.faults.kinds import Struck, of_stage
from tests.faults.stage import Stage

KILL: Final = shlex.split(os.environ.get("TEST_CITUS_KILL") or "")
START: Final = shlex.split(os.environ.get("TEST_CITUS_START") or "")
PAUSE: Final = shlex.split(os.environ.get("TEST_CITUS_PAUSE") or "")
RESUME: Final = shlex.split(os.environ.get("TEST_CITUS_RESUME") or "")
_HOME: Final = """
    select nodename || ':' || nodeport
    from pg_dist_placement
    join pg_dist_node using (groupid)
    where shardid = get_shard_id_for_distribution_column('organization', 1)
"""


class Cluster(Stage):
    """Environment on a distributed database; the batches belong to organization 1."""

    home: str
    """The address of the node that has the organization's records."""

    async def start(self, stack: AsyncExitStack, folder: Path) -> None:
        """Determine the node, and start serving."""
        self.home = await home_of(self.dsn)
        await super().start(stack, folder)

    async def kill_node(self) -> None:
        """End the organization's node as a crash would."""
        await _run([*KILL, self.home])

    async def start_node(self) -> None:
        """Start the organization's node; return once it has recovered."""
        await _run([*START, self.home])

    @asynccontextmanager
    async def hung_node(self) -> AsyncIterator[None]:
        """Let the organization's node hang for as long as the context lasts."""
        await _run([*PAUSE, self.home])
        try:
            yield
        finally:
            await _run([*RESUME, self.home])

    async def recover(self) -> None:
        """Finish transactions of several nodes after one died, as Citus does every minute."""
        async with self.connection() as connection:
            await connection.execute("select recover_prepared_transactions()")

    async def restart_node(self) -> None:
        """End the organization's node as a crash would, and start it."""
        await self.kill_node()
        await self.start_node()


async def home_of(dsn: str) -> str:
    """Return the address of the node that has the records of organization 1."""
    connection = await asyncpg.connect(dsn)
    try:
        return str(await connection.fetchval(_HOME))
    finally:
        await connection.close()


NODE_KILLED: Final = Struck("node killed", 1, of_stage(Cluster.restart_node))


@asynccontextmanager
async def stage(dsn: str, seed: int) -> AsyncIterator[Cluster]:
    """A stage on a distributed database with the demo data."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="selvedge-faults-")))
        made = Cluster(dsn, Random(seed))
        stack.push_async_callback(made.recover)
        await made.start(stack, folder)
        yield made


async def _run(command: list[str]) -> None:
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
    )
    assert await process.wait() == 0, command
