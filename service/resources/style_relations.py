"""Style relations (contract, Style relations)."""

from collections.abc import Iterator

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.queries.batch import Batch, Item
from service.queries.bound_statements import WritePlan
from service.queries.master_record import WriteSet
from service.queries.references import Reference
from service.resources.hard_delete import HardDeleted
from service.resources.plain_records import PlainRecord


class StyleRelations(HardDeleted, PlainRecord):
    """Links from a style to a related one: a pair once, without a state, deleted for good.

    Writers of one style's links go one at a time: they lock the style that owns them. No index
    says that a pair is unique, for two of a request can change places.
    """

    name = "style-relations"
    table = "style_relation"
    stored_state = "'active'"
    hides_deleted = False
    own_failures = (ErrorType.UNKNOWN_REFERENCE, ErrorType.CONFLICT_DUPLICATE)
    references = (
        Reference("styleId", "style", "style", lock="for no key update"),
        Reference("relatedStyleId", "style", "style"),
    )

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """No style is related to itself."""
        if isinstance(item.get("styleId"), int) and item["styleId"] == item.get("relatedStyleId"):
            message = "Relate the style to another one."
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("relatedStyleId",), message)

    async def check(self, connection: Connection, change: WriteSet) -> WritePlan:
        """Besides unknown styles: pairs that are there already, once the request is done."""
        plan = await super().check(connection, change)
        if change.upserts.items:
            _refuse_repeated(change.upserts)
            text = self.statements["check_pairs"].text
            organization_id = change.upserts.caller.organization_id
            change.upserts.fail_all(
                await connection.fetch(text, organization_id, change.upserts.json())
            )
        return plan


def _refuse_repeated(batch: Batch) -> None:
    """Report the pairs that items before them have."""
    seen = set()
    for number, item in enumerate(batch.items):
        pair = (item["styleId"], item["relatedStyleId"])
        if pair in seen:
            message = "Another one of this request has this pair."
            batch.fail(number, ErrorType.DUPLICATE, "relatedStyleId", message=message)
        seen.add(pair)
