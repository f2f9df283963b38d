"""Tests of imports: line by line, once, with rejected lines reported (contract, Files)."""

import pytest

from service.client import Client, UnreachableError
from service.transfer.errors import TransferError
from service.transfer.outage_retry import OutageRetryPolicy
from service.transfer.sender import ImportOptions
from tests.client.fault_proxy import Fault, start_fault_proxy
from tests.transfer.conftest import ONCE, ImportFolder, TransferEnvironment, listed

pytestmark = pytest.mark.contract("Files")

SKIP = ImportOptions(skip=True)
MATCH = ImportOptions(match=True)
DRY_RUN = ImportOptions(dry_run=True, skip=True)


def category(record_id: int, name: str, **more: str) -> dict[str, object]:
    return {"id": record_id, "name": name, **more}


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
    child = {"id": 1, "name": "Shade", "type": "nestedAllowedValue", "parentCustomFieldId": 2}
    value = {"id": 10, "value": "Navy", "parentAllowedValueId": 20}
    parent = {"id": 2, "name": "Tone", "type": "allowedValue"}
    folder.write(
        "style-custom-fields.ndjson",
        child | {"allowedValues": [value]},
        parent | {"allowedValues": [{"id": 21, "value": "Red"}, {"id": 20, "value": "Blue"}]},
    )
    await folder.import_records(client)
    tone, shade = await listed(client, "style-custom-fields")
    assert shade["parentCustomFieldId"] == tone["id"]
    blue = next(entry["id"] for entry in tone["allowedValues"] if entry["value"] == "Blue")
    assert [entry["parentAllowedValueId"] for entry in shade["allowedValues"]] == [blue]


async def test_the_same_again_does_nothing(client: Client, folder: ImportFolder) -> None:
    folder.write("item-categories.ndjson", category(1, "Trims"), {"name": "Labels"})
    assert await folder.import_records(client) == {"item-categories": {"created": 2}}
    before = await client.changes.now()
    assert await folder.import_records(client) == {"item-categories": {"not sent": 2}}
    assert await client.changes.now() == before


async def test_an_edited_line_replaces_what_it_made(client: Client, folder: ImportFolder) -> None:
    folder.write("item-categories.ndjson", category(1, "Trims"), category(2, "Labels"))
    await folder.import_records(client)
    folder.write("item-categories.ndjson", category(3, "New"), category(2, "Care labels"))
    counts = await folder.import_records(client)
    assert counts == {"item-categories": {"created": 1, "updated": 1}}
    assert sorted(await names(client)) == ["Care labels", "New", "Trims"]


async def test_it_stops_at_a_line_that_is_rejected(client: Client, folder: ImportFolder) -> None:
    wrong = category(1, "Trims", state="lost")
    folder.write("item-categories.ndjson", wrong)
    folder.write("items.ndjson", {"number": "I1", "name": "Zipper"})
    assert await folder.import_records(client) == {"item-categories": {"failed": 1}}
    assert folder.rejected == [
        {
            "file": "item-categories.ndjson",
            "line": 1,
            "details": [
                {
                    "type": "validation_error.invalid_value",
                    "field": "state",
                    "value": folder.rejected[0]["details"][0]["value"],
                }
            ],
            "record": wrong,
        }
    ]
    assert await listed(client, "items") == []


async def test_rejected_lines_are_left_out_and_go_in_once_mended(
    client: Client, folder: ImportFolder
) -> None:
    items = [{"id": n, "number": f"I{n}", "name": "Zipper", "itemCategoryId": n} for n in (1, 2)]
    folder.write("item-categories.ndjson", category(1, " "), category(2, "Labels"))
    folder.write("items.ndjson", *items)
    counts = await folder.import_records(client, options=SKIP)
    assert counts == {name: {"created": 1, "failed": 1} for name in ("item-categories", "items")}
    assert folder.details() == [
        (1, "validation_error.invalid_value", "name"),
        (1, "validation_error.unknown_reference", "itemCategoryId"),
    ]
    folder.write("item-categories.ndjson", category(1, "Trims"), category(2, "Labels"))
    counts = await folder.import_records(client, options=SKIP)
    assert counts == {name: {"created": 1, "not sent": 1} for name in ("item-categories", "items")}


