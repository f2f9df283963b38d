"""The guides as those who follow them: each line of curl sent, each answer beside the one shown."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from tests.support.api import JSON, Answer, Api
from tests.support.waiting import limit

_STEP = re.compile(
    r"^```sh\n(?P<shell>.*?)^```\n\n```json (?P<status>\d{3})\n(?P<shown>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_LEFT_OUT = "…"


@dataclass(frozen=True)
class Step:
    """A request that a guide shows, and the answer that it shows below."""

    shell: str
    status: int
    shown: Any


def steps(guide: Path) -> Iterator[Step]:
    """Every step of a guide, in order; AssertionError where one has no answer."""
    text = guide.read_text(encoding="utf-8")
    found = list(_STEP.finditer(text))
    assert len(found) == text.count("\n```sh\n") == text.count("\n```json ")
    for match in found:
        yield Step(match["shell"], int(match["status"]), orjson.loads(match["shown"]))


@dataclass
class Reader:
    """Somebody who pastes one line after the other, and keeps what the guides say is kept."""

    api: Api
    kept: dict[str, str] = field(default_factory=dict)

    async def send(self, shell: str) -> Answer:
        """The answer to a line of curl."""
        words = self._words(shell)
        url = words.pop()
        assert "-g" in words or not set(url) & set("[]{}"), "curl reads brackets"
        method, body, headers = "GET", None, dict[str, str]()
        while words:
            option = words.pop(0)
            if option in ("-i", "-g"):
                continue
            value = words.pop(0)
            if option == "-H":
                name, _, headers[name] = value.partition(": ")
            elif option == "-X":
                method = value
            else:
                assert option in ("-d", "--json"), option
                method = "POST" if method == "GET" else method
                body = value.encode()
        content_type = headers.pop("Content-Type", JSON)
        answer = await self.api.call(method, url, body, headers=headers, content_type=content_type)
        self._keep(answer)
        return answer

    def _words(self, shell: str) -> list[str]:
        """What a shell makes of the line, after the command's name."""
        script = f"curl() {{ printf '%s\\0' \"$@\"; }}\n{shell}"
        variables = {"HERE": "", "KEY": self.api.key, **self.kept}
        done = subprocess.run(
            ["bash", "-euc", script],
            env=variables,
            capture_output=True,
            check=True,
            timeout=limit(30),
        )
        return done.stdout.decode().split("\0")[:-1]

    def _keep(self, answer: Answer) -> None:
        """Keep what later lines may name."""
        if "ETag" in answer.headers:
            self.kept["ETAG"] = answer.headers["ETag"]
        if answer.status >= 400:
            return
        data = answer.data if isinstance(answer.data, list) else [answer.data]
        for name, record in zip(("ID", "OTHER"), data, strict=False):
            self.kept[name] = str(record.get("id", ""))
        cursor = answer.json.get("pagination", {}).get("cursor")
        if cursor is not None:
            self.kept["CURSOR"] = cursor


def shows(shown: Any, real: Any) -> bool:
    """Whether an answer is as a guide shows it, shortened."""
    if shown == _LEFT_OUT:
        return real is not None
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(
            name in real and shows(value, real[name]) for name, value in shown.items()
        )
    if isinstance(shown, list):
        return len(shown) == len(real) and all(map(shows, shown, real))
    return bool(shown == real)
