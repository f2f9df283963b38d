"""The nightly sync of docs/erp-sync.md, run as it stands there."""

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
from tests.client.conftest import Place
from tests.policy.sources import ROOT

MOST_REQUESTS, MOST_BYTES = 40, 2_000_000
Truth = list[tuple[str, str, int, list[dict[str, Any]]]]
_LANGUAGES: Final = range(1, 11)


def truth(mark: str) -> Truth:
    """20,000 colors, 500 groups, 300 custom fields of 50 values, 2,000 texts in 10 languages."""
    return [
        ("groups", "userDefinedId", 200, [_named(f"G-{n}", mark) for n in range(500)]),
        ("colors", "userDefinedId", 1000, [_named(f"C-{n}", mark) for n in range(20_000)]),
        ("style-custom-fields", "userDefinedId", 200, [_field(n, mark) for n in range(300)]),
        ("care-instructions", "userDefinedId", 200, [_care(n, mark) for n in range(2_000)]),
    ]


def _named(key: str, mark: str) -> dict[str, Any]:
    return {"userDefinedId": key, "name": f"{mark} {key}", "state": "active"}


def _field(number: int, mark: str) -> dict[str, Any]:
    values = [{"value": f"{mark} {n}", "userDefinedId": f"V-{n}"} for n in range(50)]
    return _named(f"F-{number}", mark) | {"type": "allowedValue", "allowedValues": values}


def _care(number: int, mark: str) -> dict[str, Any]:
    languages = [{"languageId": one, "text": f"{mark} {one}"} for one in _LANGUAGES]
    text = {"userDefinedId": f"T-{number}", "text": f"{mark} {number}", "state": "active"}
    return text | {"languages": languages}


class Watched:
    """What the client sent and was answered."""

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
def night(place: Place, monkeypatch: pytest.MonkeyPatch) -> Callable[[Truth], Any]:
    """The code of the page, given what the ERP knows."""
    code = _code()
    assert code.count("\n") <= 30
    monkeypatch.setenv("SELVEDGE_URL", str(place.url))
    monkeypatch.setenv("SELVEDGE_API_KEY", place.writer)

    def run(known: Truth) -> Any:
        erp = ModuleType("erp")
        erp.truth = lambda: iter(known)  # type: ignore[attr-defined]
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
        if found := re.fullmatch(r"([a-z-]+): (\{.*\})", line):
            yield found[1], Counter(orjson.loads(found[2].replace("'", '"')))


@pytest.mark.contract("Own keys", "Outcomes")
async def test_the_night_takes_few_requests_and_short_answers(
    night: Callable[[Truth], Any], watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = {"groups": 500, "colors": 20_000}
    expected |= {"style-custom-fields": 300, "care-instructions": 2_000}
    for mark, outcome in (("One", "created"), ("One", "unchanged"), ("Two", "updated")):
        watched.requests = watched.bytes = 0
        assert await night(truth(mark)) == 0
        told = dict(_counts(capsys.readouterr().out))
        assert told == {name: Counter({outcome: count}) for name, count in expected.items()}
        assert watched.requests <= MOST_REQUESTS
        assert watched.bytes <= MOST_BYTES


@pytest.mark.contract("In part")
async def test_what_is_wrong_is_told_and_the_rest_is_in(
    night: Callable[[Truth], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    records = [_named(f"W-{n}", "Wrong") for n in range(50)]
    records[7]["colorGroupIds"] = [2**60]
    assert await night([("colors", "userDefinedId", 20, records)]) == 1
    told = capsys.readouterr().out
    assert "colors W-7: [7].colorGroupIds[0]: There is no such color group." in told
    assert dict(_counts(told))["colors"] == Counter(created=49, failed=1)


async def _sync(client: Client, records: list[dict[str, Any]], **how: Any) -> list[Outcome]:
    found = client.collection("colors").sync(records, match="userDefinedId", size=40, **how)
    return [one async for one in found]


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
async def test_what_records_refer_to_is_sent_by_its_own_keys(
    selvedge: Client, collection: str, own_key: str, rest: dict[str, Any]
) -> None:
    records = [rest | {own_key: f"Sent {n}", "state": "active"} for n in range(5)]
    for outcome in ("created", "unchanged"):
        found = selvedge.collection(collection).sync(records, match=own_key)
        assert [one.outcome async for one in found] == [outcome] * 5
    gone = [{**one, "state": "deleted"} for one in records]
    found = selvedge.collection(collection).sync(gone, match=own_key)
    assert [one.outcome async for one in found] == ["deleted"] * 5


@pytest.mark.contract("Own keys")
async def test_several_at_once_and_one_that_is_stopped_make_no_twin(selvedge: Client) -> None:
    records = [_named(f"S-{n}", "Several") for n in range(200)]
    running = [asyncio.create_task(_sync(selvedge, records)) for _ in range(4)]
    await asyncio.sleep(0.05)
    running[0].cancel()
    done = await asyncio.gather(*running[1:])
    assert len({tuple(one.id for one in outcomes) for outcomes in done}) == 1
    again = await _sync(selvedge, records)
    assert {one.outcome for one in again} == {"unchanged"}
    ids = {one.id for one in again}
    colors = selvedge.collection("colors")
    found = [one async for one in colors.records(name=[one["name"] for one in records])]
    assert {one["id"] for one in found} == ids
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
    place: Place, selvedge: Client, tmp_path: Path
) -> None:
    (tmp_path / "erp.py").write_text(_ERP)
    (tmp_path / "night.py").write_text(_code())

    async def run(killed_after: float) -> tuple[int | None, str]:
        known = {"SELVEDGE_URL": str(place.url), "SELVEDGE_API_KEY": place.writer}
        env = {**os.environ, **known, "KILLED_AFTER": str(killed_after), "PYTHONPATH": str(ROOT)}
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
        wanted = [f"Killed {n}" for n in range(count)]
        known = selvedge.collection(collection).records(name=wanted)
        assert Counter([one["name"] async for one in known]) == Counter(wanted)


@pytest.mark.contract("Rehearsals", "Merges")
async def test_a_dry_run_tells_and_a_merge_leaves_what_it_does_not_say(selvedge: Client) -> None:
    record = _named("M-1", "Merged") | {"colorNote": "Kept"}
    [told] = await _sync(selvedge, [record], dry_run=True)
    assert (told.outcome, told.id) == ("created", None)
    [made] = await _sync(selvedge, [record])
    part = {"userDefinedId": "M-1", "name": "Other"}
    [merged] = await _sync(selvedge, [part], merge=True)
    assert (merged.outcome, merged.id) == ("updated", made.id)
    shown = (await selvedge.collection("colors").read(made.id)).data
    assert (shown["name"], shown["colorNote"]) == ("Other", "Kept")
