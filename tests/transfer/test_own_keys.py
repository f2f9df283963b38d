"""Tests of imports by own key: no second record of one key (contract, Files)."""

from typing import Any

import pytest

from service.client import Client
from service.transfer.errors import TransferError
from tests.transfer.conftest import ImportFolder, listed
from tests.transfer.test_import import DRY_RUN, MATCH, SKIP, category, names

pytestmark = pytest.mark.contract("Files")


async def test_without_the_map_nothing_is_created_beside_its_own_key(
    client: Client, folder: ImportFolder
) -> None:
    """A dry run refuses the same lines; ``--match`` finds their records."""
    folder.write("item-categories.ndjson", category(1, "Trims"), category(2, "Labels"))
    await folder.import_records(client)
    (folder.path / "ids.sqlite3").unlink()
    folder.write(
        "item-categories.ndjson",
        category(1, "Trims"), category(2, "Labels"), category(3, "Zippers"),
    )  # fmt: skip
    for options in (DRY_RUN, SKIP):
        counts = await folder.import_records(client, options=options)
        assert counts == {"item-categories": {"created": 1, "failed": 2}}
        assert folder.details() == [(n, "conflict.duplicate", "name") for n in (1, 2)]
        assert "--match" in folder.rejected[0]["details"][0]["value"]
    counts = await folder.import_records(client, options=MATCH)
    assert counts == {"item-categories": {"unchanged": 3}}
    assert sorted(await names(client)) == ["Labels", "Trims", "Zippers"]


async def test_own_keys_are_looked_up_within_what_they_name_records_of(
    client: Client, folder: ImportFolder
) -> None:
    suppliers = [{"id": n, "name": f"S{n}"} for n in (1, 2)]
    folder.write("sub-suppliers.ndjson", *suppliers)
    folder.write("facilities.ndjson", {"id": 1, "name": "Porto", "subSupplierId": "1"})
    await folder.import_records(client)
    [facility] = await listed(client, "facilities")
    made = {"name": "Braga", "subSupplierId": facility["subSupplierId"]}
    await client.collection("facilities").create(made)
    folder.write("facilities.ndjson", *({"name": "Braga", "subSupplierId": n} for n in ("1", "2")))
    counts = await folder.import_records(client, options=SKIP)
    assert counts["facilities"] == {"created": 1, "failed": 1}
    assert folder.details() == [(1, "conflict.duplicate", "name")]


@pytest.mark.contract("Own keys")
async def test_several_records_of_one_own_key_come_in(client: Client, folder: ImportFolder) -> None:
    """Exports can have them; there are more than fit in one request or one look-up."""
    twins = [category(n, f"Twin {n % 60} {'x' * 100}") for n in range(240)]
    folder.write("item-categories.ndjson", *twins)
    assert await folder.import_records(client) == {"item-categories": {"created": 240}}
    folder.write("item-categories.ndjson", *twins, category(999, f"Twin 7 {'x' * 100}"))
    counts = await folder.import_records(client)
    assert counts == {"item-categories": {"not sent": 240, "created": 1}}
    (folder.path / "ids.sqlite3").unlink()
    counts = await folder.import_records(client, options=SKIP)
    assert counts == {"item-categories": {"failed": 241}}


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("colors.csv", ("id,name", "7,Navy", "NAVY,Navy")),
        ("colors.ndjson", ({"id": 7, "name": "Navy"}, " ", {"id": "NAVY", "name": "Navy"})),
    ],
)
async def test_an_own_key_in_the_column_of_ids_is_refused(
    client: Client, folder: ImportFolder, name: str, lines: tuple[Any, ...]
) -> None:
    """The id map alone would have got it, and the record no own key."""
    folder.write(name, *lines)
    with pytest.raises(
        TransferError, match=r"line 3: the id 'NAVY' is no number.*name the column userDefinedId"
    ):
        await folder.import_records(client)
    assert await listed(client, "colors") == []
