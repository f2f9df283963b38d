"""Rules checked for every value in one test, which lists all that break it.

Policies are such rules, and errors of requests that leave the data as they are: those of one test
share its database and its service.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


def in_each(
    names: str | tuple[str, ...], values: Iterable[Any], *, label: Callable[[Any], object] = str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a test to run for each value in one case, as ``parametrize`` does in many.

    ``label`` names the value of an offense. Arguments that are not in ``names`` are fixtures.
    """
    of_each = [*values]
    assert of_each, "A rule for nothing cannot be broken."
    named = (names,) if isinstance(names, str) else names

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        def check(**fixtures: Any) -> None:
            offenses = _Offenses(label)
            for value in of_each:
                with offenses.of(value):
                    test(**fixtures, **given(value))
            offenses.show()

        async def check_one_by_one(**fixtures: Any) -> None:
            offenses = _Offenses(label)
            for value in of_each:
                with offenses.of(value):
                    await test(**fixtures, **given(value))
            offenses.show()

        def given(value: Any) -> dict[str, Any]:
            return dict(zip(named, (value,) if isinstance(names, str) else value, strict=True))

        made: Any = check_one_by_one if inspect.iscoroutinefunction(test) else check
        made = functools.wraps(test)(made)
        signature = inspect.signature(test)
        left = [value for name, value in signature.parameters.items() if name not in named]
        vars(made)["__signature__"] = signature.replace(parameters=left)
        del vars(made)["__wrapped__"]
        return made  # type: ignore[no-any-return]

    return decorate


class _Offenses:
    """What breaks a rule."""

    def __init__(self, label: Callable[[Any], object]) -> None:
        self._label = label
        self._lines: list[str] = []

    @contextmanager
    def of(self, value: Any) -> Iterator[None]:
        """Note an exception as the offense of a value."""
        try:
            yield
        except Exception as error:
            self._lines.append(f"{self._label(value)}: {error!r}")

    def show(self) -> None:
        """Raise AssertionError if there are any."""
        assert not self._lines, "\n".join(self._lines)
