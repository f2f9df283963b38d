"""From a line of a file to what is sent: the file's ids become the service's."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from service.transfer.fields import Field
from service.transfer.id_map import IdMap

DEACTIVATED: Final = "isDeactivated"
"""Of an object in a record: it is kept for those who need it."""
_NOBODY: Final = 2**63 - 1
"""Ids from here downward stand for records that a rehearsal only would make."""


@dataclass(slots=True)
class Translated:
    """What can be sent, unless references are missing."""

    item: Any
    missing: list[tuple[str, str, str]] = field(default_factory=list)
    """Path, collection and file's id of each reference to what did not come yet."""
    unmade: list[str] = field(default_factory=list)
    """Paths of references to what a rehearsal would have made."""
    is_activated: bool = False
    """Whether something is sent as active that is not to stay so."""


@dataclass(slots=True)
class Translator:
    """Translates what lines of a file say.

    An id of a collection that comes ``together`` with the others is the file's; any other is taken
    as the service's own.
    """

    known: IdMap
    together: Collection[str]
    _is_new: bool = False
    _leaves_out: bool = False
    _activates: bool = False
    _result: Translated = field(default_factory=lambda: Translated(None))

    def translate(
        self,
        fields: Field,
        value: Any,
        *,
        is_new: bool = False,
        leaves_out: bool = False,
        activates: bool = False,
    ) -> Translated:
        """What is sent of a record or of a part of one; the objects of a new one have no ids.

        It may leave out references to what is not there yet, and have active what is not to be.
        """
        self._is_new, self._leaves_out, self._activates = is_new, leaves_out, activates
        self._result = Translated(None)
        self._result.item = self._value(fields, value, "")
        return self._result

    def _value(self, fields: Field, value: Any, path: str) -> Any:
        if isinstance(value, list) and fields.items:
            items = fields.items
            return [self._value(items, one, f"{path}[{at}]") for at, one in enumerate(value)]
        if isinstance(value, dict) and fields.members:
            return self._object(fields, value, f"{path}." if path else "")
        if fields.refers_to and isinstance(value, int | str):
            return self._reference(fields.refers_to, value, path)
        return value

    def _object(self, fields: Field, document: dict[str, Any], path: str) -> dict[str, Any]:
        found = dict[str, Any]()
        for name, value in document.items():
            if name in fields.set_by_service:
                continue
            part = fields.members.get(name)
            if fields.owner and name == fields.own_id:
                stored = None if self._is_new else self.known.find(fields.owner, str(value))
                if stored:
                    found[name] = stored.id
            elif part is None or part.is_plain or value is None:
                found[name] = value
            else:
                found[name] = self._value(part, value, path + name)
        for name, one, value in shown_lists(fields, document):
            found[name] = self._value(one, value, path + name)
        if self._activates and found.get(DEACTIVATED) is True:
            found[DEACTIVATED], self._result.is_activated = False, True
        return found

    def _reference(self, target: str, value: int | str, path: str) -> Any:
        stored = self.known.find(target, str(value))
        if stored is None:
            if target.partition("/")[0] not in self.together:
                return value
            self._result.missing.append((path, target, str(value)))
            return None if self._leaves_out else value
        if stored.id is None:
            self._result.unmade.append(path)
            unknown = _NOBODY - len(self._result.unmade)
            return unknown if isinstance(value, int) else str(unknown)
        return stored.id


def shown_lists(fields: Field, document: dict[str, Any]) -> Iterator[tuple[str, Field, list[Any]]]:
    """Yield the lists that are sent as ids and that a document shows as objects."""
    for name, part in fields.members.items():
        if part.shown_as and name not in document:
            shown, member = part.shown_as
            objects = document.get(shown)
            if isinstance(objects, list):
                yield (
                    name,
                    part,
                    [one[member] for one in objects if isinstance(one, dict) and member in one],
                )