async def test_two_lines_of_one_record_are_rejected(client: Client, folder: ImportFolder) -> None:
    folder.write("item-categories.ndjson", category(1, "Trims"), category(1, "Labels"))
    counts = await folder.import_records(client, options=SKIP)
    assert counts == {"item-categories": {"created": 1, "failed": 1}}
    assert folder.details() == [(2, "validation_error.duplicate", "id")]


async def test_own_keys_find_what_is_there(client: Client, folder: ImportFolder) -> None:
    """Lines without an own key are rejected: nobody could say whether the record exists."""
    made = await client.collection("groups").create({"name": "Old", "userDefinedId": "G1"})
    folder.write("groups.ndjson", {"id": 1, "name": "New", "userDefinedId": "G1"})
    folder.write("styles.ndjson", {"number": "S1", "name": "Parka", "groupIds": [1]})
    assert (await folder.import_records(client, options=MATCH))["groups"] == {"updated": 1}
    assert [style["groupIds"] for style in await listed(client, "styles")] == [[made.id]]
    assert (await folder.import_records(client, options=MATCH))["groups"] == {"unchanged": 1}
    folder.write("groups.ndjson", {"id": 1, "name": "New", "userDefinedId": "G1"}, {"name": "X"})
    await folder.import_records(client, options=MATCH)
    assert folder.details() == [(2, "validation_error.required_field", "userDefinedId")]


async def test_a_dry_run_reports_errors_and_writes_nothing(
    client: Client, folder: ImportFolder
) -> None:
    """References to what would be made are none of it."""
    folder.write("brands.ndjson", {"id": 5, "name": "Alpine"})
    folder.write(
        "styles.ndjson",
        {"id": 1, "number": "S1", "name": "Parka", "brandId": 5},
        {"id": 2, "number": "S2", "name": " ", "brandId": 5},
        {"id": 3, "number": "S3", "name": "Anorak", "brandId": 6},
    )
    counts = await folder.import_records(client, options=DRY_RUN)
    assert counts["brands"] == {"created": 1}
    assert counts["styles"] == {"created": 1, "failed": 2}
    assert folder.details() == [
        (2, "validation_error.invalid_value", "name"),
        (3, "validation_error.unknown_reference", "brandId"),
    ]
    assert await listed(client, "brands") == []
    assert (await folder.import_records(client, options=SKIP))["brands"] == {"created": 1}


async def test_interrupted_imports_resume_without_duplicates(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, folder: ImportFolder
) -> None:
    """Records without an own key, so that only the map and the keys of requests tell."""
    expected = [f"Supplier {n}" for n in range(450)]
    folder.write(
        "sub-suppliers.ndjson", *({"id": n, "name": name} for n, name in enumerate(expected))
    )
    async with (
        start_fault_proxy(environment.url) as (proxy, url),
        Client(url, keys["write"], retry_policy=ONCE) as cut,
    ):
        proxy.faults.append(Fault.CUT_AFTER)
        with pytest.raises(UnreachableError):
            await folder.import_records(cut)
    assert len(await names(client, "sub-suppliers")) in range(200, 451)
    counts = await folder.import_records(client)
    assert sum(counts["sub-suppliers"].values()) == 450
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
        with pytest.raises(TransferError, match="may only read"):
            await folder.import_records(reader)


async def test_an_id_map_of_another_database_is_refused(
    client: Client, folder: ImportFolder
) -> None:
    folder.write("item-categories.ndjson", category(1, "Trims"))
    await folder.import_records(client)
    await client.collection("item-categories").delete(
        (await listed(client, "item-categories"))[0]["id"]
    )
    with pytest.raises(TransferError, match="remove it to import everything again"):
        await folder.import_records(client)


