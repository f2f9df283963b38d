"""Property tests of every part of a record, with generated bodies (contract, Parts)."""

from random import Random

import pytest

from service.records.parts import RecordPart
from service.resources.registry import MEASUREMENTS, PARTS
from tests.contract.test_change_entries import served as served  # fixtures
from tests.contract.test_change_entries import through as through
from tests.support import generate, parts, rows
from tests.support.api import Api
from tests.support.changes import CheckedApi
from tests.support.openapi_validation import form
from tests.support.sampling import examples, settle_seed

pytestmark = [pytest.mark.contract("Parts"), pytest.mark.demo_data]

of_each_part = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
SEVERAL = range(examples(few=1, many=25))


def chances(part: RecordPart, number: int) -> Random:
    return Random(f"{settle_seed()} {part.name} {number}")


async def replaced(api: Api, part: RecordPart, number: int) -> str:
    """Return the path of a part that was just replaced by a generated body."""
    random, references = chances(part, number), await generate.references(api)
    path = random.choice(await parts.paths(api, part))
    sent = await parts.generated_body(api, part, path, references, random)
    answer = await api.put(path, sent)
    assert answer.status == 200, (sent, answer.raw)
    form(part.name, "document").validate(answer.data)
    return path


@pytest.mark.contract("Writable form")
@of_each_part
async def test_its_own_forms_leave_a_part_as_it_is(
    part: RecordPart, api: Api, demo_dsn: str
) -> None:
    """Contract, Parts: what GET answers can be sent back; rows are not touched.

    Documents, too, without response-only members.
    """
    for number in SEVERAL:
        path = await replaced(api, part, number)
        read = await api.get(path)
        writable = (await api.get(path, {"form": "writable"})).data
        form(part.name, "writable").validate(writable)
        is_written = not part.parents and "'effective" not in str(read.data)
        forms = [writable, read.data] if is_written else [writable]
        before = await rows.dump(demo_dsn, versions=True)
        for sent in forms:
            answer = await api.put(path, sent)
            assert (answer.status, answer.raw) == (200, read.raw)
        if part.is_patched:
            assert (await api.patch(path, [])).raw == read.raw
        assert await rows.dump(demo_dsn, versions=True) == before


@of_each_part
async def test_a_replace_done_twice_is_done_once(part: RecordPart, api: Api, demo_dsn: str) -> None:
    """Entries that are sent without ids are those of the first time."""
    for number in SEVERAL:
        random, references = chances(part, number), await generate.references(api)
        path = random.choice(await parts.paths(api, part))
        sent = await parts.generated_body(api, part, path, references, random)
        first = await api.put(path, sent)
        assert first.status == 200, (sent, first.raw)
        before = await rows.dump(demo_dsn, versions=True)
        second = await api.put(path, sent)
        assert (second.status, second.raw) == (200, first.raw), sent
        assert await rows.dump(demo_dsn, versions=True) == before


@pytest.mark.contract("Changes")
@of_each_part
async def test_every_write_has_its_entries(part: RecordPart, through: CheckedApi) -> None:
    """Contract, Changes: of the record, and of what shows it; of what stays as it is none."""
    for number in SEVERAL:
        path = await replaced(through, part, number)
        await through.put(path, (await through.get(path, {"form": "writable"})).data)
    for path in await parts.paths(through, part, 2):
        assert (await through.put(path, parts.least(part))).status == 200


@pytest.mark.contract("Dry runs")
@of_each_part
async def test_a_dry_run_of_a_part_changes_nothing(
    part: RecordPart, api: Api, demo_dsn: str
) -> None:
    """Contract, Dry runs: one outcome, without a document, a tag or an entry.

    It names the owner's record and its own key, as an outcome of the owner's does.
    """
    path = (await parts.paths(api, part))[0]
    owner = f"/api/{part.collection}/{path.split('/')[5 if part is MEASUREMENTS else 3]}"
    record = (await api.get(owner, {"form": "writable"})).data
    if "userDefinedId" in record:
        assert (await api.put(owner, record | {"userDefinedId": "K-7"})).status == 200
    plain = await api.put(
        owner, (await api.get(owner, {"form": "writable"})).data, params={"dryRun": "true"}
    )
    assert plain.data["key"] is not None
    stored = (await api.get(path, {"form": "writable"})).data
    before = await rows.dump(demo_dsn, versions=True)
    for body, outcome in ((stored, "unchanged"), (parts.least(part), "updated")):
        response = await api.put(path, body, params={"dryRun": "true"})
        assert response.data == plain.data | {"outcome": outcome}
        assert "ETag" not in response.headers
    assert await rows.dump(demo_dsn, versions=True) == before


