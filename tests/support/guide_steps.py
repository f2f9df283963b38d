"""Guide steps: the curl commands of the guides, and the responses that they show."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from tests.support.api import JSON, Answer, Api
from tests.support.time_limits import limit

_STEP = re.compile(
    r"^```sh\n(?P<shell>.*?)^```\n\n```json (?P<status>\d{3})\n(?P<shown>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_LEFT_OUT = "…"


@dataclass(frozen=True)
class Step:
    """Request that a guide shows, and the expected response."""

    shell: str
    status: int
    shown: Any


def steps(guide: Path) -> Iterator[Step]:
    """Yield the steps of a guide, in order; raise AssertionError if one has no response."""
    text = guide.read_text(encoding="utf-8")
    matches = list(_STEP.finditer(text))
    assert len(matches) == text.count("\n```sh\n") == text.count("\n```json ")
    for match in matches:
        yield Step(match["shell"], int(match["status"]), orjson.loads(match["shown"]))


@dataclass
class Reader:
    """Reader who runs one command after the other and sets the variables as the guides do."""

    api: Api
    variables: dict[str, str] = field(default_factory=dict)

    async def send(self, shell: str) -> Answer:
        """Run a line of curl; return the response."""
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
        """Return the shell words of the line after the command's name."""
        script = f"curl() {{ printf '%s\\0' \"$@\"; }}\n{shell}"
        environment = {"HERE": "", "KEY": self.api.key, **self.variables}
        done = subprocess.run(
            ["bash", "-euc", script],
            env=environment,
            capture_output=True,
            check=True,
            timeout=limit(30),
        )
        return done.stdout.decode().split("\0")[:-1]

    def _keep(self, answer: Answer) -> None:
        """Set the variables that later commands use."""
        if "ETag" in answer.headers:
            self.variables["ETAG"] = answer.headers["ETag"]
        if answer.status >= 400:
            return
        data = answer.data if isinstance(answer.data, list) else [answer.data]
        for name, record in zip(("ID", "OTHER"), data, strict=False):
            self.variables[name] = str(record.get("id", ""))
        cursor = answer.json.get("pagination", {}).get("cursor")
        if cursor is not None:
            self.variables["CURSOR"] = cursor


def matches_shown(shown: Any, real: Any) -> bool:
    """Return whether a response equals the shortened one in the guide."""
    if shown == _LEFT_OUT:
        return real is not None
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(
            name in real and matches_shown(value, real[name]) for name, value in shown.items()
        )
    if isinstance(shown, list):
        return len(shown) == len(real) and all(map(matches_shown, shown, real))
    return bool(shown == real)
