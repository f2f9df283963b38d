"""Check that brands, groups and style categories share: they can restrict custom fields."""

from tests.support.api import Api, replacing

FIELDS = "/api/style-custom-fields"


async def assert_removed_from_restrictions(api: Api, path: str, association: str) -> None:
    """Raise unless deleting a record takes it out of a field, and restoring it not back."""
    made = await api.post(path, {"name": "Brief"})
    entry = {"id": made.data["id"], "name": "Brief"}
    field = {"name": "Fit", "type": "text", association: [{"id": entry["id"]}]}
    created = await api.post(FIELDS, field)
    field_path, record_path = created.headers["Location"], made.headers["Location"]
    assert created.data[association] == [entry]
    assert (await api.delete(record_path)).data["state"] == "deleted"
    assert (await api.get(field_path)).data[association] == []
    refused = await api.post(FIELDS, field)
    unknown = ("validation_error.unknown_reference", f"{association}[0].id")
    assert refused.details == [unknown]
    assert (await api.patch(record_path, replacing("/state", "active"))).status == 200
    assert (await api.get(field_path)).data[association] == []
    assert (await api.post(FIELDS, field)).data[association] == [entry]
