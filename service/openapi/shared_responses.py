"""Response components: operations with equal responses under one name share a component.

Equal responses can remain under several names: ``AddServiceUnavailable`` equals
``ReplaceServiceUnavailable``, because no wider name belongs to that response.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson


@dataclass(frozen=True)
class ResponseObject:
    """Response of an operation: its status and its OpenAPI response object."""

    status: int
    names: tuple[str, ...]
    """Candidate names of the component, from the most widely shared one to the operation's own.

    Different responses never share the last one.
    """
    response: dict[str, Any]
    """JSON values. They must not change once ``fingerprint`` was read."""

    @cached_property
    def fingerprint(self) -> bytes:
        """Return the response as JSON: equal if the members are, in the same order."""
        return orjson.dumps(self.response)


class SharedResponses:
    """Response components of all operations.

    Each candidate name belongs to one response: to the one that most operations have under it, of
    several to the first in the given order. A response gets the first of its candidate names that
    belongs to it, so equal responses with different candidate names can become several components.
    """

    def __init__(self, responses: Iterable[ResponseObject]) -> None:
        self._responses = list(responses)
        counts = defaultdict[str, Counter[bytes]](Counter)
        for response in self._responses:
            for name in response.names:
                counts[name][response.fingerprint] += 1
        self._owners = {name: counter.most_common(1)[0][0] for name, counter in counts.items()}

    def components(self) -> dict[str, Any]:
        """Return every response object by component name, sorted by name."""
        by_name = {self._name(response): response.response for response in self._responses}
        return {name: by_name[name] for name in sorted(by_name)}

    def references(self, responses: Iterable[ResponseObject]) -> Iterator[tuple[str, Any]]:
        """Yield the statuses of an operation's responses, with references to components.

        The responses must be among those of the constructor.
        """
        for response in responses:
            yield str(response.status), {"$ref": f"#/components/responses/{self._name(response)}"}

    def _name(self, response: ResponseObject) -> str:
        return next(name for name in response.names if self._owners[name] == response.fingerprint)
