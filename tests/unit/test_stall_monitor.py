"""Tests of the stall monitor: a stall needs others that answer, and ends by an answer."""

import asyncio
from collections.abc import Callable

import pytest

from service.database.connections import Connection, Database
from service.errors import ApiError, unavailable
from service.shares import stall_monitor
from service.shares.stall_monitor import StallMonitor
from tests.support.clock import Clock
from tests.support.time_limits import until

pytestmark = pytest.mark.contract("Shares")


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch, stall_monitor.__name__)


class Monitor(StallMonitor):
    """Monitor of a database without a server, for which organizations in ``silent`` are away."""

    def __init__(self) -> None:
        super().__init__(self.probe_silent, self.ended_append)
        self.silent, self.probed, self.ended = set[int](), list[int](), list[int]()
        self.at_probe: Callable[[int], None] = lambda _: None

    def ended_append(self, organization_id: int) -> None:
        self.ended.append(organization_id)

    async def probe_silent(self, organization_id: int, _: float) -> None:
        self.probed.append(organization_id)
        self.at_probe(organization_id)
        if organization_id in self.silent:
            raise unavailable()

    async def examine(self, organization_id: int) -> None:
        """Suspect an organization; return after its probe."""
        self.suspect(organization_id)
        await until(lambda: not self._probes)


async def test_an_organization_is_stalled_if_another_one_answers() -> None:
    monitor = Monitor()
    monitor.answered(2)
    monitor.silent = {1}
    await monitor.examine(1)
    assert ({*monitor.stalled}, monitor.ended) == ({1}, [1])
    with pytest.raises(ApiError) as refusal:
        await monitor.require_answers(1)
    assert refusal.value.status == 503
    assert refusal.value.headers == {"Retry-After": "1"}
    await monitor.require_answers(2)
    assert monitor.probed == [1, 2, 1], "the next probe comes after a second"


async def test_an_organization_that_answers_after_the_other_is_not_stalled() -> None:
    """Probes time out, too, where the worker or the whole database had no processor time."""
    monitor = Monitor()
    monitor.answered(2)
    monitor.silent = {1}
    monitor.at_probe = lambda id_: monitor.silent.discard(1) if id_ == 2 else None
    await monitor.examine(1)
    assert monitor.probed == [1, 2, 1]
    assert (monitor.stalled, monitor.ended) == ({}, [])


async def test_an_outage_is_no_stall() -> None:
    monitor = Monitor()
    for other in range(2, 9):
        monitor.answered(other)
    monitor.silent = {*range(1, 9)}
    await monitor.examine(1)
    assert (monitor.stalled, monitor.ended) == ({}, [])
    assert monitor.probed == [1, 8, 7, 6], "the latest that answered, and not all"


async def test_a_lone_organization_is_never_stalled() -> None:
    monitor = Monitor()
    monitor.answered(1)
    monitor._answered[1] -= 2
    monitor.silent = {1}
    await monitor.examine(1)
    assert (monitor.probed, monitor.stalled) == ([1], {})


async def test_a_stall_ends_by_the_probe_of_a_request(clock: Clock) -> None:
    monitor = Monitor()
    monitor.answered(2)
    monitor.silent = {1}
    await monitor.examine(1)
    clock.now += stall_monitor._TRUST_SECONDS
    with pytest.raises(ApiError):
        await monitor.require_answers(1)
    clock.now += stall_monitor._TRUST_SECONDS
    monitor.silent.clear()
    await asyncio.gather(*(monitor.require_answers(1) for _ in range(50)))
    assert not monitor.stalled
    assert monitor.probed == [1, 2, 1, 1, 1], "requests share a probe"


async def test_the_service_itself_is_never_stalled() -> None:
    """Clearing and other work of the service has the organization id 0, also on its connections."""
    monitor = Monitor()
    monitor.silent = {0}
    monitor.answered(0)
    monitor.answered(2)
    await monitor.examine(0)
    assert (monitor.probed, monitor.stalled, monitor.ended) == ([], {}, [])
    monitor.silent = {1, 2}
    await monitor.examine(1)
    assert monitor.probed == [1, 2], "no answer of another organization"


async def test_whoever_has_just_answered_is_not_probed() -> None:
    monitor = Monitor()
    monitor.answered(1)
    await monitor.examine(1)
    assert not monitor.probed


async def test_the_numbers_of_organizations_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stall_monitor, "_MAX_ENTRIES", 5)
    monitor = Monitor()
    for organization_id in range(1, 9):
        monitor.answered(organization_id)
    monitor.silent = {*range(100, 109)}
    for organization_id in monitor.silent:
        await monitor.examine(organization_id)
    assert (len(monitor.stalled), len(monitor._answered)) == (5, 5)


async def test_long_statements_of_an_organization_that_answers_are_not_ended(dsn: str) -> None:
    database = Database(dsn, 2)

    async def sleep(connection: Connection) -> None:
        await connection.execute("select pg_sleep(1)")

    async def select_one(connection: Connection) -> None:
        await connection.execute("select 1")

    await database.look_up(select_one, 2)
    await asyncio.gather(database.read(sleep, 1), database.write(sleep, 1))
    assert 1 in database._stalls._answered
    assert not database._stalls.stalled
    await database.close()
