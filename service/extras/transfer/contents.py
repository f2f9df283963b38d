"""Contents of records and parts, for comparing files with a service (tools, Files).

References are compared by the own keys of their records. Of a line only the fields that it has are
compared. Lists without an order of their own are sorted; what is empty, false or the default counts
as left out.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import orjson

from service.extras.tables.fields import Field
from service.extras.transfer.collections import TransferCollection
from service.extras.transfer.errors import TransferError
from service.extras.transfer.files import Line, Source
from service.extras.transfer.reference_keys import LineTranslation, ReferenceKeys, is_deleted
from service.extras.transfer.reference_names import ReferenceNames, is_keyed
from service.schemas.write_forms import FIXED, KEPT

_ORDERED: Final = {"size-ranges/sizes", "styles/measurement-chart"}
"""Lists whose order is content."""
_DEFAULTS: Final = {"minimumQuantity": 1}
_IMPLIED: Final = {"subSupplierId": "facilityId"}
"""Members that follow from another one, if an entry has that."""
_EMPTY: Final[Sequence[Any]] = (None, False, "", [], {})


@dataclass
class Differences:
    """Lines of a file, and the records or parts of the service whose content they do not have."""

    collection: TransferCollection
    lines: int = 0
    missing: list[str] = field(default_factory=list)
    """Own keys of lines that the service has no record or part for."""
    different: list[str] = field(default_factory=list)


@dataclass
class Contents:
    """Contents of the lines of files, compared with those of a service's export.

    ``keys`` are of the files. Ids of collections without a file, and those of languages, are the
    service's own: ``service_keys``.
    """

    keys: ReferenceKeys
    service_keys: ReferenceKeys
    names: ReferenceNames | None = None
    """Records that cells of the files name."""
    _digests: dict[tuple[str, bytes], tuple[tuple[str, ...], bytes]] = field(default_factory=dict)
    """Names of the fields of a line, and the digest of these, by collection and own key."""

    def compare(
        self, files: Sequence[Source], exported: Sequence[Source]
    ) -> dict[str, Differences]:
        """Return the differences of the collections of the files, by name."""
        results = dict[str, Differences]()
        for source in files:
            results[source.collection.name] = Differences(source.collection)
        for collection, item in self._items(files, (self.keys, self.service_keys)):
            results[collection.name].lines += 1
            names = tuple(name for name in item if _is_compared(collection, name, item[name]))
            key = _key(collection, item)
            if None not in key:
                content = names, _digest(collection, item, names)
                self._digests.setdefault((collection.name, _dumps(key)), content)
        for collection, item in self._items(exported, (self.service_keys,)):
            key = _key(collection, item)
            names, digest = self._digests.pop((collection.name, _dumps(key)), ((), None))
            if digest is not None and digest != _digest(collection, item, names):
                results[collection.name].different.append(shown(key))
        for (name, raw), (_, digest) in self._digests.items():
            if digest != _NOTHING:
                results[name].missing.append(shown(orjson.loads(raw)))
        members = {source.collection.name for source in files if source.owner}
        return {name: each for name, each in results.items() if each.lines or name not in members}

    def _items(
        self, sources: Iterable[Source], keys: Sequence[ReferenceKeys]
    ) -> Iterator[tuple[TransferCollection, dict[str, Any]]]:
        """Yield the lines that are compared as items, with own keys in place of ids."""
        for source in sources:
            for line in lines_of(source, keys[0], self.names):
                if line.document.get("state") != "deleted" or is_deleted(line.document):
                    document = {n: v for n, v in line.document.items() if n != "id"}
                    yield source.collection, self._item(source.collection, document, keys)

    def _item(
        self,
        collection: TransferCollection,
        document: dict[str, Any],
        keys: Sequence[ReferenceKeys],
    ) -> dict[str, Any]:
        for each in keys:
            item: dict[str, Any] = LineTranslation(each).item(collection.fields, document)
            document = item
        return document


def lines_of(
    source: Source, keys: ReferenceKeys, names: ReferenceNames | None = None
) -> Iterator[Line]:
    """Yield the lines of a source; members of owners get the owner, if that has an own key.

    Names in cells become the records that have them. Raise TransferError for columns of prices.
    """
    for line in source.lines():
        if names and names.resolve(source.collection, line):
            raise TransferError(f"{source.path}, line {line.number}: use references for names")
        if is_keyed(source.collection, line.document):
            message = "whole lists of prices are compared: leave out the price columns"
            raise TransferError(f"{source.path}, line {line.number}: {message}")
        if source.owner:
            owner = keys.key_of(source.owner.name, line.record)
            if owner is None:
                continue
            line.document[source.collection.id_field] = owner
        yield line


def _is_compared(collection: TransferCollection, name: str, value: Any) -> bool:
    """Return whether a field of a line says what the record has; null keeps some fields."""
    limits = collection.fields.members.get(name, Field()).limits
    return value is not None or not limits.keys() & {KEPT, FIXED}


def _key(collection: TransferCollection, item: dict[str, Any]) -> list[Any]:
    return [_plain(item.get(name)) for name in reversed(collection.key_fields)]


def shown(key: Any) -> str:
    """Return the texts of an own key, those of the record that it is within before it."""
    if isinstance(key, dict):
        key = [*key.values()][::-1]
    return " / ".join(map(shown, key)) if isinstance(key, list) else str(key)


def _digest(collection: TransferCollection, item: dict[str, Any], names: Collection[str]) -> bytes:
    """Return the digest of the named fields, without the own key."""
    members = collection.fields.members
    content = {
        name: _canonical(members.get(name, Field()), item.get(name))
        for name in sorted({*names} - {*collection.key_fields})
    }
    content = {name: value for name, value in content.items() if value not in _EMPTY}
    return hashlib.sha256(_dumps(content)).digest()[:16]


def _canonical(fields: Field, value: Any) -> Any:
    """Return a value in the one form that equal values have."""
    if isinstance(value, list):
        items = [_canonical(fields.items or Field(), each) for each in value]
        is_ordered = fields.items is not None and fields.items.owner in _ORDERED
        return items if is_ordered else sorted(items, key=_dumps)
    if isinstance(value, dict) and fields.members:
        content = {
            name: _canonical(fields.members.get(name, Field()), value[name]) for name in value
        }
        return {
            name: each
            for name, each in content.items()
            if each not in _EMPTY
            and each != _DEFAULTS.get(name)
            and not (name in _IMPLIED and content.get(_IMPLIED[name]))
        }
    return _number(value) if "number" in fields.types else _plain(value)


def _number(value: Any) -> Any:
    """Return a number as the shortest text that is equal, whether it was a text or not."""
    try:
        return None if value in (None, "") else str(Decimal(str(value)).normalize())
    except InvalidOperation:
        return value


def _plain(value: Any) -> Any:
    """Return a value with the members of key objects in one order; codes of languages are lower."""
    if not isinstance(value, dict):
        return value
    return {
        name: value[name].lower() if name == "code" else _plain(value[name])
        for name in sorted(value)
    }


def _dumps(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


_NOTHING: Final = hashlib.sha256(_dumps({})).digest()[:16]
"""Digest of a line that says no more than its own key: a part that is empty."""
