"""Transaction over collections (contract, Transactions over collections)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from service.batches.entry import EntryOperation
from service.database.statements import Statement
from service.error_types import ErrorType
from service.errors import ErrorDetail, with_nearest
from service.organizations.scopes import ANY
from service.records.master_record import MasterRecord
from service.records.resource import Resource
from service.records.writable_resource import WritableResource
from service.schemas.validation import Validator
from service.writing.reference_order import reference_order

_OF_PARTS = (EntryOperation.UPSERT, EntryOperation.MERGE, EntryOperation.IMPORT)


class Transactions(Resource):
    """Transaction: writes of any of ``collections``, which are in the order of their references."""

    name = "transaction"
    _scope_name = ANY
    is_in_feed = False

    def __init__(self, resources: Iterable[WritableResource]) -> None:
        super().__init__()
        self.collections = {each.collection: each for each in reference_order(resources)}
        self.validator = Validator(self.name, "entries", self._entry_errors)

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return no statements: the collections have them."""
        return {}

    def _entry_errors(self, entry: dict[str, Any]) -> Iterator[ErrorDetail]:
        """Yield ``invalid_value`` for unknown collections, and operations that parts lack."""
        name, operation = entry.get("collection"), entry.get("operation", EntryOperation.UPSERT)
        if not isinstance(name, str):
            return
        resource = self.collections.get(name)
        if resource is None:
            message = with_nearest("There is no such collection.", name, self.collections)
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("collection",), message)
        elif not isinstance(resource, MasterRecord) and operation not in _OF_PARTS:
            message = f"Use {', '.join(_OF_PARTS)}: it is a collection of parts."
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("operation",), message)
