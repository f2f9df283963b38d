"""Tests of imports that are the whole truth: by own keys, with deletes (tools, Files)."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from selvedge_client import Client
from service.extras.transfer.import_files import ImportOptions
from tests.support.api import issue_key
from tests.transfer.conftest import ImportFolder, TransferEnvironment, listed
from tests.transfer.test_commands import selvedge

pytestmark = pytest.mark.contract("Files")

WHOLE = ImportOptions(missing={"at_most": 0.5, "always": 0})
BRANDS = [{"id": n, "customId": f"B{n}", "name": f"Brand {n}", "state": "active"} for n in (1, 2)]
STYLES = [
    {"id": n, "number": f"S{n}", "name": "Vest", "state": "active", "brandId": brand}
    for n, brand in ((1, 1), (2, 2), (3, None), (4, None))
]
RELATIONS = [{"styleId": 1, "relatedStyleId": n} for n in (2, 3, 4)]


def write(folder: ImportFolder, brands: Any, styles: Any, relations: Any) -> None:
    folder.write("brands.ndjson", *brands)
    folder.write("styles.ndjson", *styles)
    folder.write("style-relations.ndjson", *relations)


async def keys_of(client: Client) -> dict[str, list[str]]:
    names = {"brands": "customId", "styles": "number", "style-relations": "relatedStyleNumber"}
    return {
        name: [str(record[key]) for record in await listed(client, name)]
        for name, key in names.items()
    }


async def test_what_no_line_has_is_deleted_after_all_lines(
    client: Client, folder: ImportFolder
) -> None:
    """A relation goes with its style, and this with its brand."""
    await client.collection("styles").create({"number": "S9", "name": "Of the same source"})
    write(folder, BRANDS, STYLES, RELATIONS)
    counts = await folder.import_records(client, options=WHOLE)
    assert counts["styles"] == Counter(created=4, deleted=1)
    write(folder, BRANDS[::2], STYLES[:1], [])
    counts = await folder.import_records(client, options=replace(WHOLE, dry_run=True))
    assert counts["styles"] == Counter(unchanged=1, refused=3)
    assert len(folder.not_deleted) == 3 + 3
    assert "3 of 4 styles are missing, more than 50.00% and more than 0" in " ".join(
        folder.not_deleted
    )
    write(folder, BRANDS[::2], STYLES[::2], RELATIONS[1:2])
    dry_run = ImportOptions(dry_run=True, missing={})
    outcomes = await folder.import_records(client, options=dry_run)
    assert outcomes["brands"] == Counter(unchanged=1, deleted=1)
    assert outcomes["style-relations"] == Counter(unchanged=1, deleted=2)
    assert len((await keys_of(client))["styles"]) == 4
    counts = await folder.import_records(client, options=ImportOptions(missing={}))
    assert counts == {
        "brands": Counter(unchanged=1, deleted=1),
        "styles": Counter(unchanged=2, deleted=2),
        "style-relations": Counter(unchanged=1, deleted=2),
    }
    assert await keys_of(client) == {
        "brands": ["B1"],
        "styles": ["S1", "S3"],
        "style-relations": ["S3"],
    }


async def test_rejected_lines_are_not_missing(client: Client, folder: ImportFolder) -> None:
    folder.write("brands.ndjson", *BRANDS)
    await folder.import_records(client, options=WHOLE)
    folder.write("brands.ndjson", BRANDS[0], BRANDS[1] | {"state": "lost"})
    for skip in (False, True):
        options = ImportOptions(skip=skip, missing={"at_most": 1})
        counts = await folder.import_records(client, options=options)
        assert counts["brands"]["failed"] == 1
        assert counts["brands"]["deleted"] == 0
    assert (await keys_of(client))["brands"] == ["B1", "B2"]


async def test_lines_that_are_deleted_are_not_missing(client: Client, folder: ImportFolder) -> None:
    """They count neither as missing nor as kept, also in a dry run, which deletes nothing."""
    folder.write(
        "brands.ndjson", *BRANDS, *(BRANDS[0] | {"id": n, "customId": f"B{n}"} for n in (3, 4))
    )
    await folder.import_records(client, options=WHOLE)
    folder.write("brands.ndjson", BRANDS[0], BRANDS[1] | {"state": "deleted"})
    # Missing are two of three live records.
    for dry_run in (True, False):
        too_many = ImportOptions(dry_run=dry_run, missing={"at_most": 0.6, "always": 1})
        counts = await folder.import_records(client, options=too_many)
        assert counts["brands"]["refused"] == 2
        assert "2 of 3 brands are missing" in folder.not_deleted[0]
    restored = {"customId": "B2", "name": "Brand 2", "state": "active"}
    await client.collection("brands").write([restored], "merge", match="customId")
    for dry_run in (True, False):
        options = ImportOptions(dry_run=dry_run, missing={"at_most": 0.7, "always": 0})
        counts = await folder.import_records(client, options=options)
        assert counts["brands"] == Counter(unchanged=1, deleted=3)


async def test_merged_lines_keep_what_others_maintain(client: Client, folder: ImportFolder) -> None:
    color = {"userDefinedId": "C1", "name": "Navy", "state": "active"}
    made = await client.collection("colors").create(color | {"colorNote": "Of the studio"})
    folder.write("colors.csv", "userDefinedId,name", "C1,Deep navy")
    for merge, note in ((True, "Of the studio"), (False, None)):
        await folder.import_records(client, options=ImportOptions(merge=merge))
        stored = (await client.collection("colors").read(made.id)).data
        assert (stored["name"], stored["colorNote"]) == ("Deep navy", note)


async def test_missing_records_in_use_are_reported(client: Client, folder: ImportFolder) -> None:
    """The others are deleted; in a dry run they are checked, because lines may free them."""
    folder.write("brands.ndjson", *BRANDS, BRANDS[0] | {"id": 3, "customId": "B3"})
    folder.write("styles.ndjson", STYLES[1])
    await folder.import_records(client)
    (folder.path / "styles.ndjson").unlink()
    folder.write("brands.ndjson", BRANDS[0])
    whole = ImportOptions(missing={"at_most": 0.9})
    counts = await folder.import_records(client, options=replace(whole, dry_run=True))
    assert counts["brands"] == Counter(unchanged=1, deleted=1, checked=1)
    counts = await folder.import_records(client, options=whole)
    assert counts["brands"] == Counter(unchanged=1, deleted=1, refused=1)
    assert "Used by styles: 1" in folder.not_deleted[0]
    assert (await keys_of(client))["brands"] == ["B1", "B2"]


@pytest.mark.contract("Command line")
async def test_the_command_is_told_that_files_are_whole(
    environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    write(folder, BRANDS, STYLES, RELATIONS)
    files = sorted(folder.path.iterdir())
    whole = ("--match", "--merge", "--delete-missing", "--at-most", "2%")
    command = (str(environment.url), keys["write"], "import", str(folder.path))
    for outcome in ("created", "unchanged"):
        ended = await selvedge(*command, *whole)
        assert (ended.returncode, ended.stdout.split()[0]) == (0, outcome), ended.stderr
    folder.write("styles.ndjson", STYLES[0])
    folder.write("style-relations.ndjson")
    ended = await selvedge(*command, *whole, "--always", "0")
    assert ended.returncode == 1
    assert "not deleted: 6; the first is styles" in ended.stderr
    assert "are missing, more than 2.00%" in ended.stderr
    assert "refused" in ended.stdout
    assert sorted(folder.path.iterdir()) == files
    for option in (("--at-most", "2%"), ("--at-most", "0"), ("--always", "0")):
        ended = await selvedge(*command, *option)
        assert (ended.returncode, ended.stderr) == (
            1, f"selvedge: {option[0]} needs --delete-missing\n",
        )  # fmt: skip
    ended = await selvedge(*command, "--delete-missing", "--always", "many")
    assert (ended.returncode, "use a whole number such as 10" in ended.stderr) == (2, True)
    ended = await selvedge(*command, "--delete-missing", "--at-most", "120%")
    assert (ended.returncode, "use a share such as 2% or 0.02" in ended.stderr) == (2, True)


@pytest.mark.contract("Barcodes", "Command line")
async def test_numbers_of_published_styles_are_kept(
    client: Client,
    environment: TransferEnvironment,
    keys: dict[str, str],
    folder: ImportFolder,
) -> None:
    """That is no failure, and has a sentence."""
    named = {"userDefinedId": "K"}
    color = {"styleId": {"number": "K"}, "colorId": named}
    size = {"sizeRangeId": named, "name": "M"}
    async with client.transaction() as batch:
        batch.merge("colors", named | {"name": "Navy"})
        batch.merge("size-ranges", named | {"name": "Sizes"})
        batch.merge("size-range-sizes", {"sizeRangeId": named, "sizes": [{"name": "M"}]})
        published = {"status": "published", "sizeRangeId": named}
        batch.merge("styles", {"number": "K", "name": "Coat", **published})
        batch.merge("style-colors", color)
        batch.merge("style-skus", {"sku": "K", "styleColorId": color, "sizeRangeSizeId": size})
        batch.merge("barcodes", {"barcode": "4006381333931", "styleSkuId": {"sku": "K"}})
    folder.write("barcodes.ndjson", {"barcode": "B", "type": "internal", "state": "active"})
    command = (str(environment.url), keys["write"], "import", str(folder.path))
    for run in ("--dry-run", "--delete-missing"):
        ended = await selvedge(*command, "--delete-missing", run)
        assert (ended.returncode, ended.stderr) == (0, ""), run
        titles, row = (line.split() for line in ended.stdout.splitlines()[:2])
        assert (titles, row) == (["created", "kept"], ["barcodes", "1", "1"])
        assert "stay with their SKUs, because their styles were published." in ended.stdout


@pytest.mark.contract("Sources")
async def test_records_of_other_sources_are_not_missing(
    client: Client, environment: TransferEnvironment, keys: dict[str, str], folder: ImportFolder
) -> None:
    organization_id = int(keys["write"].split("_")[1])
    designer_key = await issue_key(environment.dsn, organization_id)
    async with Client(str(environment.url), designer_key) as designer:
        await designer.collection("styles").create({"number": "D1", "name": "Of a designer"})
    write(folder, BRANDS, STYLES, RELATIONS)
    await folder.import_records(client)
    write(folder, BRANDS, STYLES[:2], RELATIONS[:1])
    counts = await folder.import_records(client, options=ImportOptions(missing={}))
    assert counts["styles"] == Counter(unchanged=2, deleted=2)
    assert (await keys_of(client))["styles"] == ["D1", "S1", "S2"]
