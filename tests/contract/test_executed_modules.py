"""Modules of the service that one request executes: few, so that one can follow it."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType

import pytest

import service
from tests.support.api import Answer, Api, replacing

pytestmark = pytest.mark.contract  # the contract promises nothing about modules

COLORS = "/api/colors"
HOME = Path(service.__file__).parent
#: Limits of today, by request. A limit goes up only with a decision in docs/decisions.
LIMITS = {"read": 32, "list": 35, "bulk PUT": 55, "PATCH": 54}
_ATTEMPTS = 8
_BACKGROUND = {"background.py", "http/loop_monitor.py"}
"""Modules that run between requests; of others only those that all attempts execute count."""


async def executed(send: Callable[[int], Awaitable[Answer]]) -> set[str]:
    """Return the modules that a request executes which no cache answers; the first is a warm-up."""
    runs = list[set[str]]()
    for number in range(1, _ATTEMPTS + 1):
        files = set[str]()

        def note(frame: FrameType, event: str, _: object, files: set[str] = files) -> None:
            if event == "call":
                files.add(frame.f_code.co_filename)

        sys.setprofile(note)
        try:
            answer = await send(number)
        finally:
            sys.setprofile(None)
        assert answer.status == 200, answer.raw
        paths = (Path(file) for file in files)
        runs.append({str(path.relative_to(HOME)) for path in paths if HOME in path.parents})
    return set.intersection(*runs[1:]) - _BACKGROUND


@pytest.mark.demo_data
async def test_a_request_executes_few_modules(api: Api) -> None:
    async def put(number: int) -> Answer:
        items = [{"id": id_, "name": f"Color {number}", "state": "active"} for id_ in (1, 2)]
        return await api.put(COLORS, items)

    requests: dict[str, Callable[[int], Awaitable[Answer]]] = {
        "read": lambda number: api.get(f"{COLORS}/{number}"),
        "list": lambda number: api.get(COLORS, {"pageSize": str(number)}),
        "bulk PUT": put,
        "PATCH": lambda n: api.patch(f"{COLORS}/1", replacing("/name", f"Red {n}")),
    }
    modules = {name: await executed(send) for name, send in requests.items()}
    for name, executed_by in modules.items():
        print(f"{name}: {len(executed_by)} modules\n  {' '.join(sorted(executed_by))}")
    over = {name: len(paths) for name, paths in modules.items() if len(paths) > LIMITS[name]}
    assert not over, "A request executes more modules than the limit: see the lists above."
