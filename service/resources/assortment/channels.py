"""Channels and price lists (contract, Channels, Price lists)."""

from service.batches.change_recorder import WritePlan
from service.batches.write_set import WriteSet
from service.error_types import ErrorType
from service.resources.plain_records import PlainRecord


class PriceLists(PlainRecord):
    """Price lists: soft delete, refused while live channels or prices of live styles have them.

    Only those of costs have a supplier.
    """

    name = "price-lists"
    _counted_in_use = ("style-prices",)

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Report suppliers of other lists than those of costs and target costs, too."""
        batch = write_set.upserts
        for index, item in enumerate(batch.items):
            if item.get("supplierId") is not None and item["type"] not in ("cost", "target"):
                message = "Only price lists of the types cost and target have a supplier."
                batch.fail(index, ErrorType.INVALID_VALUE, "supplierId", message=message)
        return await super().check(write_set)


class Channels(PlainRecord):
    """Places where styles are sold: soft delete, never refused."""

    name = "channels"
