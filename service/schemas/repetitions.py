"""Values that stand in a list more than once, which no schema can say of members' fields."""

from collections.abc import Iterable, Iterator
from typing import Any

from service.failures import Failure


def repeated(members: Iterable[tuple[int, Any]], name: str, *within: str) -> Iterator[Failure]:
    """A failure for each member, by its place in the list, whose value another had before it.

    The list stands at ``within``. A false is no value: of switches only the one that is on must be
    alone.
    """
    seen = set()
    for place, member in members:
        value = member.get(name) if isinstance(member, dict) else None
        if isinstance(value, int | str) and value is not False:
            key = (type(value), value)
            if key in seen:
                message = "Another one of this request has this value."
                yield Failure("validation_error.duplicate", (*within, place, name), message)
            seen.add(key)
