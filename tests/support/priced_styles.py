"""A style with colors, sizes and price lists, whose prices tests write."""

from typing import Any

from tests.support.api import Answer, Api
from tests.support.valued_styles import Valued


class Priced(Valued):
    """A style in the first two of four colors and of four sizes, and price lists by name."""

    lists: dict[str, int]

    def path_in(self, name: str) -> str:
        return f"/api/styles/{self.style}/prices/{self.lists[name]}"

    async def set(self, name: str, *prices: dict[str, Any]) -> Answer:
        return await self.api.put(self.path_in(name), {"prices": [*prices]})

    async def stored(self, name: str) -> Any:
        return (await self.api.get(self.path_in(name))).data["prices"]


async def priced_style(api: Api) -> Priced:
    """Create the styles, and price lists."""
    of = Priced(api)
    await of.create()
    of.lists = {
        name: await of.made(
            "price-lists", name=name, userDefinedId=name, type=type_, currencyCode=currency
        )
        for name, type_, currency in (
            ("RRP", "retail", "EUR"),
            ("JP", "wholesale", "JPY"),
            ("COST", "cost", "JPY"),
        )
    }
    return of


def price(amount: Any, first: str | None = None, last: str | None = None, **rest: Any) -> Any:
    """Return a price as documents have it."""
    empty = dict.fromkeys(("styleColorId", "sizeRangeSizeId", "compareAtAmount"))
    days = {"validFrom": first, "validTo": last}
    return empty | {"minimumQuantity": 1, "amount": amount} | days | rest
