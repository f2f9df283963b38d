"""Tests of syncs of one collection by own keys."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from selvedge_client import Client, FieldChange, NotFoundError, Outcome, PreconditionFailedError
from selvedge_client import client as client_module
from selvedge_client.client import RecordSet


def named(key: str, mark: str) -> dict[str, Any]:
    return {"userDefinedId": key, "name": f"{mark} {key}", "state": "active"}


async def _sync(client: Client, records: list[dict[str, Any]], **how: Any) -> list[Outcome]:
    outcomes = client.sync([("colors", records)], **how)
    return [outcome async for _, outcome in outcomes]


KEYED: Final[list[tuple[str, str, dict[str, Any]]]] = [
    ("brands", "customId", {"name": "Storsund"}),
    ("color-groups", "userDefinedId", {"name": "Blues"}),
    ("style-categories", "userDefinedId", {"name": "Knitwear"}),
    ("items", "number", {"name": "Snap"}),
    ("styles", "number", {"name": "Vest"}),
    ("facilities", "name", {"subSupplierId": "1"}),
]


@pytest.mark.contract("Own keys")
@pytest.mark.parametrize(("collection", "own_key", "rest"), KEYED)
async def test_references_are_sent_by_own_keys(
    selvedge: Client, collection: str, own_key: str, rest: dict[str, Any]
) -> None:
    records = [rest | {own_key: f"Sent {n}", "state": "active"} for n in range(5)]
    for outcome in ("created", "unchanged"):
        outcomes = selvedge.sync([(collection, records)])
        assert [row.outcome async for _, row in outcomes] == [outcome] * 5
    gone = [{**record, "state": "deleted"} for record in records]
    outcomes = selvedge.sync([(collection, gone)])
    assert [row.outcome async for _, row in outcomes] == ["deleted"] * 5


async def test_records_may_come_from_asynchronous_sources(
    selvedge: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Errors have the indexes of the transaction that they were in."""
    monkeypatch.setattr(client_module, "MAX_ENTRIES", 2)

    async def rows() -> AsyncIterator[dict[str, Any]]:
        for number in range(5):
            yield named(f"A-{number}", "Async") | ({"nmae": 1} if number == 3 else {})

    async def sets() -> AsyncIterator[RecordSet]:
        yield "colors", rows()

    outcomes = [outcome async for _, outcome in selvedge.sync(sets())]
    fields = [[detail.field for detail in row.details] for row in outcomes]
    assert fields == [[], [], [], ["[1].item.nmae"], []]
    again = [row.outcome async for _, row in selvedge.sync(sets())]
    assert again == [*["unchanged"] * 3, "failed", "unchanged"]


async def test_unknown_options_are_refused(selvedge: Client) -> None:
    """Python accepts any keyword: a misspelled ``dry_run`` must not write."""
    colors, wrong = selvedge.collection("colors"), dict[str, Any](dryrun=True)
    records = [named("Unknown option", "Dry")]
    with pytest.raises(
        TypeError, match="unknown option dryrun: use match, skip, dry_run, preview, key"
    ):
        await colors.write(records, "replace", match="userDefinedId", **wrong)
    with pytest.raises(TypeError, match="unknown option dryrun: use dry_run, at_most"):
        await anext(selvedge.sync([("colors", records)], **wrong))
    key = "userDefinedId=Unknown option"
    with pytest.raises(NotFoundError):
        await colors.read(key)
    assert [row.outcome for row in await colors.write(records, "create", skip=True)] == ["created"]
    assert (await colors.read(key)).data["name"] == "Dry Unknown option"


@pytest.mark.contract("Own keys")
async def test_several_at_once_and_one_that_is_stopped_make_no_twin(selvedge: Client) -> None:
    records = [named(f"S-{n}", "Several") for n in range(200)]
    running = [asyncio.create_task(_sync(selvedge, records)) for _ in range(4)]
    await asyncio.sleep(0.05)
    running[0].cancel()
    done = await asyncio.gather(*running[1:])
    assert len({tuple(row.id for row in outcomes) for outcomes in done}) == 1
    again = await _sync(selvedge, records)
    assert {row.outcome for row in again} == {"unchanged"}
    ids = {row.id for row in again}
    colors = selvedge.collection("colors")
    stored = [
        record async for record in colors.records(name=[record["name"] for record in records])
    ]
    assert {record["id"] for record in stored} == ids
    assert len(ids) == 200


@pytest.mark.contract("Dry runs", "Merges")
async def test_dry_runs_return_outcomes_and_merges_keep_omitted_fields(selvedge: Client) -> None:
    record = named("M-1", "Merged") | {"colorNote": "Kept"}
    [outcome] = await _sync(selvedge, [record], dry_run=True)
    assert (outcome.outcome, outcome.id) == ("created", None)
    [made] = await _sync(selvedge, [record])
    part = {"userDefinedId": "M-1", "name": "Other"}
    [merged] = await _sync(selvedge, [part], merge=True)
    assert (merged.outcome, merged.id) == ("updated", made.id)
    shown = (await selvedge.collection("colors").read(made.id)).data
    assert (shown["name"], shown["colorNote"]) == ("Other", "Kept")


@pytest.mark.contract("Dry runs", "Preconditions")
async def test_previews_and_preconditions_of_a_write(selvedge: Client) -> None:
    """A preview is a dry run, with the fields that would change; tags go with the records."""
    colors = selvedge.collection("colors")
    made = await colors.create(named("P-1", "Before"))
    record = {"id": made.id, "name": "After", "ifMatch": made.etag}
    [outcome] = await colors.write([record], "merge", preview=True)
    assert outcome.changes == (FieldChange("name", "Before P-1", "After"),)
    assert (await colors.read(made.id)).data == made.data
    [written] = await colors.write([record], "merge")
    assert (written.outcome, written.changes) == ("updated", ())
    with pytest.raises(PreconditionFailedError) as failure:
        await colors.write([record], "merge")
    assert [detail.field for detail in failure.value.details] == ["[0].ifMatch"]
