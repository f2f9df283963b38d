"""Style custom fields (specification, Style custom fields (bulk); contract, section 6)."""

from typing import Any

from tests.support.api import Api

FIELDS = "/api/style-custom-fields"


async def new(api: Api, **fields: Any) -> dict[str, Any]:
    """A field of its own, as the answer shows it."""
    answer = await api.post(FIELDS, {"name": "Bluesign", "type": "allowedValue"} | fields)
    assert answer.status == 201, answer.json
    data: dict[str, Any] = answer.data
    return data


async def test_smoke(api: Api) -> None:
    field = await new(api, allowedValues=[{"value": "b"}, {"value": "a", "isDefaultValue": True}], associatedBrands=[{"id": 1}], associatedGroups=[{"id":1}], associatedStyleCategories=[{"id":2},{"id":1}])
    print(field)
    answer = await api.get(f"{FIELDS}/{field['id']}", {"form": "writable"})
    print(answer.json)
    answer = await api.put(f"{FIELDS}/{field['id']}", answer.data)
    assert answer.data == field
    for f in (await api.get(FIELDS, {"pageSize": 100})).data:
        w = await api.get(f"{FIELDS}/{f['id']}", {"form": "writable"})
        a = await api.put(f"{FIELDS}/{f['id']}", w.data)
        assert a.status == 200, a.json
        assert a.data == f
