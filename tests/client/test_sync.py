"""Tests of the nightly sync of docs/erp-sync.md, run as the document shows it."""

import asyncio
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import orjson
import pytest

from service.client import Client, Outcome
from service.client.transport import HttpResponse, Request, Transport
from tests.client.conftest import ServiceAddress
from tests.policy.sources import ROOT

MOST_REQUESTS, MOST_BYTES = 40, 2_000_000
Truth = list[tuple[str, str, int, list[dict[str, Any]]]]
_LANGUAGES: Final = range(1, 11)


def truth(mark: str) -> Truth:
    """Yield 20,000 colors, 500 groups, 300 custom fields of 50 values and 2,000 care texts."""
    return [
        ("groups", "userDefinedId", 200, [named(f"G-{n}", mark) for n in range(500)]),
        ("colors", "userDefinedId", 1000, [named(f"C-{n}", mark) for n in range(20_000)]),
        ("style-custom-fields", "userDefinedId", 200, [_field(n, mark) for n in range(300)]),
        ("care-instructions", "userDefinedId", 200, [_care(n, mark) for n in range(2_000)]),
    ]


def named(key: str, mark: str) -> dict[str, Any]:
    return {"userDefinedId": key, "name": f"{mark} {key}", "state": "active"}


def _field(number: int, mark: str) -> dict[str, Any]:
    values = [{"value": f"{mark} {n}", "userDefinedId": f"V-{n}"} for n in range(50)]
    return named(f"F-{number}", mark) | {"type": "allowedValue", "allowedValues": values}


def _care(number: int, mark: str) -> dict[str, Any]:
    languages = [
        {"languageId": language_id, "text": f"{mark} {language_id}"} for language_id in _LANGUAGES
    ]
    text = {"userDefinedId": f"T-{number}", "text": f"{mark} {number}", "state": "active"}
    return text | {"languages": languages}


class Watched:
    """Requests of the client, and their responses."""

    def __init__(self) -> None:
        self.requests = self.bytes = 0


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    seen, send = Watched(), Transport.send

    async def watch(self: Transport, request: Request) -> HttpResponse:
        answer = await send(self, request)
        seen.requests += 1
        seen.bytes += len(orjson.dumps(answer.body))
        return answer

    monkeypatch.setattr(Transport, "send", watch)
    return seen


@pytest.fixture
def night(
    service_address: ServiceAddress, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Truth], Any]:
    """The code of the page, given what the ERP knows."""
    code = _code()
    assert code.count("\n") <= 30
    monkeypatch.setenv("SELVEDGE_URL", str(service_address.url))
    monkeypatch.setenv("SELVEDGE_API_KEY", service_address.writer)

    def run(truth: Truth) -> Any:
        erp = ModuleType("erp")
        erp.truth = lambda: iter(truth)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "erp", erp)
        names: dict[str, Any] = {"__name__": "night"}
        exec(code, names)
        return names["night"]()

    return run


