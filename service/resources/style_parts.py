"""Parts of styles that are lists: who makes them where, and whom to contact about them."""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from service.batches.batch import Batch
from service.batches.entry import Item
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.listing.properties import stored_id
from service.records.child_list import ChildList
from service.records.matched_children import MatchedChildren
from service.records.parts import RecordPart
from service.resources.styles import Styles

_SUB_SUPPLIER: Final = "subSupplierId"
_FACILITY: Final = "facilityId"
_PLACES: Final = ("supplierId", _SUB_SUPPLIER, _FACILITY, "countryCode")


class StyleContacts(RecordPart):
    """Whom to contact about a style; a write replaces the contacts as a whole."""

    name = "style-contacts"
    owner = Styles
    below = "/contacts"
    list_name = "contacts"
    children = ChildList(noun="contact")


class _Steps(ChildList):
    def entry_errors(self, entry: Item, *path: str | int) -> Iterator[ErrorDetail]:
        """Yield the errors of steps without a place, and of names that their process needs not."""
        name, is_other = (*path, "processName"), entry["process"] == "other"
        if is_other and entry.get("processName") is None:
            yield ErrorDetail(ErrorType.REQUIRED_FIELD, name, "Name the process.")
        if type(entry["process"]) is str and not is_other and entry.get("processName") is not None:
            message = "Leave it out, or use the process `other`."
            yield ErrorDetail(ErrorType.INVALID_VALUE, name, message)
        if all(entry.get(member) is None for member in _PLACES):
            message = f"Use one of {', '.join(_PLACES)}."
            yield ErrorDetail(ErrorType.REQUIRED_FIELD, (*path, "countryCode"), message)


class StyleSupplierFacilities(RecordPart):
    """Steps in which a style is made; a write replaces them as a whole.

    A facility without a sub-supplier brings its own. Stored steps keep facilities that have moved
    to another sub-supplier since.
    """

    name = "style-supplier-facilities"
    owner = Styles
    below = "/supplier-facilities"
    list_name = "steps"
    children: ClassVar[ChildList] = _Steps(noun="step", computed=("effectiveCountryCode",))

    async def _match(self, batch: Batch) -> list[MatchedChildren]:
        """Match the steps; report new ones whose facility is of another sub-supplier."""
        steps = [step for item in batch.items for step in item[self.list_name]]
        ids = sorted({step[_FACILITY] for step in steps if step.get(_FACILITY)})
        rows = await self._fetch(batch, "sub_suppliers", ids) if ids else ()
        owners = {row["id"]: row["sub_supplier_id"] for row in rows}
        for item in batch.items:
            item[self.list_name] = [*item[self.list_name]]
            for index, step in enumerate(item[self.list_name]):
                owner = owners.get(step.get(_FACILITY))
                if owner is not None and step.get(_SUB_SUPPLIER) is None:
                    item[self.list_name][index] = step | {_SUB_SUPPLIER: str(owner)}
                    # A deleted sub-supplier is reported at the facility, which was sent.
                    batch.errors.close(item.index, (self.list_name, index, _SUB_SUPPLIER))
        lists = await super()._match(batch)
        message = "The facility is one of another sub-supplier."
        for children, index, step in self._changed(lists):
            owner = owners.get(step.get(_FACILITY))
            if owner is not None and stored_id(step[_SUB_SUPPLIER]) != owner:
                children.fail(batch, ErrorType.INVALID_VALUE, index, _FACILITY, message=message)
        return lists

    def _changed(self, lists: list[MatchedChildren]) -> Iterator[tuple[MatchedChildren, int, Any]]:
        """Yield the steps, with their indexes, whose sub-supplier or facility is not the stored."""
        first = self.children.members.index(_SUB_SUPPLIER)
        for children in lists:
            for child_id, step in children.all.items():
                row, stored = self.children.row(step), children.stored.all.get(child_id, ())
                if row[first : first + 2] != stored[first : first + 2]:
                    yield children, children.request_indexes[child_id], step
