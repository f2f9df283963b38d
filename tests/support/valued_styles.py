"""A style with colors, sizes and custom fields, whose values tests write."""

from dataclasses import dataclass, field
from typing import Any

from tests.support.api import Api


@dataclass
class Valued:
    """A style with two colors and sizes, and custom fields by name."""

    api: Api
    style: int = 0
    colors: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return f"/api/styles/{self.style}/custom-field-values"

    async def create(self) -> None:
        """Create two styles in two colors each, the first one with sizes."""
        ranges = [await self.made("size-ranges", name=name) for name in ("Own", "Other")]
        for range_id in ranges:
            sizes = [{"name": "S"}, {"name": "M"}]
            answer = await self.api.put(f"/api/size-ranges/{range_id}/sizes", sizes)
            self.sizes += [size["id"] for size in answer.data]
        self.style = await self.made("styles", number="T-1", name="Vest", sizeRangeId=ranges[0])
        for style in (self.style, await self.made("styles", number="T-2", name="Other")):
            for name in ("Navy", "Red"):
                color = await self.made("colors", name=name, userDefinedId=f"{name} {style}")
                self.colors.append(await self.made("style-colors", styleId=style, colorId=color))

    async def made(self, collection: str, **fields: Any) -> Any:
        answer = await self.api.post(f"/api/{collection}", fields)
        assert answer.status == 201, answer.raw
        return answer.data["id"]

    async def field(self, name: str, type_: str, *values: str, **fields: Any) -> int:
        """Create a field; values are texts, after ``>`` that of the parent's value."""
        answer = await self.api.post(
            "/api/style-custom-fields",
            {
                "name": name,
                "userDefinedId": name,
                "type": type_,
                "allowedValues": [
                    {"value": value, "parentAllowedValueId": {"value": parent} if parent else None}
                    for value, _, parent in (text.partition(">") for text in values)
                ],
                **fields,
            },
        )
        assert answer.status == 201, answer.raw
        self.fields[name] = answer.data
        return int(answer.data["id"])

    def value(self, name: str, text: str) -> int:
        [id_] = [v["id"] for v in self.fields[name]["allowedValues"] if v["value"] == text]
        return int(id_)

    async def put(self, *entries: dict[str, Any]) -> Any:
        """Replace the values; ``field`` in an entry stands for its custom field by name."""
        sent = [
            {"customFieldId": self.fields[e.pop("field")]["id"], **e} for e in map(dict, entries)
        ]
        return await self.api.put(self.path, sent)


async def valued_style(api: Api) -> Valued:
    """Create the styles, and custom fields."""
    of = Valued(api)
    await of.create()
    await of.field("T", "text", maxChar=5)
    await of.field("N", "numeric", allowedDecimals=1)
    await of.field("A", "allowedValue", "Knit", "Woven")
    await of.field("AC", "allowedValue", "Dull", "Shiny", diffPerColor=True)
    await of.field("TS", "text", diffPerColor=True, diffPerSize=True)
    parent = of.fields["A"]["id"]
    await of.field(
        "X", "nestedAllowedValue", "Rib>Knit", "Twill>Woven", "Any", parentCustomFieldId=parent
    )
    return of
