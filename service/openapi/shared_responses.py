"""Answers as components: what several operations answer alike is described once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson


@dataclass(frozen=True)
class ResponseObject:
    """An answer of an operation: its status, and what describes it."""

    status: int
    names: tuple[str, ...]
    """Names of components, from the one that most operations would share to its very own."""
    response: dict[str, Any]

    @cached_property
    def meaning(self) -> bytes:
        """Equal where the descriptions are."""
        return orjson.dumps(self.response)


class SharedResponses:
    """The answers of all operations, each under the first name that it has in common with others.

    A name is of the answer that most operations give under it.
    """

    def __init__(self, answers: Iterable[ResponseObject]) -> None:
        self._answers = list(answers)
        meanings = defaultdict[str, Counter[bytes]](Counter)
        for answer in self._answers:
            for name in answer.names:
                meanings[name][answer.meaning] += 1
        self._owners = {name: counted.most_common(1)[0][0] for name, counted in meanings.items()}

    def components(self) -> dict[str, Any]:
        """Every response by name."""
        found = {self._name(answer): answer.response for answer in self._answers}
        return {name: found[name] for name in sorted(found)}

    def references(self, answers: Iterable[ResponseObject]) -> Iterator[tuple[str, Any]]:
        """An operation's statuses, and the components that describe them."""
        for answer in answers:
            yield str(answer.status), {"$ref": f"#/components/responses/{self._name(answer)}"}

    def _name(self, answer: ResponseObject) -> str:
        return next(name for name in answer.names if self._owners[name] == answer.meaning)
