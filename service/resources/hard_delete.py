"""Hard delete: base class of records whose rows a delete removes."""

from collections.abc import Mapping
from typing import ClassVar

from service.database.statements import Statement
from service.queries.master_record import MasterRecord


class HardDeleted(MasterRecord):
    """Record whose rows a delete removes. The response has its last document, read before.

    The ``documents`` statement has slots for those of the columns ``state`` and ``end_date`` that
    the document shows. A last document has ``deleted`` and the present time in them; it equals the
    stored document if there are no slots. The ``purge`` statement removes the rows by id. As a base
    class, it comes before the one that has the statements: ``PlainRecord`` or ``CareText``.
    """

    deletes: ClassVar[tuple[str, ...]] = ("purge",)
    _late_columns: ClassVar[tuple[str, ...]] = ("state", "end_date")

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements, with the slots ``state`` and ``end_date`` filled.

        ``documents`` gets the columns; ``last_documents`` gets ``deleted`` and ``now()``. It is
        made from ``documents`` unless the resource has a statement for it.
        """
        loaded = super()._load_statements()
        documents = loaded["documents"]
        return {
            **loaded,
            "documents": documents.bind(state="state", end_date="end_date"),
            "last_documents": loaded.get("last_documents", documents).bind(
                state="'deleted'::text", end_date="now()"
            ),
        }