@pytest.mark.contract("Preconditions")
@of_each_part
async def test_preconditions_are_the_parts_own(part: RecordPart, api: Api) -> None:
    """Contract, Preconditions: the tags of either form guard a write."""
    path, plain = (await parts.paths(api, part))[0], {"Accept-Encoding": "identity"}
    read = await api.get(path, headers=plain)
    tag, writable = read.headers["ETag"], await api.get(path, {"form": "writable"})
    for guard in ({"If-Match": tag}, {"If-Match": writable.headers["ETag"]}, {"If-Match": "*"}):
        assert (await api.put(path, writable.data, headers=guard)).status == 200
    for guard in ({"If-Match": '"x"'}, {"If-None-Match": tag}, {"If-None-Match": "*"}):
        refused = await api.put(path, parts.least(part), headers=guard | plain)
        assert (refused.status, refused.headers["ETag"]) == (412, tag)
    assert (await api.get(path, headers={"If-None-Match": tag} | plain)).status == 304
    emptied = await api.put(path, parts.least(part), headers={"If-Match": tag} | plain)
    assert emptied.status == 200
    assert emptied.headers["ETag"] == (await api.get(path, headers=plain)).headers["ETag"] != tag
    assert (await api.put(path, writable.data, headers={"If-Match": tag})).status == 412


@of_each_part
async def test_the_owners_writes_leave_a_part_alone(part: RecordPart, api: Api) -> None:
    """Contract, Parts: what a record's own writes leave alone."""
    if part is MEASUREMENTS:
        path = (await parts.paths(api, part))[0]
        owner = f"/api/sample-requests/{path.split('/')[5]}"
    else:
        path = (await parts.paths(api, part))[0]
        owner = "/".join(path.split("/")[:4])
    before = await api.get(path)
    writable = (await api.get(owner, {"form": "writable"})).data
    answer = await api.put(owner, writable | {"name": "Another"})
    assert answer.status == 200, answer.raw
    assert (await api.get(path)).raw == before.raw


@pytest.mark.contract("Limits")
async def test_a_part_has_the_limits_of_a_body(api: Api) -> None:
    """Contract, Parts: it may be longer than a record, also as an item; in transactions 8 MiB."""
    record = (await api.post("/api/size-ranges", {"name": "Long"})).data["id"]
    path = parts.path(parts.SIZES, record)
    sizes = [{"name": f"{number:03}{'x' * 997}"} for number in range(300)]
    item = {"sizeRangeId": record, "sizes": sizes}
    for stored in (await api.put(path, sizes), await api.put("/api/size-range-sizes", [item])):
        assert stored.status == 200, stored.raw[:300]
    assert [size["name"] for size in (await api.get(path)).data] == [s["name"] for s in sizes]
    values = [{"customFieldId": 1, "text": "x" * 4000}] * 2200
    large = {"styleId": 1, "values": values}
    entry = {"collection": "custom-field-values", "item": large}
    refused = await api.post("/api/transaction", [entry])
    assert refused.details[0] == ("validation_error.too_long", "[0].item")
    many = await api.put(path, [{"name": str(number)} for number in range(1001)])
    assert many.details == [("validation_error.too_many_items", None)]


async def test_parts_of_deleted_records_are_there(api: Api) -> None:
    """Contract, Parts: a part can be read and written while its record is deleted."""
    for part in (parts.SIZES, parts.TRANSLATIONS):
        root = part.collection
        made = (await api.post(f"/api/{root}", {"name": "Short-lived"})).data["id"]
        assert (await api.delete(f"/api/{root}/{made}")).status == 200
        path = parts.path(part, made)
        entry = {"name": "M"} if part is parts.SIZES else {"languageId": 1}
        assert (await api.put(path, [entry])).status == 200
        assert len((await api.get(path)).data) == 1
