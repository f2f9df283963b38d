"""From a line of a file to what is sent: the file's ids become the service's."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from service.transfer.fields import Field
from service.transfer.known import Known

_NOBODY: Final = 2**63 - 1
"""Ids from here downward stand for records that a rehearsal only would make."""


@dataclass(slots=True)
class Translated:
    """An item that can be sent, unless references are missing."""

    item: dict[str, Any]
    missing: list[tuple[str, str, str]] = field(default_factory=list)
    """Path, collection and file's id of each reference to what did not come yet."""
    unmade: list[str] = field(default_factory=list)
    """Paths of references to what a rehearsal would have made."""


class Translator:
    """Translates lines of one collection.

    An id of a collection that comes ``with`` the import is the file's; any other is taken as the
    service's own.
    """

    def __init__(self, known: Known, together: Collection[str]) -> None:
        self._known, self._together = known, together
        self._result = Translated({})

    def translate(self, fields: Field, document: dict[str, Any], *, is_new: bool) -> Translated:
        """The item of a document; ids of objects in a new record are left out."""
        self._result = Translated({})
        named = {name: value for name, value in document.items() if name != "id"}
        self._result.item = self._object(fields, named, "", is_new=is_new)
        return self._result

    def _object(
        self, fields: Field, document: dict[str, Any], path: str, *, is_new: bool
    ) -> dict[str, Any]:
        found = dict[str, Any]()
        for name, value in document.items():
            part = fields.members.get(name)
            if part is None:
                if name not in fields.set_by_service:
                    found[name] = value
            elif name == "id" and fields.owner:
                if not is_new and (stored := self._known.find(fields.owner, str(value))):
                    found[name] = stored.id
            elif part.is_plain or value is None:
                found[name] = value
            else:
                found[name] = self._value(part, value, f"{path}{name}", is_new=is_new)
        for name, one, value in _shown(fields, document):
            found[name] = self._value(one, value, f"{path}{name}", is_new=is_new)
        return found

    def _value(self, fields: Field, value: Any, path: str, *, is_new: bool) -> Any:
        if isinstance(value, list) and fields.items:
            items = fields.items
            return [
                self._value(items, one, f"{path}[{place}]", is_new=is_new)
                for place, one in enumerate(value)
            ]
        if isinstance(value, dict) and fields.members:
            return self._object(fields, value, f"{path}.", is_new=is_new)
        if fields.refers_to and isinstance(value, int | str):
            return self._reference(fields.refers_to, value, path)
        return value

    def _reference(self, target: str, value: int | str, path: str) -> Any:
        stored = self._known.find(target, str(value))
        if stored is None:
            if target.partition("/")[0] in self._together:
                self._result.missing.append((path, target, str(value)))
            return value
        if stored.id is None:
            self._result.unmade.append(path)
            unknown = _NOBODY - len(self._result.unmade)
            return unknown if isinstance(value, int) else str(unknown)
        return stored.id


def _shown(fields: Field, document: dict[str, Any]) -> Iterator[tuple[str, Field, list[Any]]]:
    """The lists that are sent as ids and that a document shows as objects."""
    for name, part in fields.members.items():
        if part.shown_as and name not in document:
            shown, member = part.shown_as
            objects = document.get(shown)
            if isinstance(objects, list):
                yield name, part, [one[member] for one in objects if member in one]
