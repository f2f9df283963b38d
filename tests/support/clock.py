"""Clock that tests set, in place of the one that a module of the service looks at."""

from types import SimpleNamespace

import pytest


class Clock:
    """Clock that tests set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
        self.now = 1000.0
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(monotonic=lambda: self.now))
