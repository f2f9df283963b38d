"""Tests of imports: lines as transactions, with rejected lines reported (tools, Files)."""

from typing import Any

import pytest

import selvedge_client
from selvedge_client import Client, UnreachableError
from service.extras.commands.outages import OutageRetryPolicy
from service.extras.transfer.errors import TransferError
from service.extras.transfer.import_files import ImportOptions
from tests.client.fault_proxy import Fault, start_fault_proxy
from tests.transfer.conftest import ONCE, ImportFolder, TransferEnvironment, listed

pytestmark = pytest.mark.contract("Files")

SKIP = ImportOptions(skip=True)
DRY_RUN = ImportOptions(dry_run=True, skip=True)


def category(record_id: int, name: str, **more: str) -> dict[str, object]:
    return {"id": record_id, "name": name, **more}


def style(number: str, **more: Any) -> dict[str, object]:
    return {"number": number, "name": "Parka", **more}


async def names(client: Client, collection: str = "item-categories") -> list[str]:
    return [record["name"] for record in await listed(client, collection)]


async def test_references_lead_to_what_the_lines_became(
    client: Client, folder: ImportFolder
) -> None:
    folder.write("items.ndjson", {"id": 1, "number": "I1", "name": "Zipper", "itemCategoryId": 77})
    folder.write("item-categories.ndjson", category(77, "Trims"))
    await folder.import_records(client)
    [item], [trims] = await listed(client, "items"), await listed(client, "item-categories")
    assert item["itemCategoryId"] == trims["id"] != 77


async def test_lines_may_refer_to_later_ones_of_their_file(
    client: Client, folder: ImportFolder
) -> None:
    """And to objects in these, here the values of a parent."""
    child = {"userDefinedId": "SHADE", "name": "Shade", "type": "nestedAllowedValue"}
    parent = {"id": 2, "userDefinedId": "TONE", "name": "Tone", "type": "allowedValue"}
    folder.write("brands.ndjson", {"id": 5, "customId": "B", "name": "Alpine"})
    folder.write(
        "style-custom-fields.ndjson",
        child
        | {"parentCustomFieldId": 2, "associatedBrands": [{"id": 5, "name": "Alpine"}]}
        | {"allowedValues": [{"id": 10, "value": "Navy", "parentAllowedValueId": 20}]},
        parent | {"allowedValues": [{"id": 21, "value": "Red"}, {"id": 20, "value": "Blue"}]},
    )
    for outcome in ("created", "unchanged"):
        counts = await folder.import_records(client)
        assert counts["style-custom-fields"] == {outcome: 2}
    by_name = {record["name"]: record for record in await listed(client, "style-custom-fields")}
    tone, shade = by_name["Tone"], by_name["Shade"]
    assert shade["parentCustomFieldId"] == tone["id"]
    blue = next(entry["id"] for entry in tone["allowedValues"] if entry["value"] == "Blue")
    assert [entry["parentAllowedValueId"] for entry in shade["allowedValues"]] == [blue]
    [alpine] = await listed(client, "brands")
    assert [brand["id"] for brand in shade["associatedBrands"]] == [alpine["id"]]


async def test_the_same_again_does_nothing_and_an_edited_line_replaces(
    client: Client, folder: ImportFolder
) -> None:
    groups = [{"userDefinedId": f"G{n}", "name": f"Group {n}"} for n in (1, 2)]
    folder.write("groups.ndjson", *groups)
    assert await folder.import_records(client) == {"groups": {"created": 2}}
    before = await client.changes.now()
    assert await folder.import_records(client) == {"groups": {"unchanged": 2}}
    assert await client.changes.now() == before
    folder.write("groups.ndjson", groups[0], groups[1] | {"name": "Edited"})
    assert await folder.import_records(client) == {"groups": {"unchanged": 1, "updated": 1}}
    assert sorted(await names(client, "groups")) == ["Edited", "Group 1"]


async def test_it_stops_at_a_transaction_with_a_rejected_line(
    client: Client, folder: ImportFolder
) -> None:
    """Nothing of it is written; a dry run says the same. With ``skip`` the other lines are."""
    wrong = category(2, "Labels", state="lost")
    folder.write("item-categories.ndjson", category(1, "Trims"), wrong, category(3, "Zippers"))
    folder.write("items.ndjson", {"number": "I1", "name": "Zipper", "itemCategoryId": 2})
    for options in (ImportOptions(dry_run=True), ImportOptions()):
        counts = await folder.import_records(client, options=options)
        assert counts == {"item-categories": {"failed": 1}, "items": {"failed": 1}}
        [reject, _] = folder.rejected
        [detail] = reject.pop("details")
        assert (detail["type"], detail["field"]) == ("validation_error.invalid_value", "state")
        assert reject == {"file": "item-categories.ndjson", "line": 2, "record": wrong}
        assert await names(client) == await names(client, "items") == []
    counts = await folder.import_records(client, options=SKIP)
    assert counts["item-categories"] == {"created": 2, "failed": 1}
    assert folder.details()[1] == (1, "validation_error.unknown_reference", "itemCategoryId")


async def test_rejected_lines_go_in_once_mended(client: Client, folder: ImportFolder) -> None:
    groups = client.collection("groups")
    alpine = await groups.create({"name": "Alpine"})
    await groups.delete(alpine.id)
    folder.write("styles.ndjson", style("S1", groupIds=[alpine.id]))
    for options in (DRY_RUN, SKIP, SKIP, ImportOptions()):
        assert await folder.import_records(client, options=options) == {"styles": {"failed": 1}}
    await groups.replace(alpine.id, {"name": "Alpine", "state": "active"})
    for options in (DRY_RUN, SKIP):
        assert await folder.import_records(client, options=options) == {"styles": {"created": 1}}


