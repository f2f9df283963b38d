"""Tests of a worker's gauges."""

import asyncio

import pytest
from prometheus_client import REGISTRY

from service.database.connections import Connection, Database
from service.http.budgets import Admission
from service.http.gauges import gauge_updater
from service.settings import Settings
from tests.support.time_limits import until

pytestmark = pytest.mark.contract("Health")


def metric(name: str, **labels: str) -> float:
    """Return the value of a metric."""
    return REGISTRY.get_sample_value(f"selvedge_{name}", labels) or 0


async def test_connections_and_waiters_are_counted(dsn: str) -> None:
    database, admission = Database(dsn, 2), Admission(10, lambda _: 1)
    settings = Settings.from_environment({"POOL_SIZE": "2"})
    tell = gauge_updater(database, admission, lambda: 5, settings)
    waited = metric("organization_wait_seconds_total", organization="7")
    release = asyncio.Event()

    async def work(connection: Connection) -> None:
        await connection.execute("select 1")
        await release.wait()

    tasks = [asyncio.create_task(database.read(work, 7)) for _ in range(3)]
    for _ in range(3):
        admission.enter(7)
    await until(lambda: database.queue.waiting() == 2)
    tell(0.5)
    names = ("used", "limit", "waited_for")
    assert [metric(f"database_connections_{name}") for name in names] == [1, 2, 2]
    assert metric("requests_in_flight") == 3
    assert metric("organization_wait_seconds_total", organization="7") - waited == 1
    assert metric("process_cpu_seconds_total") > 0
    release.set()
    await asyncio.gather(*tasks)
    for _ in range(3):
        admission.leave(7)
    tell(1)
    assert [metric(f"database_connections_{name}") for name in names] == [0, 2, 0]
    assert metric("requests_in_flight") == 0
    assert metric("organization_wait_seconds_total", organization="7") - waited == 1
    await database.close()


@pytest.mark.parametrize(
    ("changes_days", "history_days", "days"), [("3", "0", 3), ("3", "5", 5), ("7", "5", 7)]
)
async def test_the_retention_is_how_long_changes_are_kept(
    dsn: str, changes_days: str, history_days: str, days: int
) -> None:
    """History names changes, so both are kept for the longer time."""
    database, admission = Database(dsn, 1), Admission(10, lambda _: 1)
    environment = {"CHANGES_DAYS": changes_days, "HISTORY_DAYS": history_days}
    gauge_updater(database, admission, lambda: 0, Settings.from_environment(environment))
    assert metric("changes_retention_seconds") == days * 86_400
    await database.close()
