"""Preconditions: entity tags of stored records, compared under the records' locks.

A single write has the precondition of its headers. Items of bulk writes have that of their
``ifMatch`` (contract, Preconditions). A request without either causes no statement here.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Final

from service.batches.batch import Batch
from service.database.connections import Connection
from service.errors import ApiError
from service.records.resource import DocumentRequest, Resource
from service.records.writable_resource import WritableResource
from service.schemas.derived_forms import IF_MATCH
from service.writing.outcomes import Precondition, WriteOptions

_FORMS: Final = ("documents", "writables")


@dataclass(frozen=True, slots=True)
class _Representations:
    """Representations of the stored records of a batch.

    Each form is read once, when it is needed first, of all records together.
    """

    connection: Connection
    resource: WritableResource
    batch: Batch
    ids: list[int]
    _forms: dict[str, dict[int, bytes]] = field(default_factory=dict)

    async def of(self, record_id: int | None) -> AsyncIterator[bytes]:
        """Yield the document and the writable form of a record; nothing without a record."""
        if record_id is None:
            return
        for name in _FORMS:
            if name not in self._forms:
                request = DocumentRequest(self.ids, name, self.batch.parents)
                # Items of a part collection have the entity tags of the part.
                tagged: Resource = getattr(self.resource, "part", self.resource)
                self._forms[name] = await tagged.render(self.connection, self.batch.caller, request)
            yield self._forms[name][record_id]


async def check_preconditions(
    resource: WritableResource, batch: Batch, options: WriteOptions
) -> None:
    """Compare the preconditions of the items that have not failed with their locked records.

    Entries by own key mean live records alone. Raise ``precondition_failed`` for a single write;
    add it to the batch for items of a bulk write, at ``ifMatch``. Remove ``ifMatch`` from the items
    that have not failed.
    """
    batch = batch.subset()
    preconditions = dict(_preconditions(batch, options))
    if not preconditions:
        return
    stored_ids = {
        index: entry["id"]
        for index in preconditions
        if (entry := batch.items[index]).stored and (entry.is_by_id or not entry.was_deleted)
    }
    representations = _Representations(batch.connection, resource, batch, [*stored_ids.values()])
    for index, precondition in preconditions.items():
        try:
            await precondition(representations.of(stored_ids.get(index)))
        except ApiError as error:
            if options.precondition:
                raise
            for detail in error.details:
                batch.fail(index, detail.type, IF_MATCH, message=detail.value or "")


def _preconditions(batch: Batch, options: WriteOptions) -> Iterator[tuple[int, Precondition]]:
    """Yield the preconditions by the index of their item; remove them from the items."""
    for index, item in enumerate(batch.items):
        tag = item.pop(IF_MATCH, None)
        if options.precondition:
            yield index, options.precondition
        elif tag is not None:
            yield index, options.item_precondition(tag)