async def test_lines_need_an_own_key_that_no_other_line_has(
    client: Client, folder: ImportFolder
) -> None:
    """A line that refers to one without a key is rejected, too, and so is a second id."""
    folder.write(
        "groups.ndjson",
        {"id": 1, "name": "Alpine"},
        {"id": 2, "name": "Sea", "userDefinedId": "G2"},
        {"id": 3, "name": "Lake", "userDefinedId": "G2"},
        {"id": 2, "name": "Pond", "userDefinedId": "G4"},
    )
    folder.write("styles.ndjson", style("S1", groupIds=[2, 1]), style("S2", groupIds=[7]))
    folder.write("size-ranges.ndjson", {"id": 1, "name": "Range", "sizes": [{"name": "S"}]})
    for options in (DRY_RUN, SKIP):
        counts = await folder.import_records(client, options=options)
        assert counts["groups"] == {"created": 1, "failed": 3}
        assert sorted(folder.details()) == [
            (1, "validation_error.required_field", "userDefinedId"),
            (1, "validation_error.required_field", "userDefinedId"),
            (1, "validation_error.unknown_reference", "groupIds[1]"),
            (2, "validation_error.unknown_reference", "groupIds[0]"),
            (3, "validation_error.duplicate", "userDefinedId"),
            (4, "validation_error.duplicate", "id"),
        ]


async def test_stored_records_are_found_by_own_key(client: Client, folder: ImportFolder) -> None:
    made = await client.collection("groups").create({"name": "Old", "userDefinedId": "G1"})
    folder.write("groups.ndjson", {"id": 1, "name": "New", "userDefinedId": "G1"})
    folder.write("styles.ndjson", style("S1", groupIds=[1]))
    assert (await folder.import_records(client))["groups"] == {"updated": 1}
    assert [record["groupIds"] for record in await listed(client, "styles")] == [[made.id]]


async def test_dry_runs_over_several_transactions_check_what_they_can(
    client: Client, folder: ImportFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selvedge_client, "MAX_ENTRIES", 2)
    folder.write("brands.ndjson", *({"id": n, "customId": f"B{n}", "name": "B"} for n in (1, 2)))
    folder.write(
        "styles.ndjson",
        *(style(f"S{n}", brandId=brand) for n, brand in enumerate((1, 1, None, {"customId": "X"}))),
    )
    folder.write("measurement-charts.ndjson", *({"styleId": {"number": "S0"}, "lines": []},))
    folder.write("style-relations.ndjson")
    counts = await folder.import_records(client, options=DRY_RUN)
    assert counts["styles"] == {"checked": 2, "created": 1, "failed": 1}
    assert counts["measurement-charts"] == {"failed": 1}
    counts = await folder.import_records(client, options=SKIP)
    assert counts["styles"] == {"created": 3, "failed": 1}
    assert counts["measurement-charts"] == {"unchanged": 1}


async def test_interrupted_imports_are_repeated_without_duplicates(
    environment: TransferEnvironment,
    keys: dict[str, str],
    client: Client,
    folder: ImportFolder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(selvedge_client, "MAX_ENTRIES", 20)
    expected = [f"Supplier {n}" for n in range(45)]
    folder.write("sub-suppliers.ndjson", *({"customId": name, "name": name} for name in expected))
    async with (
        start_fault_proxy(environment.url) as (proxy, url),
        Client(url, keys["write"], retry_policy=ONCE) as cut,
    ):
        proxy.faults += [None, Fault.CUT_AFTER]
        with pytest.raises(UnreachableError):
            await folder.import_records(cut)
    assert len(await names(client, "sub-suppliers")) == 40
    counts = await folder.import_records(client)
    assert counts["sub-suppliers"] == {"unchanged": 40, "created": 5}
    assert sorted(await names(client, "sub-suppliers")) == sorted(expected)


async def test_a_service_that_is_away_is_waited_for(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, folder: ImportFolder
) -> None:
    folder.write("item-categories.ndjson", category(1, "Trims"))
    outages = list[str]()
    async with (
        start_fault_proxy(environment.url) as (proxy, url),
        Client(
            url,
            keys["write"],
            retry_policy=OutageRetryPolicy(attempts=4, first_wait=0.01, on_outage=outages.append),
        ) as patient,
    ):
        proxy.faults += [Fault.CUT_BEFORE, Fault.UNAVAILABLE] * 3 + [Fault.CUT_AFTER] * 3
        await folder.import_records(patient)
    assert await names(client) == ["Trims"]
    assert len(outages) == 1


async def test_a_read_only_key_is_refused(
    environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    folder.write("item-categories.ndjson", category(1, "Trims"))
    async with Client(str(environment.url), keys["read"]) as reader:
        with pytest.raises(TransferError, match="lacks a scope to write"):
            await folder.import_records(reader)


async def test_a_line_that_is_too_large_is_rejected_alone(
    client: Client, folder: ImportFolder
) -> None:
    large = {"userDefinedId": "L", "name": "Large", "colorReference": "x" * (33 * 2**20)}
    small, tiny = ({"userDefinedId": name, "name": name} for name in ("Small", "Tiny"))
    folder.write("colors.ndjson", small, large, tiny)
    assert await folder.import_records(client, options=SKIP) == {
        "colors": {"created": 2, "failed": 1}
    }
    assert folder.details() == [(2, "payload_too_large", None)]
