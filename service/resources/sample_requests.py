"""Sample requests, and those of one style (contract, Sample requests)."""

from collections.abc import Mapping
from typing import ClassVar

import orjson

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.queries.bound_statements import BoundStatement, WritePlan
from service.queries.links import Links, link_statements
from service.queries.master_record import WriteSet
from service.queries.references import Reference
from service.queries.resource import Resource
from service.resources.hard_delete import HardDeleted

_FILE = "sample_requests"
_SIZES = Links("sample_request_size", owner="sample_request_id", linked="size_range_size_id")


class SampleRequests(HardDeleted):
    """Requests for samples of a style: without a state, deleted for good with what was measured.

    Requested values are frozen when a size is requested: as they are sent, or as the style's chart
    has them then.
    """

    name = "sample-requests"
    table = "sample_request"
    stored_state = "'active'"
    hides_deleted = False
    own_failures = (
        ErrorType.UNKNOWN_REFERENCE,
        ErrorType.READ_ONLY_FIELD,
        ErrorType.CONFLICT_IN_USE,
    )
    references = (
        # Held as the writers of its chart hold it: what is frozen is what one of them wrote.
        Reference("styleId", "style", "style", lock="for share"),
        # Whether they can be newly requested is for the check, which knows those that stay.
        Reference("sizeRangeSizeIds", "size_range_size", "size", "true", within="size_range"),
    )

    def load_statements(self) -> Mapping[str, Statement]:
        """The documents of all styles' requests."""
        loaded = super().load_statements()
        shapes = ("documents", "last_documents")
        return {**loaded, **{name: loaded[name].bind(of_style="") for name in shapes}}

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """Besides what it refers to: what stays as it was requested, and the sizes that come."""
        kept = change.upserts
        if not kept.items:
            return []
        plan = await super().check(connection, change)
        text, organization_id = self.statements["new_sizes"].text, kept.caller.organization_id
        added = await connection.fetch(text, organization_id, kept.json())
        if growing := sorted({row["id"] for row in added} - {*change.created_ids}):
            await connection.fetch(self.statements["hold_charts"].text, organization_id, growing)
        sizes = {item["id"]: item.get("sizeRangeSizeIds") or () for item in kept.items}
        plan += await link_statements(connection, kept, {_SIZES: sizes})
        if added:
            pairs = orjson.dumps([tuple(row) for row in added]).decode()
            plan.append(BoundStatement(self.statements["freeze"].text, (kept.json(), pairs)))
        return plan


class StyleSampleRequests(Resource):
    """The sample requests of one style."""

    name = "style-sample-requests"
    segment = SampleRequests.name
    parents: ClassVar[Mapping[str, str]] = {"styleId": "styles"}

    def load_statements(self) -> Mapping[str, Statement]:
        """The documents of the style's requests."""
        loaded = load(_FILE)
        of_style = loaded["of_style"].text
        return {
            "documents": loaded["documents"].bind(of_style=of_style),
            "unknown_parent": loaded["unknown_parent"],
        }