async def test_requests_that_hold_too_much_are_parted(client: Client, folder: ImportFolder) -> None:
    """So every line is judged by itself, here for a list that has one id too often."""
    groups = [1] * 150
    folder.write("colors.ndjson", *({"name": f"C{n}", "colorGroupIds": groups} for n in range(999)))
    assert await folder.import_records(client, options=SKIP) == {"colors": {"failed": 999}}
    assert {row["type"] for reject in folder.rejected for row in reject["details"]} == {
        "validation_error.duplicate"
    }


async def test_a_rejection_that_was_mended_is_not_repeated(
    client: Client, folder: ImportFolder
) -> None:
    """Here a record of the service's own comes back; dry run and import say the same."""
    groups = client.collection("groups")
    alpine = await groups.create({"name": "Alpine"})
    await groups.delete(alpine.id)
    folder.write("styles.ndjson", {"number": "S1", "name": "Parka", "groupIds": [alpine.id]})
    for options in (DRY_RUN, SKIP, SKIP, ImportOptions()):
        assert await folder.import_records(client, options=options) == {"styles": {"failed": 1}}
    await groups.replace(alpine.id, {"name": "Alpine", "state": "active"})
    for options in (DRY_RUN, SKIP):
        assert await folder.import_records(client, options=options) == {"styles": {"created": 1}}


async def test_a_failed_request_writes_nothing(client: Client, folder: ImportFolder) -> None:
    """Unless failures are left out; a dry run says the same."""
    wrong = category(2, "Labels", state="lost")
    folder.write("item-categories.ndjson", category(1, "Trims"), wrong, category(3, "Zippers"))
    folder.write("items.ndjson", {"number": "I1", "name": "Zipper"})
    for options in (ImportOptions(dry_run=True), ImportOptions()):
        assert await folder.import_records(client, options=options) == {
            "item-categories": {"failed": 1}
        }
        assert folder.details() == [(2, "validation_error.invalid_value", "state")]
        assert await names(client) == await names(client, "items") == []
    counts = await folder.import_records(client, options=SKIP)
    assert counts["item-categories"] == {"created": 2, "failed": 1}


@pytest.mark.parametrize("match", [False, True])
async def test_a_dry_run_of_a_stored_record_with_a_new_reference_is_an_update(
    client: Client, folder: ImportFolder, match: bool
) -> None:
    folder.write("item-categories.ndjson", category(1, "Trims"))
    folder.write("items.ndjson", {"id": 7, "number": "I1", "name": "Zipper", "itemCategoryId": 1})
    await folder.import_records(client)
    folder.write("item-categories.ndjson", category(1, "Trims"), category(2, "Zippers"))
    folder.write("items.ndjson", {"id": 7, "number": "I1", "name": "Zipper", "itemCategoryId": 2})
    for dry_run in (True, False):
        options = ImportOptions(match=match, dry_run=dry_run)
        counts = await folder.import_records(client, options=options)
        assert counts["items"] == {"updated": 1}


async def test_pairs_that_are_there_do_not_stop_the_others(
    client: Client, folder: ImportFolder
) -> None:
    """They have no own key: with ``--match`` a pair that is there is as it should be."""
    styles = [{"id": n, "number": f"S{n}", "name": "Parka"} for n in (1, 2, 3)]
    pair, other = ({"styleId": 1, "relatedStyleId": n} for n in (2, 3))
    folder.write("styles.ndjson", *styles)
    folder.write("style-relations.ndjson", pair)
    await folder.import_records(client, options=MATCH)
    folder.write("style-relations.ndjson", pair | {"id": 5}, other)
    for options in (ImportOptions(match=True, dry_run=True), MATCH):
        counts = await folder.import_records(client, options=options)
        assert counts["style-relations"] == {"unchanged": 1, "created": 1}
    assert len(await listed(client, "style-relations")) == 2


async def test_a_line_that_is_too_large_is_rejected_alone(
    client: Client, folder: ImportFolder
) -> None:
    large = {"name": "Large", "colorReference": "x" * (9 * 2**20)}
    folder.write("colors.ndjson", {"name": "Small"}, large, {"name": "Tiny"})
    assert await folder.import_records(client, options=SKIP) == {
        "colors": {"created": 2, "failed": 1}
    }
    assert folder.details() == [(2, "payload_too_large", None)]
