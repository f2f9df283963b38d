"""Field scopes: a key that writes one of the measured values alone (contract, Scopes)."""

from typing import Any

import pytest

from tests.support.api import MERGE_PATCH, Answer, Api, issue_key

pytestmark = pytest.mark.contract("Scopes")

LACKED = {
    "companyMeasurement": "measurements:write[companyMeasurement]",
    "newMeasurement": "measurements:write[newMeasurement]",
    **dict.fromkeys(("designerComment", "approved", "designerVisibleOnly"), "measurements:write"),
}


@pytest.fixture
def path(stored: dict[str, int]) -> str:
    """The measured values of a requested size."""
    return (
        f"/api/styles/{stored['styleId']}/sample-requests/{stored['sampleRequestId']}"
        f"/measurements/{stored['sizeRangeSizeId']}"
    )


@pytest.fixture
async def form(shared_api: Api, path: str) -> dict[str, Any]:
    """Its writable form, filled before."""
    form = (await shared_api.get(path, {"form": "writable"})).data
    assert len(form["lines"]) > 1
    for line in form["lines"]:
        line |= {"companyMeasurement": "1.50", "supplierMeasurement": "2", "newMeasurement": None}
    form |= {"designerComment": "Short.", "approved": True}
    assert (await shared_api.put(path, form)).status == 200
    return dict(form)


@pytest.fixture
async def supplier(shared_api: Api, shared_dsn: str) -> Api:
    """A caller that may write the supplier's values alone."""
    scope = "measurements:write[supplierMeasurement]"
    return Api(shared_api.client, await issue_key(shared_dsn, 1, scope))


async def writable(api: Api, path: str) -> dict[str, Any]:
    form = (await api.get(path, {"form": "writable"})).data
    assert isinstance(form, dict)
    return form


def refused(answer: Answer, *fields: tuple[str, str]) -> None:
    assert (answer.status, answer.json["code"]) == (403, "forbidden.scope"), answer.raw
    rows = [(row["field"], row["value"]) for row in answer.json["error"]["details"]]
    assert sorted(rows) == sorted(
        (field, f"This key lacks the scope {LACKED[name]}.") for field, name in fields
    )


async def test_fields_that_are_not_sent_stay(supplier: Api, path: str, form: Any) -> None:
    ids = [line["lineId"] for line in form["lines"]]
    sent = {"lines": [{"lineId": ids[1], "supplierMeasurement": "3.25"}]}
    assert (await supplier.put(path, sent)).status == 200
    after = await writable(supplier, path)
    assert {**after, "lines": None} == {**form, "lines": None}
    for line, before in zip(after["lines"], form["lines"], strict=True):
        value = "3.25" if line["lineId"] == ids[1] else None
        assert line == before | {"supplierMeasurement": value}
    assert (await supplier.put(path, {})).status == 200
    after = await writable(supplier, path)
    assert [line["supplierMeasurement"] for line in after["lines"]] == [None] * len(ids)
    assert after["designerComment"] == "Short."


async def test_the_stored_values_are_no_change(supplier: Api, path: str, form: Any) -> None:
    form["lines"][0]["supplierMeasurement"] = "7"
    form["lines"][1]["companyMeasurement"] = 1.5
    assert (await supplier.put(path, form)).status == 200
    assert (await writable(supplier, path))["lines"][0]["supplierMeasurement"] == "7"
    assert (await writable(supplier, path))["lines"][1]["companyMeasurement"] == "1.50"
    answer = await supplier.patch(
        path, {"approved": True, "lines": form["lines"]}, content_type=MERGE_PATCH
    )
    assert answer.status == 200


