"""A style whose completeness is read, with one requirement of a channel after the other."""

from typing import Any

from tests.support.api import Api, replacing


async def made(api: Api, path: str, **fields: Any) -> int:
    """Return the id of a new record."""
    answer = await api.post(f"/api/{path}", fields)
    assert answer.status == 201, answer.raw
    return int(answer.data["id"])


class Judged:
    """A new style, and a channel with one requirement after the other."""

    def __init__(self, api: Api, style: int, channel: int) -> None:
        self.api, self.style, self.channel = api, style, channel
        self.path = f"/api/styles/{style}"

    @classmethod
    async def create(cls, api: Api, **fields: Any) -> "Judged":
        channel = await made(api, "channels", name="Shop", **fields)
        return cls(api, await made(api, "styles", number="CO-1", name="Jacket"), channel)

    async def set(self, **fields: Any) -> None:
        """Change fields of the style."""
        changes = [replacing(f"/{name}", fields[name])[0] for name in fields]
        answer = await self.api.patch(self.path, changes)
        assert answer.status == 200, answer.raw

    async def require(self, *requirements: str) -> None:
        answer = await self.api.patch(
            f"/api/channels/{self.channel}", replacing("/requirements", [*requirements])
        )
        assert answer.status == 200, answer.raw

    async def missing(self, *requirements: str) -> list[dict[str, Any]]:
        """Return what is missing of these requirements."""
        await self.require(*requirements)
        answer = await self.api.get(f"{self.path}/completeness", {"channelId": str(self.channel)})
        assert answer.status == 200, answer.raw
        document = answer.data
        rows = list(document["missing"])
        ids = {"styleId": self.style, "channelId": self.channel}
        assert document == {**ids, "isComplete": not rows, "missing": rows}
        return rows

    async def lacks(self, requirement: str, **ids: int | None) -> bool:
        """Return whether exactly this is missing, with these ids; False if nothing is."""
        rows = await self.missing(requirement)
        names = ("styleColorId", "sizeRangeSizeId", "languageId", "priceListId")
        assert [{name: row[name] for name in names} for row in rows] in (
            [],
            [dict.fromkeys(names) | ids],
        )
        assert {row["requirement"] for row in rows} <= {requirement}
        return bool(rows)
