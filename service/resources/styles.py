"""Styles (contract, Styles)."""

from service.database.connections import Connection
from service.error_types import ErrorType
from service.listing.related import Related
from service.queries.bound_statements import WritePlan
from service.queries.links import Links, link_statements
from service.queries.references import Reference
from service.queries.usage import ReferencedBy
from service.queries.write_set import WriteSet
from service.resources.plain_records import PlainRecord

_NUMBER = (
    "(select related.number from style related"
    " where related.organization_id = $1::bigint and related.id = record.related_style_id)"
)
"""SQL of the own key of a style relation, the related style's number."""
_GROUPS = Links("style_in_group", owner="style_id", linked="group_id", counted_by="groups")


class Styles(PlainRecord):
    """Styles: soft delete, refused while style relations or sample requests refer to them.

    Relations count in both directions. A deleted style keeps its measurement chart and its links to
    groups. Documents of groups count live styles; those of style relations show number and name.
    """

    name = "styles"
    table = "style"
    parts = ("measurement-charts",)
    shown = ("number", "name")
    written_separately = ("groupIds",)
    updates = ("tell_restored", "update")
    deletes = ("delete", "tell_deleted")
    references = (
        Reference("brandId", "brand", "brand"),
        Reference("styleCategoryId", "style_category", "style category"),
        Reference("groupIds", "style_group", "group"),
    )
    related = (
        Related("brand", "style", "id", {"id": "brand_id"}, {"customId": "custom_id"}, "brand"),
        Related(
            "styleCategory",
            "style",
            "id",
            {"id": "style_category_id"},
            {"userDefinedId": "user_defined_id"},
            "style_category",
        ),
        Related(
            "groups",
            "style_in_group",
            "style_id",
            {"id": "group_id"},
            {"userDefinedId": "user_defined_id"},
            "style_group",
        ),
    )
    uses = (
        *(
            ReferencedBy("style relations", "style_relation", column, is_live="true", key=_NUMBER)
            for column in ("style_id", "related_style_id")
        ),
        ReferencedBy(
            "sample requests", "sample_request", "style_id", is_live="true", key="record.name"
        ),
    )

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Return the writes of links to groups that differ.

        Report references to records that do not exist or are deleted, and restored styles whose
        charts have values of deleted size ranges.
        """
        plan = await super().check(connection, write_set)
        upserts = write_set.upserts
        if not upserts.items:
            return plan
        if write_set.restored_ids:
            await self._check_charts(connection, write_set)
        groups = {item["id"]: item.get("groupIds") or () for item in upserts.items}
        return plan + await link_statements(connection, upserts, {_GROUPS: groups})

    async def _check_charts(self, connection: Connection, write_set: WriteSet) -> None:
        """Report restored styles whose measurement charts have values of deleted size ranges.

        Lock the size ranges of these charts. The error is ``unknown_reference`` at ``state``.
        """
        organization_id, ids = write_set.batch.caller.organization_id, [*write_set.restored_ids]
        text = self.statements["hold_size_ranges"].text
        ranges = await connection.fetch(text, organization_id, ids)
        deleted = [row["id"] for row in ranges if row["state"] == "deleted"]
        if deleted:
            text = self.statements["charted_in"].text
            rows = await connection.fetch(text, organization_id, ids, deleted)
            message = "Its measurement chart has values of a deleted size range."
            messages = dict.fromkeys((row["id"] for row in rows), message)
            write_set.upserts.fail_records(messages, ErrorType.UNKNOWN_REFERENCE, "state")
