"""Id translator: builds the request item of a line, with the service's ids for the file's ids.

It translates references and the own ids of nested objects. The caller handles the record's own id.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from service.transfer.fields import Field
from service.transfer.id_map import INACTIVE_ENTRY, IdMap

DEACTIVATED: Final = "isDeactivated"
"""Member of an entry of a part: deactivated entries stay for records that refer to them."""
_PLACEHOLDER_BOUND: Final = 2**63 - 1
"""Exclusive upper bound of placeholder ids, for references to records without an id (dry run).

Placeholders count down from it in each item. No record has such an id: the service reports unknown
references, which the sender leaves out.
"""


@dataclass(slots=True)
class Translated:
    """Result of a translation.

    The item can be sent if no reference is missing, or if missing ones are omitted. Paths are as in
    the item: ``sizes[0].relatedSizeRangeSizeId``.
    """

    item: Any
    missing: list[tuple[str, str, str]] = field(default_factory=list)
    """Path, target and file's id of each reference to a record or object that is not imported yet.

    The target is a collection, or a nested list such as ``size-ranges/sizes``.
    """
    placeholders: list[str] = field(default_factory=list)
    """Paths of references to what only a real import creates or activates (dry run)."""
    is_activated: bool = False
    """Whether an object is sent as active that the file has as deactivated."""


@dataclass(slots=True)
class Translator:
    """Translator of lines to request items, for all files of an import.

    Ids that the id map has are translated, also those of earlier runs. Of others, those of
    ``imported`` collections are missing, and all others are the service's own already. Key objects
    such as ``{"number": "S-1"}`` are sent as they are. One translation runs at a time.
    """

    id_map: IdMap
    imported: Collection[str]
    """Names of the collections that have a file in this import."""
    _is_new: bool = False
    _omits_missing: bool = False
    _activates: bool = False
    _result: Translated = field(default_factory=lambda: Translated(None))

    def translate(
        self,
        fields: Field,
        value: Any,
        *,
        is_new: bool = False,
        omits_missing: bool = False,
        activates: bool = False,
    ) -> Translated:
        """Translate a record or a part. ``value`` stays unchanged.

        Members that the service sets are left out; members that no schema has are kept for the
        service to refuse. Lists of objects in place of lists of ids become lists of ids. Own ids of
        nested objects are translated if the id map has them and the record is not new
        (``is_new``). Others are left out if they are ids of a file (``has_file_ids``), else kept.
        ``omits_missing`` sends null for references to records that are not imported yet; these are
        in ``missing`` in any case. ``activates`` sends deactivated objects as active.
        """
        self._is_new, self._omits_missing, self._activates = is_new, omits_missing, activates
        self._result = Translated(None)
        self._result.item = self._value(fields, value, "")
        return self._result

    def has_file_ids(self, target: str) -> bool:
        """Return whether ids of a collection, or of a nested list in it, are those of a file."""
        return target.partition("/")[0] in self.imported

    def _value(self, fields: Field, value: Any, path: str) -> Any:
        if isinstance(value, list) and fields.items:
            items = fields.items
            return [
                self._value(items, entry, f"{path}[{index}]") for index, entry in enumerate(value)
            ]
        if isinstance(value, dict) and fields.members:
            return self._object(fields, value, f"{path}." if path else "")
        if fields.refers_to and isinstance(value, int | str):
            return self._reference(fields.refers_to, value, path)
        return value

    def _object(self, fields: Field, document: dict[str, Any], path: str) -> dict[str, Any]:
        item = dict[str, Any]()
        for name, value in document.items():
            if name in fields.set_by_service:
                continue
            member = fields.members.get(name)
            if fields.owner and name == fields.own_id:
                mapped = None if self._is_new else self.id_map.find(fields.owner, str(value))
                if mapped:
                    item[name] = mapped.id
                elif not self.has_file_ids(fields.owner):
                    item[name] = value
            elif member is None or member.is_plain or value is None:
                item[name] = value
            else:
                item[name] = self._value(member, value, path + name)
        for name, member, ids in shown_lists(fields, document):
            item[name] = self._value(member, ids, path + name)
        if self._activates and item.get(DEACTIVATED) is True:
            item[DEACTIVATED], self._result.is_activated = False, True
        return item

    def _reference(self, target: str, value: int | str, path: str) -> Any:
        mapped = self.id_map.find(target, str(value))
        if mapped is None:
            if not self.has_file_ids(target):
                return value
            self._result.missing.append((path, target, str(value)))
            return None if self._omits_missing else value
        if mapped.id is None:
            self._result.placeholders.append(path)
            placeholder = _PLACEHOLDER_BOUND - len(self._result.placeholders)
            return placeholder if isinstance(value, int) else str(placeholder)
        if mapped.digest == INACTIVE_ENTRY:
            self._result.placeholders.append(path)  # A real import activates it first.
        return mapped.id


def shown_lists(fields: Field, document: dict[str, Any]) -> Iterator[tuple[str, Field, list[Any]]]:
    """Yield name, field and ids of each list of ids that the document lacks and has as objects.

    Objects without an id are left out.
    """
    for name, ids_field in fields.members.items():
        if ids_field.shown_as and name not in document:
            shown, member = ids_field.shown_as
            objects = document.get(shown)
            if isinstance(objects, list):
                entries = (entry for entry in objects if isinstance(entry, dict))
                yield name, ids_field, [entry[member] for entry in entries if member in entry]
