"""Random edits of stored records and parts, by every kind of write: some are invalid."""

from random import Random
from typing import Any, Final

import orjson

from service.records.master_record import MasterRecord
from service.records.parts import RecordPart
from service.resources import registry
from tests.support.api import MERGE_PATCH, Answer, Api
from tests.support.versions import KEPT, Forms, Key

_TEXTS: Final = ("name", "comment", "description", "address", "text", "altText", "colorName")
_NUMBERS: Final = ("amount", "quantity", "value", "percentage", "companyMeasurement", "tolerance")
_STATES: Final = ("active", "inactive", "deleted")
_OWNER_KEYS: Final = {each.part.name: each.key for each in registry.PART_COLLECTIONS}
_SEVERAL: Final = {
    "style-prices": ("priceLists", "priceListId"),
    "measurements": ("sizes", "sizeRangeSizeId"),
}
"""List and id of the parts that an owner has several of, by collection."""
SKIP: Final = {"onError": "skip"}


class Editor:
    """Editor of the records of an organization, given the forms that are stored now."""

    def __init__(self, api: Api, random: Random) -> None:
        self._api, self._random = api, random

    async def edit(self, forms: Forms) -> Answer:
        """Send one random write of records or parts of the forms."""
        kinds = sorted({key[0] for key in forms})
        name = self._random.choice(kinds)
        keys = sorted(key for key in forms if key[0] == name)
        chosen = self._random.sample(keys, min(len(keys), self._random.randint(1, 3)))
        if isinstance(KEPT[name], RecordPart):
            return await self._edit_part(forms, chosen[0])
        return await self._edit_records(forms, name, chosen)

    async def _edit_records(self, forms: Forms, name: str, keys: list[Key]) -> Answer:
        kind, path = self._random.randrange(6), f"/api/{name}"
        resource = KEPT[name]
        assert isinstance(resource, MasterRecord)
        ids = [str(key[1]) if resource.string_ids else key[1] for key in keys]
        if kind == 0 and self._random.random() < 0.5:
            return await self._api.delete(path, {"ids": ",".join(map(str, ids)), **SKIP})
        if kind <= 2 and resource.stored_state == "state":
            state = self._random.choice(_STATES)
            items = [{"id": id_, "state": state} for id_ in ids]
            return await self._api.patch(path, items, params=SKIP, content_type=MERGE_PATCH)
        changed = [self._changed(orjson.loads(forms[key]), forms) for key in keys]
        if kind == 3:
            return await self._api.put(f"{path}/{ids[0]}", changed[0])
        if kind == 4:
            patch = [{"op": "replace", "path": "", "value": changed[0]}]
            return await self._api.patch(f"{path}/{ids[0]}", patch)
        items = [{"id": id_} | form for id_, form in zip(ids, changed, strict=True)]
        return await self._api.put(path, items, params=SKIP)

    async def _edit_part(self, forms: Forms, key: Key) -> Answer:
        name, owner_id, part_id = key
        form, part = self._changed(orjson.loads(forms[key]), forms), KEPT[name]
        assert isinstance(part, RecordPart)
        owner = str(owner_id) if part.owner.string_ids else owner_id
        item: dict[str, Any] = {_OWNER_KEYS[name]: owner}
        if name in _SEVERAL:
            members, member = _SEVERAL[name]
            if name == "style-prices" and self._random.random() < 0.5:
                return await self._api.put(f"/api/styles/{owner_id}/prices/{part_id}", form)
            if self._random.random() < 0.5:
                [other] = self._random.sample(sorted(k for k in forms if k[0] == name), 1)
                part_id = other[2]
            item[members] = [{member: part_id} | form]
        else:
            item |= {part.list_name: form} if part.list_name else form
        return await self._api.put(f"/api/{name}", [item], params=SKIP)

    def _changed(self, form: Any, forms: Forms) -> Any:
        """Return a form with some changes at any depth."""
        if isinstance(form, list):
            return self._changed_list([self._changed(each, forms) for each in form])
        if not isinstance(form, dict):
            return form
        return {
            name: self._changed_member(name, value, forms)
            if self._random.random() < 0.4 or isinstance(value, list | dict)
            else value
            for name, value in form.items()
        }

    def _changed_list(self, entries: list[Any]) -> list[Any]:
        kind = self._random.randrange(8)
        if kind == 0 and entries:
            entries.pop(self._random.randrange(len(entries)))
        if kind == 1:
            entries.reverse()
        if kind == 2 and entries and isinstance(entries[0], dict):
            entries.append({k: v for k, v in entries[0].items() if k not in ("id", "lineId")})
        return entries

    def _changed_member(self, name: str, value: Any, forms: Forms) -> Any:
        if isinstance(value, list | dict):
            return self._changed(value, forms)
        if isinstance(value, bool):
            return not value
        if name in _TEXTS:
            return f"T{self._random.randrange(4)}"
        if name in _NUMBERS:
            return str(self._random.randint(1, 9))
        if name == "state":
            return self._random.choice(_STATES)
        if name == "styleColorId":
            ids = sorted(key[1] for key in forms if key[0] == "style-colors")
            return self._random.choice([None, *ids])
        return value