async def test_other_values_are_refused_at_their_fields(
    supplier: Api, path: str, form: Any, stored: dict[str, int]
) -> None:
    wrong = {"designerComment": None, "approved": False, "designerVisibleOnly": True}
    lines = [line | {"companyMeasurement": "1.5", "newMeasurement": 9} for line in form["lines"]]
    del lines[0]["newMeasurement"]
    lines[1]["companyMeasurement"] = None
    sent = {**wrong, "lines": lines[:2]}
    fields = [
        *((name, name) for name in wrong),
        ("lines[0].companyMeasurement", "companyMeasurement"),
        ("lines[1].companyMeasurement", "companyMeasurement"),
        ("lines[1].newMeasurement", "newMeasurement"),
    ]
    refused(await supplier.put(path, sent), *fields)
    refused(await supplier.put(path, sent, params={"dryRun": "true"}), *fields)

    size = {"sizeRangeSizeId": stored["sizeRangeSizeId"], **sent}
    item = {"sampleRequestId": stored["sampleRequestId"], "sizes": [size]}
    in_bulk = [(f"[0].sizes[0].{field}", name) for field, name in fields]
    refused(await supplier.put("/api/measurements", [item]), *in_bulk)
    entry = {"collection": "measurements", "item": item}
    answer = await supplier.post("/api/transaction", [entry])
    refused(answer, *((field.replace("[0].", "[0].item.", 1), name) for field, name in in_bulk))
    assert await writable(supplier, path) == form


async def test_edits_that_remove_values_are_refused(supplier: Api, path: str, form: Any) -> None:
    first = form["lines"][0]
    name = (await supplier.get(path)).data["lines"][0]["name"]
    removal = [{"op": "remove", "path": "/lines/0/companyMeasurement"}]
    at_value = ("lines[0].companyMeasurement", "companyMeasurement")
    refused(await supplier.patch(path, removal), at_value)
    for body, field in (
        ({"designerComment": None}, ("designerComment", "designerComment")),
        (
            {"lines": {name: {"companyMeasurement": None}}},
            (f"lines.{name}.companyMeasurement", "companyMeasurement"),
        ),
        ({"lines": {name: None}}, ("lines", "companyMeasurement")),
    ):
        refused(await supplier.patch(path, body, content_type=MERGE_PATCH), field)
    refused(
        await supplier.patch(path, [{"op": "remove", "path": "/lines/0"}]),
        ("lines", "companyMeasurement"),
    )
    assert await writable(supplier, path) == form
    lines = {"lines": [{"lineId": first["lineId"], "supplierMeasurement": "5"}]}
    assert (await supplier.patch(path, lines, content_type=MERGE_PATCH)).status == 200
    assert (await writable(supplier, path))["lines"][0] == first | {"supplierMeasurement": "5"}
    refused(
        await supplier.patch(path, lines | {"approved": None}, content_type=MERGE_PATCH),
        ("approved", "approved"),
    )
    answer = await supplier.patch(
        path, [{"op": "replace", "path": "/lines/0/supplierMeasurement", "value": "4"}]
    )
    assert answer.status == 200
    assert (await writable(supplier, path))["lines"][0] == first | {"supplierMeasurement": "4"}


async def test_nothing_else_is_written(supplier: Api, path: str) -> None:
    assert (await supplier.get("/api/measurements")).status == 200
    answer = await supplier.post("/api/brands", {"name": "x"})
    assert answer.json["code"] == "forbidden.scope"
    request = path.rpartition("/measurements")[0]
    assert (await supplier.get(request)).json["code"] == "forbidden.scope"


async def test_fields_of_another_supplier_are_not_written(
    shared_api: Api, shared_dsn: str, path: str, form: Any
) -> None:
    """A scope of a supplier adds no fields to the scopes of others, also if none is left."""
    scopes = [
        "measurements:write[supplierMeasurement]",
        "measurements[supplierId=999]:write[companyMeasurement]",
    ]
    both = Api(shared_api.client, await issue_key(shared_dsn, 1, *scopes))
    form["lines"][0]["companyMeasurement"] = "9"
    refused(await both.put(path, form), ("lines[0].companyMeasurement", "companyMeasurement"))
