"""Tests of the nightly sync of the guide on own keys, run as it stands there, of a whole ERP.

``TEST_ERP_DIVISOR`` and ``TEST_KILLS`` set the size of the ERP (1 for all of it) and the number of
kills; ``--log-cli-level=INFO --log-disable=aiohttp.access`` shows the requests of each night.
"""

import asyncio
import logging
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Final

import asyncpg
import orjson
import pytest

from selvedge_client import Client, NotFoundError
from selvedge_client.transport import HttpResponse, Request, Transport
from service.files import GUIDES
from service.organizations import administration
from tests.client.conftest import ServiceAddress
from tests.client.erp import Erp, RecordSet
from tests.policy.sources import ROOT
from tests.support.api import issue_key
from tests.support.sampling import settle_seed

pytestmark = pytest.mark.contract("Own keys", "Outcomes")

DIVISOR, MOST_LINES = int(os.environ.get("TEST_ERP_DIVISOR", "20")), 60
MOST_REQUESTS = 12
KILLS = int(os.environ.get("TEST_KILLS", "2"))
KILLED_DIVISOR = int(os.environ.get("TEST_ERP_DIVISOR", "40"))
LATEST_KILL = 8 if KILLED_DIVISOR == 1 else 20
"""Largest number of requests after which a night is killed; it has a few more."""
LOG: Final = logging.getLogger(__name__)
Night = Callable[[Iterable[RecordSet]], Any]


@pytest.fixture
async def erp_address(
    service_address: ServiceAddress, request: pytest.FixtureRequest
) -> ServiceAddress:
    """The service, with a key of a new organization that has every feature."""
    connection = await asyncpg.connect(service_address.dsn)
    organization = await administration.create_organization(
        connection, request.node.nodeid, multiple_language=True, pro=True
    )
    await connection.close()
    return service_address._replace(writer=await issue_key(service_address.dsn, organization))


@pytest.fixture
async def designer(erp_address: ServiceAddress) -> AsyncIterator[Client]:
    """A client of the same organization with another key."""
    organization_id = int(erp_address.writer.split("_")[1])
    key = await issue_key(erp_address.dsn, organization_id)
    async with Client(str(erp_address.url), key) as client:
        yield client


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the client's requests."""
    paths, send = list[str](), Transport.send

    async def watch(self: Transport, request: Request) -> HttpResponse:
        paths.append(f"{request.method} {request.path}")
        return await send(self, request)

    monkeypatch.setattr(Transport, "send", watch)
    return paths


@pytest.fixture
def night(erp_address: ServiceAddress, monkeypatch: pytest.MonkeyPatch) -> Night:
    """The code of the page, given what the ERP knows."""
    code = _code()
    assert code.count("\n") <= MOST_LINES
    monkeypatch.setenv("SELVEDGE_URL", str(erp_address.url))
    monkeypatch.setenv("SELVEDGE_API_KEY", erp_address.writer)

    def run(truth: Iterable[RecordSet]) -> Any:
        erp = ModuleType("erp")
        erp.truth = lambda: iter(truth)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "erp", erp)
        names: dict[str, Any] = {"__name__": "night"}
        exec(code, names)
        return names["night"]()

    return run


