"""Checks that brands, color groups and style categories share: key, name and state."""

from tests.support.api import Api


async def has_key_name_and_state(api: Api, path: str, key: str) -> None:
    """Raise unless records have these fields; null and omitted clear the key."""
    made = await api.post(path, {"name": "Coast", key: "C-1"})
    assert made.data == {"id": made.data["id"], key: "C-1", "name": "Coast", "state": "active"}
    assert (await api.get(path, {key: "C-1"})).data == [made.data]
    replaced = await api.put(made.headers["Location"], {"name": "Coast", "state": "inactive"})
    assert replaced.data == {"id": made.data["id"], "name": "Coast", "state": "inactive"}
    deleted = await api.delete(made.headers["Location"])
    assert deleted.data["state"] == "deleted"
    assert (await api.get(path, {"id": made.data["id"]})).data == []
