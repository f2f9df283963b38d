"""Policy cases: a rule is checked for every value in one test, which lists all that break it."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


def in_each(
    names: str | tuple[str, ...], values: Iterable[Any], *, label: Callable[[Any], object] = str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a test to run for each value in one case, as ``parametrize`` does in many.

    ``label`` names the value of an offense. Arguments that are not in ``names`` are fixtures.
    """
    of_each = [*values]
    assert of_each, "A rule for nothing cannot be broken."
    named = (names,) if isinstance(names, str) else names

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        assert not inspect.iscoroutinefunction(test), "A coroutine would not be awaited."

        @functools.wraps(test)
        def check(**fixtures: Any) -> None:
            offenses = []
            for value in of_each:
                given = dict(zip(named, (value,) if isinstance(names, str) else value, strict=True))
                try:
                    test(**fixtures, **given)
                except Exception as error:
                    offenses.append(f"{label(value)}: {error!r}")
            assert not offenses, "\n".join(offenses)

        signature = inspect.signature(test)
        left = [value for name, value in signature.parameters.items() if name not in named]
        vars(check)["__signature__"] = signature.replace(parameters=left)
        del vars(check)["__wrapped__"]
        return check

    return decorate
