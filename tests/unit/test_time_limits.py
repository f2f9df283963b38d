"""Tests of the time limits of tests: they grow with the load, within bounds."""

import pytest

from service.settings import cores
from tests.support import time_limits
from tests.support.time_limits import becomes, limit, load_factor, scaled, until


@pytest.mark.parametrize(("per_core", "factor"), [(0.1, 1), (3, 3), (500, 10)])
def test_the_factor_follows_the_load(
    per_core: float, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (per_core * cores(), 0.0, 0.0))
    monkeypatch.setattr(time_limits, "_LOAD", time_limits._LOAD / "missing")
    assert load_factor() == pytest.approx(factor)
    assert scaled(2) == pytest.approx(2 * factor)
    assert limit(2) > scaled(2)


async def test_a_condition_that_does_not_come_ends_at_the_limit() -> None:
    with pytest.raises(TimeoutError):
        await until(lambda: False, 0.01)
    assert not becomes(lambda: False, 0.01)
    assert becomes(lambda: True, 0)
