"""Clock that tests set, in place of the one that the cache of callers looks at."""

from types import SimpleNamespace

import pytest


class Clock:
    """Clock that tests set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(
            "service.organizations.caller.time", SimpleNamespace(monotonic=lambda: self.now)
        )
