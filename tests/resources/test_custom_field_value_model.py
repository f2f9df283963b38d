"""Values in custom fields against a model (contract, Custom field values)."""

import re
from random import Random
from typing import Any, Final

import pytest

from tests.support.api import Api, replacing
from tests.support.keyed_references import made
from tests.support.openapi_validation import is_failure
from tests.support.sampling import examples, settle_seed
from tests.support.value_model import Field, Key, Model

pytestmark = [pytest.mark.contract("Custom field values", "Styles"), pytest.mark.demo_data]

#: 5,000 states in all: each style has definitions of its own.
STYLES: Final = examples(2, 5)
STATES: Final = 20
_LACKING: Final = re.compile(
    r"Mandatory custom field (\d+) has no value(?: for style color (\d+))?(?: in size (\d+))?: .+\."
)
_KINDS: Final = {
    "associatedBrands": "brands",
    "associatedGroups": "groups",
    "associatedStyleCategories": "style-categories",
}


async def definitions(api: Api, random: Random, others: dict[str, list[int]]) -> dict[int, Field]:
    """Create custom fields; parents are among the earlier ones with allowed values."""
    fields = dict[int, Field]()
    for number in range(random.randint(3, 9)):
        parents = [each for each in fields.values() if each.choices]
        type_ = random.choice(("text", "numeric", "allowedValue", "nestedAllowedValue"))
        parent = random.choice(parents) if type_ == "nestedAllowedValue" and parents else None
        values = [
            {"value": f"V{index}"}
            | ({"parentAllowedValueId": random.choice([None, *parent.choices])} if parent else {})
            for index in range(random.randint(0, 4) if type_ not in ("text", "numeric") else 0)
        ]
        sent = {
            "name": f"F{number}",
            "type": type_,
            "state": random.choice(("active", "active", "inactive")),
            "diffPerColor": random.random() < 0.4,
            "diffPerSize": random.random() < 0.3,
            "isMandatory": random.random() < 0.6,
            "maxChar": random.choice((None, 3)),
            "allowedDecimals": random.choice((None, 0, 1)),
            "parentCustomFieldId": parent.id if parent else None,
            "allowedValues": values,
        }
        for name, ids in others.items():
            restricting = random.sample(ids, random.choice((0, 0, 0, 1, 2)))
            sent[name] = [{"id": id_} for id_ in restricting]
        data = await made(api, "style-custom-fields", **sent)
        choices = {v["id"]: v.get("parentAllowedValueId") for v in data["allowedValues"]}
        fields[data["id"]] = Field(data["id"], type_, data["name"], sent, parent, choices)
    return fields


async def relinked(
    api: Api, path: str, model: Model, others: dict[str, list[int]], random: Random
) -> None:
    """Give the style another brand, groups and category, and its colors other states."""
    brand, category = (
        random.choice([None, *others[name]])
        for name in ("associatedBrands", "associatedStyleCategories")
    )
    groups = random.sample(others["associatedGroups"], random.randint(0, 2))
    links = {"brandId": brand, "styleCategoryId": category, "groupIds": groups}
    patch = [op for name, value in links.items() for op in replacing(f"/{name}", value)]
    assert (await api.patch(path, patch)).status == 200
    model.linked = {
        "associatedBrands": {brand} if brand else set(),
        "associatedGroups": {*groups},
        "associatedStyleCategories": {category} if category else set(),
    }
    color, state = random.choice([*model.colors]), random.choice(("active", "inactive", "deleted"))
    item = {"id": color, "state": state}
    if state == "deleted":
        assert (await api.delete(f"/api/style-colors/{color}")).status == 200
    else:
        assert (await api.patch("/api/style-colors", [item])).status == 200
    model.colors[color] = state


async def incomplete(api: Api, path: str) -> set[Key]:
    """Return the keys of the values without which the style cannot become ready for export."""
    body = replacing("/isReadyForExport", True)
    answer = await api.patch(path, body, params={"dryRun": "true"})
    if answer.status == 200:
        return set()
    is_failure(answer, 409, "conflict.incomplete")
    assert {*answer.details} == {("conflict.incomplete", "isReadyForExport")}
    keys = set[Key]()
    for row in answer.json["error"]["details"]:
        match = _LACKING.fullmatch(row["value"])
        assert match, row
        keys.add(tuple(int(text) if text else None for text in match.groups()))
    return keys


@pytest.mark.parametrize("run", range(examples(1, 50)))
async def test_values_are_those_of_the_model(run: int, api: Api) -> None:
    """Each state of a style has the values and the errors of the model."""
    random, differences = Random(f"{settle_seed()} values {run}"), list[Any]()
    others = {
        name: [(await made(api, collection, name=f"{name} {n}"))["id"] for n in range(3)]
        for name, collection in _KINDS.items()
    }
    sizes = list[dict[int, str]]()
    ranges = [(await made(api, "size-ranges", name=name))["id"] for name in "AB"]
    for range_id in ranges:
        answer = await api.put(f"/api/size-ranges/{range_id}/sizes", [{"name": n} for n in "SML"])
        sizes.append({size["id"]: size["name"] for size in answer.data})
    foreign = (await api.get("/api/style-colors", {"pageSize": "1"})).data[0]["id"]
    colors = [await made(api, "colors", name=name) for name in ("Navy", "Red")]
    for number in range(STYLES):
        fields = await definitions(api, random, others)
        style = await made(api, "styles", number=f"M-{number}", name="Model", sizeRangeId=ranges[0])
        path = f"/api/styles/{style['id']}"
        names = dict[int, str]()
        for color in colors:
            data = await made(api, "style-colors", styleId=style["id"], colorId=color["id"])
            names[data["id"]] = color["name"]
        model = Model(fields, dict.fromkeys(names, "active"), sizes[0], foreign, min(sizes[1]))
        for _ in range(STATES):
            await relinked(api, path, model, others, random)
            sent = model.generated(random)
            expected, entries = sorted(model.errors(sent)), model.merged(sent)
            answer = await api.put(f"{path}/custom-field-values", sent)
            details = [] if answer.status == 200 else sorted(answer.details)
            if details != expected:
                differences.append((sent, details, expected))
            if not expected:
                hidden = {k: e for k, e in model.stored.items() if k not in model.shown}
                model.stored = hidden | entries
            form = (await api.get(f"{path}/custom-field-values", {"form": "writable"})).data
            if form != [*model.shown.values()]:
                differences.append((sent, form, model.shown))
            if (rows := await incomplete(api, path)) != (lacking := model.lacking()):
                differences.append((rows, lacking))
        assert (await api.delete(path)).status == 200
        ids = [("ids", str(id_)) for id_ in fields]
        assert (await api.delete("/api/style-custom-fields", ids)).status == 200
    assert differences == []
