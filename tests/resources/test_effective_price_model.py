"""Effective prices against a model (contract, Effective prices)."""

from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.price_model import FIRST, LAST, generated
from tests.support.priced_styles import priced_style
from tests.support.sampling import examples, settle_seed

pytestmark = pytest.mark.contract("Effective prices")

#: Of up to 400 states and days each; 10,000 in all.
PARTS = examples(1, 25)
STATES = examples(25, 40)
DAYS = 10


def read(row: dict[str, Any]) -> dict[str, Any]:
    """Return what the model has, with exact numbers."""
    exact = {name: row[name] for name in ("amount", "lowestAmount30Days")}
    return {
        **{name: None if value is None else Decimal(str(value)) for name, value in exact.items()},
        "validTo": row["validTo"],
        "tiers": [(t["minimumQuantity"], Decimal(str(t["amount"]))) for t in row["tiers"]],
    }


@pytest.mark.parametrize("part", range(PARTS))
async def test_effective_prices_are_those_of_the_model(part: int, api: Api) -> None:
    of, random = await priced_style(api), Random(f"{settle_seed()} {part}")
    colors, sizes, skus = of.colors[:2], of.sizes[:2], dict[int, tuple[int, int]]()
    for color in colors:
        for size in sizes:
            pair = {"styleColorId": color, "sizeRangeSizeId": size}
            skus[await of.made("style-skus", sku=f"{color}-{size}", **pair)] = (color, size)
    differences = []
    for state in range(STATES):
        model = generated(random, colors, sizes)
        period = [day and str(day) for day in (model.valid_from, model.valid_to)]
        price_list = {
            "name": "RRP",
            "userDefinedId": "RRP",
            "state": "active" if model.is_active else "inactive",
            **dict(zip(("validFrom", "validTo"), period, strict=True)),
        }
        path = f"/api/price-lists/{of.lists['RRP']}"
        assert (await api.put(path, price_list)).status == 200
        assert (await of.set("RRP", *model.prices)).status == 200
        for _ in range(DAYS):
            day = FIRST + timedelta(random.randrange(-40, (LAST - FIRST).days + 40))
            query = {
                "priceListId": str(of.lists["RRP"]),
                "date": str(day),
                "styleId": str(of.style),
            }
            answer = await api.get("/api/effective-prices", query)
            assert answer.status == 200, answer.raw
            rows = {row["styleSkuId"]: read(row) for row in answer.data}
            expected = {id_: model.effective(*pair, day) for id_, pair in skus.items()}
            if rows != {id_: each for id_, each in expected.items() if each}:
                differences.append((state, day, model, rows, expected))
    assert not differences, (len(differences), differences[0])
