"""Style relations (contract, Style relations)."""

from collections.abc import Iterator

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.listing.related import Related
from service.listing.search_columns import SearchColumns
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.references import Reference
from service.queries.write_set import WriteSet
from service.resources.hard_delete import HardDeleted
from service.resources.plain_records import PlainRecord


class StyleRelations(HardDeleted, PlainRecord):
    """Links from a style to a related style, without a state: each pair once; hard delete.

    The own key is the related style's id, within the style. The reverse pair is another link.

    Two items of a request can swap their pairs, which a unique index would refuse. Therefore
    writers lock the style that owns the link, so that the check for duplicate pairs is exclusive.
    """

    name = "style-relations"
    table = "style_relation"
    stored_state = "'active'"
    listed = ""
    references = (
        Reference("styleId", "style", "style", lock="for no key update"),
        Reference("relatedStyleId", "style", "style"),
    )
    related = tuple(
        Related(name, "style_relation", "id", {"id": column}, {"number": "number"}, "style")
        for name, column in (("style", "style_id"), ("relatedStyle", "related_style_id"))
    )

    search = SearchColumns(
        *("name", ("number",), ("style", "related_style_id")),
        shown=("related_style_name", "related_style_number"),
    )

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``invalid_value`` if the item relates a style to itself, by equal ids."""
        if isinstance(item.get("styleId"), int) and item["styleId"] == item.get("relatedStyleId"):
            message = "Use the id of another style than styleId."
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("relatedStyleId",), message)

    async def check(self, connection: Connection, write_set: WriteSet) -> WritePlan:
        """Lock the styles; report unknown ones, and duplicate pairs after the request.

        The pair of an earlier item is ``duplicate``, that of a stored link outside the request
        ``conflict.duplicate``.
        """
        plan = await super().check(connection, write_set)
        if write_set.upserts.items:
            _report_duplicates(write_set.upserts)
            text = self.statements["check_pairs"].text
            organization_id = write_set.upserts.caller.organization_id
            write_set.upserts.fail_all(
                await connection.fetch(text, organization_id, write_set.upserts.json())
            )
        return plan


def _report_duplicates(batch: Batch) -> None:
    """Report items whose pair an earlier item has."""
    seen = set()
    for index, item in enumerate(batch.items):
        pair = (item["styleId"], item["relatedStyleId"])
        if pair in seen:
            message = "Another item of this request has this pair of styles."
            batch.fail(index, ErrorType.DUPLICATE, "relatedStyleId", message=message)
        seen.add(pair)