def _code() -> str:
    page = (ROOT / "docs/erp-sync.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    return str(code)


def _counts(text: str) -> Iterator[tuple[str, Counter[str]]]:
    for line in text.splitlines():
        if match := re.fullmatch(r"([a-z-]+): (\{.*\})", line):
            yield match[1], Counter(orjson.loads(match[2].replace("'", '"')))


@pytest.mark.contract("Own keys", "Outcomes")
async def test_the_night_takes_few_requests_and_short_answers(
    night: Callable[[Truth], Any], watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = {"groups": 500, "colors": 20_000}
    expected |= {"style-custom-fields": 300, "care-instructions": 2_000}
    for mark, outcome in (("One", "created"), ("One", "unchanged"), ("Two", "updated")):
        watched.requests = watched.bytes = 0
        assert await night(truth(mark)) == 0
        counts = dict(_counts(capsys.readouterr().out))
        assert counts == {name: Counter({outcome: count}) for name, count in expected.items()}
        assert watched.requests <= MOST_REQUESTS
        assert watched.bytes <= MOST_BYTES


@pytest.mark.contract("In part")
async def test_errors_are_printed_and_other_records_written(
    night: Callable[[Truth], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    records = [named(f"W-{n}", "Wrong") for n in range(50)]
    records[7]["colorGroupIds"] = [2**60]
    assert await night([("colors", "userDefinedId", 20, records)]) == 1
    printed = capsys.readouterr().out
    assert "colors W-7: [7].colorGroupIds[0]: There is no such color group." in printed
    assert dict(_counts(printed))["colors"] == Counter(created=49, failed=1)


async def _sync(client: Client, records: list[dict[str, Any]], **how: Any) -> list[Outcome]:
    outcomes = client.collection("colors").sync(records, match="userDefinedId", size=40, **how)
    return [outcome async for outcome in outcomes]


KEYED: Final[list[tuple[str, str, dict[str, Any]]]] = [
    ("brands", "customId", {"name": "Storsund"}),
    ("color-groups", "userDefinedId", {"name": "Blues"}),
    ("style-categories", "userDefinedId", {"name": "Knitwear"}),
    ("items", "number", {"name": "Snap"}),
    ("styles", "number", {"name": "Vest"}),
    ("facilities", "name", {"subSupplierId": "1"}),
]


@pytest.mark.contract("Own keys")
@pytest.mark.parametrize(("collection", "own_key", "rest"), KEYED)
async def test_references_are_sent_by_own_keys(
    selvedge: Client, collection: str, own_key: str, rest: dict[str, Any]
) -> None:
    records = [rest | {own_key: f"Sent {n}", "state": "active"} for n in range(5)]
    for outcome in ("created", "unchanged"):
        outcomes = selvedge.collection(collection).sync(records, match=own_key)
        assert [row.outcome async for row in outcomes] == [outcome] * 5
    gone = [{**record, "state": "deleted"} for record in records]
    outcomes = selvedge.collection(collection).sync(gone, match=own_key)
    assert [row.outcome async for row in outcomes] == ["deleted"] * 5


@pytest.mark.contract("Own keys")
async def test_several_at_once_and_one_that_is_stopped_make_no_twin(selvedge: Client) -> None:
    records = [named(f"S-{n}", "Several") for n in range(200)]
    running = [asyncio.create_task(_sync(selvedge, records)) for _ in range(4)]
    await asyncio.sleep(0.05)
    running[0].cancel()
    done = await asyncio.gather(*running[1:])
    assert len({tuple(row.id for row in outcomes) for outcomes in done}) == 1
    again = await _sync(selvedge, records)
    assert {row.outcome for row in again} == {"unchanged"}
    ids = {row.id for row in again}
    colors = selvedge.collection("colors")
    stored = [
        record async for record in colors.records(name=[record["name"] for record in records])
    ]
    assert {record["id"] for record in stored} == ids
    assert len(ids) == 200


_ERP: Final = """
import os, signal, sys, threading

def truth():
    if (seconds := float(os.environ["KILLED_AFTER"])):
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)).start()
    names = [(f"K-{n}", f"Killed {n}") for n in range(600)]
    named = [{"userDefinedId": key, "name": name, "state": "active"} for key, name in names]
    yield "groups", "userDefinedId", 50, named[:100]
    yield "colors", "userDefinedId", 50, named
"""


@pytest.mark.contract("Own keys")
async def test_killed_anywhere_and_run_again_it_ends_as_if_it_had_not_been(
    service_address: ServiceAddress, selvedge: Client, tmp_path: Path
) -> None:
    (tmp_path / "erp.py").write_text(_ERP)
    (tmp_path / "night.py").write_text(_code())

    async def run(killed_after: float) -> tuple[int | None, str]:
        settings = {
            "SELVEDGE_URL": str(service_address.url),
            "SELVEDGE_API_KEY": service_address.writer,
        }
        env = {**os.environ, **settings, "KILLED_AFTER": str(killed_after), "PYTHONPATH": str(ROOT)}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "night.py"), cwd=tmp_path, env=env, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        return process.returncode, out.decode()

    killed = [await run(seconds) for seconds in (0.03, 0.1, 0.2)]
    assert killed[0][0] == -signal.SIGKILL
    assert (await run(0))[0] == 0
    assert dict(_counts((await run(0))[1])) == {
        "groups": Counter(unchanged=100),
        "colors": Counter(unchanged=600),
    }
    for collection, count in (("groups", 100), ("colors", 600)):
        names = [f"Killed {n}" for n in range(count)]
        records = selvedge.collection(collection).records(name=names)
        assert Counter([record["name"] async for record in records]) == Counter(names)


@pytest.mark.contract("Rehearsals", "Merges")
async def test_dry_runs_return_outcomes_and_merges_keep_omitted_fields(selvedge: Client) -> None:
    record = named("M-1", "Merged") | {"colorNote": "Kept"}
    [outcome] = await _sync(selvedge, [record], dry_run=True)
    assert (outcome.outcome, outcome.id) == ("created", None)
    [made] = await _sync(selvedge, [record])
    part = {"userDefinedId": "M-1", "name": "Other"}
    [merged] = await _sync(selvedge, [part], merge=True)
    assert (merged.outcome, merged.id) == ("updated", made.id)
    shown = (await selvedge.collection("colors").read(made.id)).data
    assert (shown["name"], shown["colorNote"]) == ("Other", "Kept")
