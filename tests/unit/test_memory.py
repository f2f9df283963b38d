"""When memory is given back."""

import pytest

from service.http.memory import MUCH, Allowance


def test_growth_is_counted_from_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stays in use is not asked for again and again."""
    asked = list[int]()
    allowance = Allowance()
    monkeypatch.setattr(allowance, "_trim", asked.append)
    base, grown = 100 * MUCH, 102 * MUCH
    allowance.see(base, 0)
    for second in range(1, 20):
        allowance.see(grown, second)
    assert len(asked) == 1
    allowance.see(grown + 2 * MUCH, 20)
    assert len(asked) == 2
