"""Oracle of the history: forms of all records and parts after each change, read by plain SQL."""

from collections import defaultdict
from dataclasses import dataclass, field

import asyncpg

from service.records.parts import RecordPart
from service.records.writable_resource import WritableResource
from service.resources import registry

KEPT: dict[str, WritableResource] = {
    resource.feed_name: resource for resource in (*registry.MASTER_RECORDS, *registry.PARTS)
}
"""Master records and parts, by their name in the change feed."""
_ALL = "select record.*, record.id as page_order, null::text as sort_values from record"
Key = tuple[str, int, int]
"""Collection, id of the record, and id of the part or 0."""
Forms = dict[Key, str]
_VERSIONS = """
select version.*, change.n from record_version version
join change on change.organization_id = version.organization_id and change.id = version.change_id
where version.organization_id = $1
order by version.collection, version.record_id, version.part_id, version.version
"""


async def forms(connection: asyncpg.Connection, organization_id: int) -> Forms:
    """Return the writable forms of all records and parts, deleted ones included."""
    all_forms = Forms()
    for name, resource in KEPT.items():
        if isinstance(resource, RecordPart) and resource.has_several_parts:
            owners = f"select id from {resource.table} where organization_id = $1"
            rows = await connection.fetch(resource.images(owners), organization_id)
            all_forms |= {
                (name, row["record_id"], row["part_id"]): row["document"]
                for row in rows
                if row["document"] != resource.missing_form
            }
        else:
            text = resource.statements["writables"].fill(page=_ALL)
            rows = await connection.fetch(text, organization_id)
            all_forms |= {(name, row["page_order"], 0): row["document"] for row in rows}
    return all_forms


@dataclass
class Oracle:
    """Forms after each number of the change feed."""

    connection: asyncpg.Connection
    organization_id: int
    after: dict[int, Forms] = field(default_factory=dict)

    async def note(self, n: int) -> Forms:
        """Note the forms after the changes up to ``n``, and return them."""
        self.after[n] = await forms(self.connection, self.organization_id)
        return self.after[n]

    async def stored(self) -> dict[int, Forms]:
        """Return the same forms, from what is stored now and the versions."""
        now = await forms(self.connection, self.organization_id)
        versions = defaultdict[Key, list[asyncpg.Record]](list)
        for row in await self.connection.fetch(_VERSIONS, self.organization_id):
            versions[row["collection"], row["record_id"], row["part_id"]].append(row)
        return {
            n: _existing(
                {
                    key: form
                    for key in now.keys() | versions.keys()
                    for form in [_at(versions.get(key, ()), n, now.get(key))]
                    if form not in (None, getattr(KEPT[key[0]], "missing_form", None))
                }
            )
            for n in self.after
        }


def _existing(forms: Forms) -> Forms:
    """Return the forms without the parts of owners that did not exist."""
    return {
        (name, record_id, part_id): form
        for (name, record_id, part_id), form in forms.items()
        if not isinstance(part := KEPT[name], RecordPart)
        or (part.owner.name, record_id, 0) in forms
    }


def path_of(key: Key, style_id: int | None = None) -> str:
    """Return the path of a record or part; measured values are below a style."""
    name, record_id, part_id = key
    resource = KEPT[name]
    if name == "measurements":
        return f"/api/styles/{style_id}/sample-requests/{record_id}/measurements/{part_id}"
    if name == "style-prices":
        return f"/api/styles/{record_id}/prices/{part_id}"
    if isinstance(resource, RecordPart):
        return f"/api/{resource.owner.name}/{record_id}{resource.below}"
    return f"/api/{name}/{record_id}"


def _at(versions: "list[asyncpg.Record] | tuple[()]", n: int, now: str | None) -> str | None:
    """Return the form after ``n``: that before the first later change, else the present one."""
    return next((row["form"] for row in versions if row["n"] > n), now)
