"""Part collections: the same part of all owners, a record for each (contract, Part collections).

A record has the id of its owner and no path of its own. A list shows the parts of live owners that
are not empty. Bulk writes name the owners, which must exist. The part itself (``RecordPart``)
checks and writes, for any number of owners.
"""

from collections.abc import Iterable, Mapping

from service import schemas
from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.batches.entry import Item
from service.batches.write_set import WriteSet
from service.database.statements import Statement
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.limits import MAX_BODY_BYTES
from service.listing.page_sql import column_of
from service.listing.related import Related
from service.organizations.scopes import WRITE
from service.records.parts import RecordPart
from service.records.writable_resource import WritableResource
from service.schemas.extra_checks import duplicate_errors
from service.writing.keyed_references import KeyedReferences


class PartCollection(WritableResource):
    """Collection of a part: ``schemas/<name of the part>-by-owner.json``.

    ``name`` is that of the schema file, ``collection`` and ``segment`` are the part's name, and
    ``key`` is the member of items with the owner's id, such as ``styleId``.
    """

    is_patched = False
    keeps_omitted = True
    _max_bytes = MAX_BODY_BYTES

    def __init__(self, part: RecordPart) -> None:
        self.part = part
        self.collection = self.segment = part.name
        name = f"{part.name}-by-owner"
        self.part_path = f"{part.owner.name}{part.below}" if part.below else ""
        """Path of the part, as ``x-refers-to`` names its entries; "" if nothing refers to them."""
        self.key, self.table = schemas.item_id(name), part.table
        own_keys = {key: column_of(key) for key in schemas.key_fields(part.owner.name)[:1]}
        owner = Related(self.key.removesuffix("Id"), self.table or "", "id", {"id": "id"}, own_keys)
        # Other resources have a class each; the collections of parts share theirs.
        self.related = (owner, *part.related)  # type: ignore[misc]
        super().__init__(name)
        self.stored_state, self.scope_field = part.stored_state, part.scope_field
        self.sizes_of = part.sizes_of  # type: ignore[misc]
        self.locks_organization = part.locks_organization
        self.foreign_is_forbidden = part.foreign_is_forbidden
        self.key_columns = part.key_columns
        for within in schemas.key_fields(part.owner.name)[1:]:
            self.key_columns = (part.key_columns[0], column_of(within))
        filled = part.statements["filled"].text
        self.listed = " and ".join(filter(None, (part.owner.listed, filled)))
        self.validators["replace"] = self._validator("item")

    @property
    def feed_name(self) -> str:
        """Name of the part: writes of both change the same records."""
        return self.part.name

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the part's statements of documents and writables, which include the owner's id."""
        return self.part.forms(self.key)

    def item_errors(self, item: Item) -> Iterable[ErrorDetail]:
        """Return the errors of a single item beyond its schema."""
        return self.part.item_errors(item)

    async def identify(self, batch: Batch, *, skip_failed: bool) -> None:
        """Set the owner's id on items that name their owner by its own key.

        Items that name it by id have it already. Add ``not_found`` or ``conflict.ambiguous_key`` to
        the batch, and ``duplicate`` for owners that turn out to be the same; with ``skip_failed``
        all of them fail, else all but the first. Items that fail get no id here.
        """
        if batch.caller.scopes.suppliers(self.scope(WRITE)):
            # A key would tell whether another supplier's record has it.
            for index, item in enumerate(batch.items):
                if isinstance(item[self.key], dict):
                    batch.fail(index, ErrorType.NOT_FOUND, self.key, message="Use an id.")
            batch = batch.subset()
        owners = KeyedReferences.of(self, batch, (self.key,))
        if not owners:
            return
        owners.missing_type = ErrorType.NOT_FOUND
        await owners.replace_keys(batch)
        entries = [*enumerate(batch.items)]
        for detail in duplicate_errors(entries, self.key, all_of_them=skip_failed):
            batch.fail(int(detail.path[0]), detail.type, self.key, message=detail.message or "")
        for item in batch.subset().items:
            item["id"] = item[self.key]

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the part's plan for the items; add the errors that the database reveals."""
        return await self.part.check(write_set)