def _code() -> str:
    page = (GUIDES / "own-keys.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    return str(code)


def _counts(text: str) -> Iterator[tuple[str, Counter[str]]]:
    for line in text.splitlines():
        if match := re.fullmatch(r"([a-z-]+): (\{.*\})", line):
            yield match[1], Counter(orjson.loads(match[2].replace("'", '"')))


async def test_nights_end_in_the_state_of_the_erp(
    night: Night, requests: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """All is new, nothing has changed, or some has, has gone or another key; two at once, too."""

    async def run(erp: Erp) -> dict[str, Counter[str]]:
        requests.clear()
        started = time.monotonic()
        assert await night(erp.truth()) == 0, capsys.readouterr().out
        counts = dict(_counts(capsys.readouterr().out))
        total = sum(counts.values(), Counter[str]())
        seconds = time.monotonic() - started
        LOG.info("%s requests, %.1f s: %s", len(requests), seconds, dict(total))
        assert len(requests) <= MOST_REQUESTS, requests
        return counts

    sizes = {name: len(records) for name, records in Erp(DIVISOR).truth()}
    created = await run(Erp(DIVISOR))
    unchanged = {name: Counter(unchanged=count) for name, count in sizes.items()}
    assert {name: sum(outcomes.values()) for name, outcomes in created.items()} == sizes
    assert created["styles"] == Counter(created=sizes["styles"])
    assert await run(Erp(DIVISOR)) == unchanged
    fewer = Erp(DIVISOR, mark="Two", changed=0.01, sold=5)
    changed = await run(fewer)
    marked = sum(number % 1000 < 10 for number in range(5, sizes["colors"]))
    rest = sizes["colors"] - 5 - marked
    assert changed["colors"] == Counter(updated=marked, unchanged=rest, deleted=5)
    assert changed["style-relations"]["deleted"] == 5
    assert changed["measurements"] == unchanged["measurements"]
    renamed = Erp(DIVISOR, sold=5, renames={"C-10": "C-11", "C-11": "C-10", "C-12": "X-12"})
    colors = (await run(renamed))["colors"]
    assert colors["deleted"] == colors["failed"] == 0
    assert colors["updated"] >= 3
    # Sent again, keys are exchanged back, and a key that is renamed already is found.
    assert (await run(renamed))["colors"] == Counter(updated=2, unchanged=sizes["colors"] - 7)
    back = await asyncio.gather(*(night(Erp(DIVISOR).truth()) for _ in range(2)))
    assert back == [0, 0]
    capsys.readouterr()
    assert await run(Erp(DIVISOR)) == unchanged
    fifth = await run(Erp(DIVISOR, mark="Two", changed=0.2))
    assert fifth["colors"]["updated"] == sizes["colors"] // 5


async def test_a_truth_that_broke_off_deletes_nothing(
    night: Night, capsys: pytest.CaptureFixture[str]
) -> None:
    name, colors = [*Erp(100).truth()][2]
    assert await night([(name, colors)]) == 0
    assert await night([(name, colors[:10])]) == 190
    assert "190 of 200 colors are missing" in capsys.readouterr().out
    assert await night([(name, colors)]) == 0
    assert dict(_counts(capsys.readouterr().out))["colors"] == Counter(unchanged=200)


async def test_what_a_designer_has_made_stays(
    designer: Client, night: Night, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their styles, and their sample requests with values, also of styles of the ERP."""
    erp = Erp(40)
    assert await night(erp.truth()) == 0, capsys.readouterr().out
    size = {"sizeRangeId": {"userDefinedId": "R-0"}, "name": "M"}
    async with designer.transaction() as batch:
        batch.create("styles", {"number": "D-1", "name": "Of a designer"})
        chart = {"unit": "cm", "lines": [{"name": "Chest"}]}
        batch.upsert("measurement-charts", {"styleId": {"number": "D-1"}, **chart})
        for number in ("D-1", "S-1"):
            sample = {"name": "Fit", "styleId": {"number": number}}
            batch.create("sample-requests", {**sample, "sizeRangeSizeIds": [size]})
        request = {"name": "Fit", "styleId": {"number": "D-1"}}
        lines = [{"lineId": {"name": "Chest"}, "companyMeasurement": "52.10"}]
        sizes = [{"sizeRangeSizeId": size, "lines": lines}]
        batch.merge("measurements", {"sampleRequestId": request, "sizes": sizes})
    made = {name: row.id for name, row in batch.outcomes}
    without = [
        (name, [record for record in records if '"S-6"' not in orjson.dumps(record).decode()])
        for name, records in erp.truth()
    ]
    assert await night(without) == 0, capsys.readouterr().out
    for name in ("styles", "sample-requests"):
        assert (await designer.collection(name).read(made[name])).data["id"] == made[name]
    [measured] = [
        record
        async for record in designer.collection("measurements").records()
        if record["sampleRequestId"] == made["measurements"]
    ]
    assert measured["sizes"][0]["lines"][0]["companyMeasurement"] == 52.1
    with pytest.raises(NotFoundError):
        await designer.collection("styles").read("number=S-6")
    [styles] = [records for name, records in erp.truth() if name == "styles"]
    # A style that the ERP has dropped, and of which the designer wants samples, stays in use.
    assert (
        await night([("styles", [record for record in styles if record["number"] != "S-1"])]) == 1
    )
    assert (await designer.collection("styles").read("number=S-1")).data["state"] == "active"


@pytest.mark.contract("Skipping failing items")
async def test_errors_are_printed_and_other_records_written(
    night: Night, capsys: pytest.CaptureFixture[str]
) -> None:
    [*_, (collection, records)] = [*Erp(400).truth()][2:3]
    records[7]["colorGroupIds"] = [2**60]
    assert await night([(collection, records)]) == 1
    printed = capsys.readouterr().out
    assert "colors C-7: [7].item.colorGroupIds[0]: There is no such color group." in printed
    assert dict(_counts(printed))["colors"] == Counter(created=49, failed=1)


_ERP: Final = """
import os, signal, sys, threading
from selvedge_client import transactions
from selvedge_client.transport import Transport
from tests.client.erp import Erp

requests, send = 0, Transport.send

async def counted(self, request):
    global requests
    requests += 1
    if requests == int(os.environ["KILLED_AT"]):
        delay = float(os.environ["KILLED_AFTER"])
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return await send(self, request)

Transport.send = counted

def truth():
    erp = Erp(int(os.environ["DIVISOR"]))
    if erp.divisor > 1:
        transactions.MAX_ENTRIES = 50
    return erp.truth()
"""


async def test_killed_anywhere_and_run_again_it_ends_as_if_it_had_not_been(
    erp_address: ServiceAddress, tmp_path: Path
) -> None:
    """Two programs at once begin with nothing; each is killed at a request of its own."""
    (tmp_path / "erp.py").write_text(_ERP)
    (tmp_path / "night.py").write_text(_code())

    async def run(killed_at: int = 0, killed_after: float = 0) -> tuple[int | None, str]:
        settings = {
            "SELVEDGE_URL": str(erp_address.url),
            "SELVEDGE_API_KEY": erp_address.writer,
            "KILLED_AT": str(killed_at),
            "KILLED_AFTER": str(killed_after),
            "DIVISOR": str(KILLED_DIVISOR),
        }
        env = {**os.environ, **settings, "PYTHONPATH": str(ROOT)}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "night.py"), cwd=tmp_path, env=env, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        return process.returncode, out.decode()

    random, kills, runs = Random(settle_seed()), 0, 0
    while kills < KILLS:
        chosen = [(random.randint(1, LATEST_KILL), random.uniform(0, 0.1)) for _ in range(2)]
        for status, out in await asyncio.gather(*(run(*each) for each in chosen)):
            assert status in (0, -signal.SIGKILL), out
            kills += status != 0
            runs += 1
    for status, out in await asyncio.gather(run(), run()):
        assert status == 0, out
    LOG.info("%s of %s runs, two at once, were killed", kills, runs)
    truth = [*Erp(KILLED_DIVISOR).truth()]
    assert dict(_counts((await run())[1])) == {
        name: Counter(unchanged=len(records)) for name, records in truth
    }
    async with Client(str(erp_address.url), erp_address.writer) as client:
        for name, records in truth:
            stored = [record async for record in client.collection(name).records(page_size=100)]
            assert len(stored) == len(records), name
