"""Measured values: part of a sample request, by requested size (contract, Measured values)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import asyncpg
import orjson

from service import schemas
from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.batches.entry import Item
from service.database.statements import Statement, load, load_bound
from service.error_types import ErrorType
from service.errors import ErrorDetail, Path
from service.records.parts import RecordPart
from service.records.path_keys import KeyLookup
from service.records.scalar_columns import decimal_text
from service.resources import sample_requests
from service.schemas.extra_checks import duplicate_errors

_SIZE: Final = "sizeRangeSizeId"
_MEMBERS: Final = ("designerComment", "approved", "designerVisibleOnly")
_VALUES: Final[Sequence[str]] = schemas.load()["measurements"]["x-scoped-fields"]


class Measurements(RecordPart):
    """Measured values of one requested size of a sample request.

    The path names style, sample request and size. An item of the part collection has a sample
    request and a list ``sizes``, and replaces the sizes that it names. The unit, requested values,
    names and tolerances are read-only: unit and requested values are frozen, names and tolerances
    are the chart's current ones. Deactivated lines keep their measured values; documents show no id
    or tolerance of them.
    """

    name = "measurements"
    owner = sample_requests.SampleRequests
    parents: ClassVar[Mapping[str, str]] = {
        **sample_requests.StyleSampleRequests.parents,
        "sampleRequestId": sample_requests.SampleRequests.name,
    }
    key = _SIZE
    sizes_of = "size_ranges_of_style"
    key_lookups = {  # noqa: RUF012
        "styleId": sample_requests.STYLE_KEYS,
        "sampleRequestId": sample_requests.REQUEST_KEYS,
        _SIZE: KeyLookup("name", load("measurements")["size_by_name"].text),
    }
    is_patched = has_several_parts = True

    def images(self, ids: str) -> str:
        """Return the SQL of the forms of the requested sizes of sample requests."""
        loaded = self._own_statements()
        return loaded["images"].fill(
            ids=ids,
            writable_size=loaded["writable_size"].text,
            writable_lines=loaded["writable_lines"].text,
        )

    def _own_statements(self) -> Mapping[str, Statement]:
        return load_bound("measurements", line=load("measurements")["line"].text)

    def forms(self, owner_field: str = "") -> Mapping[str, Statement]:
        """Return the statements of documents and writables: of one size of a sample request.

        With any ``owner_field``, they are those of the part collection: all sizes of a sample
        request, whose id is ``sampleRequestId``. Writables have active lines only.
        """
        loaded = self._own_statements()
        documents = loaded["documents_by_owner" if owner_field else "documents"]
        beginning = "'{\"sizeRangeSizeId\":' || id || ',' || " if owner_field else "'{' || "
        shapes = {
            "documents": (loaded["lines"].text, loaded["size"].text, ""),
            "writables": (
                loaded["writable_lines"].text,
                beginning + loaded["writable_size"].text,
                " and not line.is_deactivated",
            ),
        }
        return {
            name: documents.bind(lines=lines, size=size, shown_lines=shown_lines)
            for name, (lines, size, shown_lines) in shapes.items()
        }

    def size_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for each repeated line id of a size."""
        lines = item.get("lines")
        if isinstance(lines, list):
            yield from duplicate_errors(enumerate(lines), "lineId", "lines")

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for each repeated size, and each repeated line id of a size.

        An item without ``sizes`` is a single size.
        """
        if "sizes" not in item:
            yield from self.size_errors(item)
            return
        sizes = item["sizes"] if isinstance(item["sizes"], list) else []
        yield from duplicate_errors(enumerate(sizes), _SIZE, "sizes")
        for index, size in enumerate(sizes):
            for detail in self.size_errors(size) if isinstance(size, dict) else ():
                yield replace(detail, path=("sizes", index, *detail.path))

    async def plan(self, batch: Batch) -> WritePlan:
        """Return the writes of the sizes that the items name, and of their active lines.

        Members and active lines that an item omits are cleared. Report sizes that are not
        requested, lines that the size does not have, and changes of deactivated lines
        (``unknown_reference``), and changes of values beyond the key's scope.
        """
        sizes = [*_measured_sizes(batch)]
        ids = [size.request_id for size in sizes], [size.size_id for size in sizes]
        stored = defaultdict[tuple[int, int], dict[int, asyncpg.Record]](dict)
        members = dict[tuple[int, int], asyncpg.Record]()
        for row in await self._fetch(batch, "measured_lines", *ids):
            members[row["request_id"], row["size_id"]] = row
            lines = stored[row["request_id"], row["size_id"]]
            if row["line_id"] is not None:
                lines[row["line_id"]] = row
        fields = batch.caller.scopes.field_scopes.get(self.name)
        if fields is not None:
            sizes = [
                _within_scope(batch, size, members[size.key], stored[size.key], fields)
                if size.key in members
                else size
                for size in sizes
            ]
        changed_lines = list[Item]()
        for size in sizes:
            if size.key in stored:
                changed_lines += _lines(batch, size, stored[size.key])
            else:
                message = "No samples are requested in this size."
                size.fail(batch, ErrorType.UNKNOWN_REFERENCE, _SIZE, message=message)
        return [
            self.bound("update", orjson.dumps([size.row for size in sizes]).decode()),
            self.bound("update_lines", orjson.dumps(changed_lines).decode()),
        ]


@dataclass(frozen=True, slots=True)
class _MeasuredSize:
    """Size of a sample request in a write: the item itself, or an entry of its ``sizes``."""

    index: int
    path: Path
    """Path of the entry in the item."""
    request_id: int
    size_id: int
    values: Item
    """Members of the size as sent, ``lines`` included."""

    @property
    def key(self) -> tuple[int, int]:
        """Ids of the sample request and of the size."""
        return self.request_id, self.size_id

    @property
    def row(self) -> Item:
        """Row of the size itself, without its lines; omitted members are null or false."""
        return {
            "requestId": self.request_id,
            "sizeId": self.size_id,
            "designerComment": self.values.get("designerComment"),
            "approved": self.values.get("approved") or False,
            "designerVisibleOnly": self.values.get("designerVisibleOnly") or False,
        }

    def fail(self, batch: Batch, type_: str, *path: str | int, message: str) -> None:
        """Add an error to the item, at ``path`` within the entry."""
        batch.fail(self.index, type_, *self.path, *path, message=message)


def _measured_sizes(batch: Batch) -> Iterator[_MeasuredSize]:
    """Yield the sizes of a batch: items are single sizes, or lists of sizes by owner."""
    for index, item in enumerate(batch.items):
        if batch.parents:
            yield _MeasuredSize(index, (), batch.parents[-1], item["id"], item)
        else:
            for size_index, size in enumerate(item["sizes"]):
                yield _MeasuredSize(index, ("sizes", size_index), item["id"], size[_SIZE], size)


def _within_scope(
    batch: Batch,
    size: _MeasuredSize,
    members: Mapping[str, Any],
    stored: Mapping[int, asyncpg.Record],
    fields: Collection[str],
) -> _MeasuredSize:
    """Return the size with its stored members and, beyond ``fields``, the stored values of lines.

    Report other ones that the item sends. What an edit removes is sent as null, but lists are as in
    a replace.
    """
    scope, values = _KeptValues.of(batch, size), {**size.values}
    for name in _MEMBERS:
        scope.keep(values, members, name, name)
    values["lines"] = lines = [{**line} for line in values.get("lines") or ()]
    by_id = {line["lineId"]: index for index, line in enumerate(lines)}
    for line_id, row in stored.items():
        index = by_id.get(line_id)
        line = {"lineId": line_id} if index is None else lines[index]
        if index is None and row["is_deactivated"]:
            continue
        for name in (name for name in _VALUES if name not in fields):
            scope.keep(line, row, name, "lines", *(() if index is None else (index, name)))
        if index is None:
            lines.append(line)
    return replace(size, values=values)


@dataclass(frozen=True, slots=True)
class _KeptValues:
    """Stored values of a size that replace those of a write beyond the key's scope."""

    batch: Batch
    size: _MeasuredSize
    is_edited: bool
    """Whether members that the item omits were removed by an edit."""
    has_edited_lines: bool

    @classmethod
    def of(cls, batch: Batch, size: _MeasuredSize) -> "_KeptValues":
        """Return those of a size in a batch."""
        patch = batch.items[size.index].patch
        is_edited = patch is not None and not isinstance(patch.get("sizes"), list)
        has_edited_lines = is_edited and not isinstance(patch and patch.get("lines"), list)
        return cls(batch, size, is_edited, has_edited_lines)

    def keep(
        self, sent: Item, stored_values: Mapping[str, Any], name: str, *path: str | int
    ) -> None:
        """Put a stored value in the place of the one that is sent; report another one."""
        is_value = name in _VALUES
        is_sent = name in sent or (self.has_edited_lines if is_value else self.is_edited)
        value, own = stored_values[name], sent.get(name)
        own = decimal_text(own, value) if is_value else own or None
        if is_sent and own != (value or None):
            scope = f"measurements:write[{name}]" if is_value else "measurements:write"
            message = f"This key lacks the scope {scope}."
            self.size.fail(self.batch, ErrorType.FORBIDDEN_SCOPE, *path, message=message)
        sent[name] = value


def _lines(
    batch: Batch, size: _MeasuredSize, stored: Mapping[int, asyncpg.Record]
) -> Iterable[Item]:
    """Return the rows of all active lines of a size; report other lines.

    ``stored`` has the lines by id. Rows of lines that the size omits have no values. Lines that are
    deactivated may be sent with the values that they have.
    """
    ids = {"requestId": size.request_id, "sizeId": size.size_id}
    lines = {
        line_id: Item(lineId=line_id, **ids)
        for line_id, row in stored.items()
        if not row["is_deactivated"]
    }
    for index, line in enumerate(size.values.get("lines") or ()):
        line_id = line["lineId"]
        row = stored.get(line_id, {})
        values = {name: decimal_text(line.get(name), row.get(name)) for name in _VALUES}
        if line_id in lines:
            lines[line_id] |= values
        elif not row or values != {name: row[name] for name in _VALUES}:
            path, message = ("lines", index, "lineId"), "There is no such active line."
            size.fail(batch, ErrorType.UNKNOWN_REFERENCE, *path, message=message)
    return lines.values()
