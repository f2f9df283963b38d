"""References of an import: ids in files become objects with own keys (contract, References)."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

from selvedge_client import Detail
from service.error_types import ErrorType
from service.extras.tables.fields import Field, shown_lists
from service.extras.transfer.collections import TransferCollection
from service.records.reference_targets import TARGETS

_DEACTIVATED: Final = "isDeactivated"
_VALUE_KEYS: Final = ("userDefinedId", "value")
"""Fields that name a value of a parent field; the first one that it has counts."""


def is_deleted(document: dict[str, Any]) -> bool:
    """Return whether a line is of a deleted record: exports write these with their id."""
    return document.get("state") == "deleted" and document.get("id") is not None


@dataclass
class ReferenceKeys:
    """Key objects of the records and entries in the files, by collection or list and id."""

    imported: Collection[str]
    """Collections that have a file. Ids of others, such as languages, are the service's own."""
    deleted: set[tuple[str, str]] = field(default_factory=set)
    """Collections and ids of lines of deleted records."""
    _keys: dict[tuple[str, str], Any] = field(default_factory=dict)

    def add(self, collection: TransferCollection, document: dict[str, Any]) -> None:
        """Add a line: its record, unless it is a part, and the entries of its lists.

        The lines to which the own key refers have been added before.
        """
        if not collection.owner:
            self._add(collection.name, document.get("id"), document)
            if is_deleted(document):
                self.deleted.add((collection.name, str(document["id"])))
        owner = {collection.id_field: document.get(collection.id_field)}
        for name, member in collection.fields.members.items():
            entries, items = document.get(name), member.items
            if items and items.owner and isinstance(entries, list):
                for entry in entries:
                    if isinstance(entry, dict):
                        self._add(items.owner, entry.get(items.own_id), owner | entry)

    def add_shared(self, target: str, record_id: Any, key: dict[str, Any]) -> None:
        """Add a record of a reference list, such as a language, by its id."""
        self._keys[target, str(record_id)] = key

    def _add(self, target: str, file_id: Any, document: dict[str, Any]) -> None:
        if file_id is not None and (key := self.key_of(target, document)):
            self._keys.setdefault((target, str(file_id)), key)

    def key_of(self, target: str, document: dict[str, Any]) -> dict[str, Any] | None:
        """Return the key object of a record or entry; None if it has no own key."""
        reference = TARGETS.get(target)
        names = (reference.key,) if reference else _VALUE_KEYS
        key = next(({name: document[name]} for name in names if document.get(name)), None)
        if not key or not reference:
            return key
        # Of an own key that is a reference, and of the parent, the files have ids, too.
        members = {reference.key: reference.key_of, reference.within: reference.parent}
        for name, collection in members.items():
            if collection:
                key[name] = self.find(collection, document.get(name))
        return key if all(key.values()) else None

    def find(self, target: str, value: Any) -> Any:
        """Return the key object of a file's id, or the value itself if it is none; else None."""
        if not isinstance(value, int | str) or target.partition("/")[0] not in self.imported:
            return value
        return self._keys.get((target, str(value)))


@dataclass(slots=True)
class LineTranslation:
    """LineTranslation of a line or part to an item, with key objects in place of the files' ids.

    Members that the service sets and own ids of entries are left out; members that no schema has
    are kept for the service to refuse. Lists of objects in place of lists of ids become lists of
    ids.
    """

    keys: ReferenceKeys
    sends_active: bool = False
    """Whether deactivated entries are sent as active."""
    missing: list[Detail] = field(default_factory=list)
    """Errors of references to lines that are not there, or have no own key."""
    keyed: list[str] = field(default_factory=list)
    """Paths of the references that became key objects."""
    has_deactivated: bool = False
    """Whether some entry is deactivated."""
    has_deleted: bool = False
    """Whether some reference is to the line of a deleted record."""

    def item(self, fields: Field, value: Any, path: str = "") -> Any:
        """Return the item of a value, which stays unchanged."""
        if isinstance(value, list) and (items := fields.items):
            return [self.item(items, each, f"{path}[{i}]") for i, each in enumerate(value)]
        if isinstance(value, dict) and fields.members:
            return self._object(fields, value, f"{path}." if path else "")
        if not fields.refers_to or value is None:
            return value
        key = self.keys.find(fields.refers_to, value)
        self.has_deleted |= (fields.refers_to, str(value)) in self.keys.deleted
        if key is None:
            message = f"No line of {fields.refers_to} has the id {value} and an own key."
            self.missing.append(Detail(ErrorType.UNKNOWN_REFERENCE, path, message))
        elif key is not value:
            self.keyed.append(path)
        return key

    def _object(self, fields: Field, document: dict[str, Any], path: str) -> dict[str, Any]:
        item, is_own = dict[str, Any](), fields.owner.partition("/")[0] in self.keys.imported
        left_out = fields.set_by_service | ({fields.own_id} if is_own else set())
        for name, value in (document | shown_lists(fields, document)).items():
            if name not in left_out:
                sent = self.item(fields.members.get(name, Field()), value, path + name)
                # An entry that is a reference has its own key beside its id.
                item |= sent if name == "id" and isinstance(sent, dict) else {name: sent}
        if item.get(_DEACTIVATED) is True:
            self.has_deactivated, item[_DEACTIVATED] = True, not self.sends_active
        return item
