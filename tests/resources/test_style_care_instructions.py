"""Tests of the care labels of styles (contract, Care instructions of styles)."""

from typing import Any

import pytest

from tests.support.api import Api, replacing
from tests.support.changes import Follower
from tests.support.offenders import in_each
from tests.support.valued_styles import Valued, valued_style

pytestmark = pytest.mark.contract("Care instructions of styles")

UNKNOWN, INVALID = "validation_error.unknown_reference", "validation_error.invalid_value"
DUPLICATE, OUT = "validation_error.duplicate", "validation_error.out_of_range"
LONG = "validation_error.too_many_items"
IN_USE = "conflict.in_use"


class Labels(Valued):
    """A style, and what its care labels can say."""

    ids: dict[str, int]

    @property
    def path(self) -> str:
        return f"/api/styles/{self.style}/care-instructions"

    async def add(self, name: str, collection: str, **fields: Any) -> None:
        self.ids[name] = await self.made(collection, text=name, userDefinedId=name, **fields)


@pytest.fixture
async def labels(api: Api) -> Labels:
    valued = await valued_style(api)
    made = Labels(api, valued.style, valued.colors, valued.sizes)
    made.ids = {}
    for symbol in ("wash40", "handWash", "doNotBleach", "doNotTumble", "tumbleLow", "own", "plain"):
        named = symbol if symbol not in ("own", "plain") else None
        await made.add(symbol, "care-instruction-icons", symbol=named)
    await made.add("Wash inside out", "care-instructions")
    for name in ("Shell", "Lining"):
        await made.add(name, "care-instruction-layers")
    for name in ("Cotton", "Wool"):
        await made.add(name, "care-instruction-materials")
    return made


def layer(labels: Labels, name: str, **percentages: Any) -> dict[str, Any]:
    return {
        "careInstructionLayerId": labels.ids[name],
        "materials": [
            {"careInstructionMaterialId": labels.ids[material], "percentage": percentage}
            for material, percentage in percentages.items()
        ],
    }


async def test_sets_are_named_by_style_color(labels: Labels) -> None:
    """Key objects take the place of ids, and a writable form changes nothing."""
    ids, navy = labels.ids, labels.colors[0]
    wool = layer(labels, "Shell", Wool="70.50", Cotton=29.5)
    wool["materials"][0]["recycledPercentage"] = 0
    sent: list[dict[str, Any]] = [
        {"styleColorId": navy, "layers": [layer(labels, "Lining", Cotton=100), wool]},
        {
            "careInstructionIconIds": [
                {"userDefinedId": "doNotTumble"},
                *(ids[name] for name in ("wash40", "own", "plain")),
            ],
            "careInstructionIds": [{"userDefinedId": "Wash inside out"}],
        },
    ]
    stored = (await labels.api.put(labels.path, sent)).data
    of_all, of_navy = stored
    cotton, shown = layer(labels, "Shell", Cotton=29.5, Wool=70.5), {"recycledPercentage": None}
    cotton["materials"] = [material | shown for material in cotton["materials"]]
    cotton["materials"][1]["recycledPercentage"] = 0
    lining = layer(labels, "Lining", Cotton=100)
    lining["materials"][0] |= shown
    assert of_all == {
        "id": of_all["id"],
        "styleColorId": None,
        "careInstructionIconIds": [ids[n] for n in ("wash40", "doNotTumble", "own", "plain")],
        "careInstructionIds": [ids["Wash inside out"]],
        "layers": [],
    }
    assert of_navy == {
        "id": of_navy["id"],
        "styleColorId": navy,
        "layers": [cotton, lining],
        "careInstructionIconIds": [],
        "careInstructionIds": [],
    }
    follower = Follower(labels.api)
    await follower.begin()
    form = (await labels.api.get(labels.path, {"form": "writable"})).data
    assert form[1]["layers"][0]["materials"][1]["percentage"] == "70.50"
    assert (await labels.api.put(labels.path, form[::-1])).data == stored
    for entry in form:
        del entry["id"]
    assert (await labels.api.put(labels.path, form)).data == stored
    assert await follower.entries() == []
    await labels.api.put(labels.path, [form[0] | {"careInstructionIconIds": [ids["own"]]}])
    [entry] = await follower.entries()
    assert (entry["collection"], entry["recordId"]) == ("style-care-instructions", labels.style)


async def test_merges_name_sets_and_layers_by_key(labels: Labels) -> None:
    """A style color is named by its id, a layer by its own key; sets of ids are no such lists."""
    navy = labels.colors[0]
    shell = layer(labels, "Shell", Cotton=90)
    sets = [
        {"styleColorId": navy, "layers": [shell], "careInstructionIconIds": [labels.ids["own"]]},
        {},
    ]
    await labels.api.put(labels.path, sets)
    change: dict[str, Any] = {"layers": {"Shell": {"materials": {"Wool": {"percentage": "10"}}}}}
    merge: dict[str, Any] = {"styleId": {"number": "T-1"}, "sets": {str(navy): change}}
    answer = await labels.api.patch("/api/style-care-instructions", [merge])
    assert answer.status == 200, answer.raw
    [shell] = answer.data[0]["sets"][1]["layers"]
    assert [material["percentage"] for material in shell["materials"]] == [90, 10]
    merge["sets"][str(navy)] = {"careInstructionIconIds": {"wash40": {}}}
    answer = await labels.api.patch("/api/style-care-instructions", [merge])
    assert [type_ for type_, _ in answer.details] == ["validation_error.invalid_type"]


@pytest.mark.contract("Part collections")
@in_each(
    ("sets", "error", "field"),
    [
        ([{"icons": ["wash40", "own", "handWash"]}], INVALID, "[0].careInstructionIconIds[2]"),
        ([{"icons": ["tumbleLow", "doNotTumble"]}], INVALID, "[0].careInstructionIconIds[1]"),
        ([{"icons": ["own", "own"]}], DUPLICATE, "[0].careInstructionIconIds[1]"),
        ([{"icons": ["own", "?"]}], UNKNOWN, "[0].careInstructionIconIds[1]"),
        ([{"careInstructionIds": [2**40]}], UNKNOWN, "[0].careInstructionIds[0]"),
        ([{}, {}], DUPLICATE, "[1].styleColorId"),
        ([{"styleColorId": 0}, {}, {"styleColorId": 0}], DUPLICATE, "[2].styleColorId"),
        ([{"styleColorId": 2}], INVALID, "[0].styleColorId"),
        ([{"styleColorId": 9}], UNKNOWN, "[0].styleColorId"),
        ([{"shell": {"Cotton": 60, "Wool": "40.01"}}], OUT, "[0].layers[0].materials"),
        ([{"shell": {"Cotton": "0"}}], OUT, "[0].layers[0].materials[0].percentage"),
        (
            [{"layers": [{"careInstructionLayerId": 2**40}]}],
            UNKNOWN,
            "[0].layers[0].careInstructionLayerId",
        ),
        ([{"twice": "31 materials"}], LONG, "[0].layers[0].materials"),
        ([{"twice": "layers"}], DUPLICATE, "[0].layers[1].careInstructionLayerId"),
        (
            [{"twice": "materials"}],
            DUPLICATE,
            "[0].layers[0].materials[1].careInstructionMaterialId",
        ),
    ],
)
async def test_errors(labels: Labels, sets: Any, error: str, field: str) -> None:
    """Icons are named by their symbol, style colors by their position."""
    sent = [dict(entry) for entry in sets]
    for entry in sent:
        shell = layer(labels, "Shell", **entry.pop("shell", {"Cotton": 40}))
        if icons := entry.pop("icons", None):
            entry["careInstructionIconIds"] = [labels.ids.get(name, 2**40) for name in icons]
        if "styleColorId" in entry:
            entry["styleColorId"] = [*labels.colors, *[2**40] * 6][entry["styleColorId"]]
        if twice := entry.pop("twice", ""):
            shell["materials"] *= {"materials": 2, "31 materials": 31}.get(twice, 1)
            entry["layers"] = [shell] * (2 if twice == "layers" else 1)
        entry.setdefault("layers", [shell])
    answer = await labels.api.put(labels.path, sent)
    assert answer.details == [(error, field)]
    answer = await labels.api.put(
        "/api/style-care-instructions", [{"styleId": labels.style, "sets": sent}]
    )
    assert answer.details == [(error, f"[0].sets{field}")]


async def test_icons_of_one_process_are_named_and_stored_ones_stay(labels: Labels) -> None:
    wash, hand = labels.ids["wash40"], labels.ids["handWash"]
    answer = await labels.api.put(labels.path, [{"careInstructionIconIds": [wash, hand]}])
    assert "Two icons are about washing." in answer.raw.decode()
    await labels.api.put(labels.path, [{"careInstructionIconIds": [wash, labels.ids["own"]]}])
    icon = f"/api/care-instruction-icons/{labels.ids['own']}"
    assert (await labels.api.patch(icon, replacing("/symbol", "wash30"))).status == 200
    form = (await labels.api.get(labels.path, {"form": "writable"})).data
    assert (await labels.api.put(labels.path, form)).status == 200


@pytest.mark.contract("Changes")
async def test_a_deleted_style_color_hides_its_set(labels: Labels) -> None:
    """Writes leave it, and the feed has what a delete and a restore do to the part."""
    navy, color = f"/api/style-colors/{labels.colors[0]}", {"styleColorId": labels.colors[0]}
    stored = (await labels.api.put(labels.path, [color])).data
    follower = Follower(labels.api, collection="style-care-instructions")
    await follower.begin()
    for patch, operation, shown in (
        (None, "deleted", []),
        (replacing("/state", "active"), "created", stored),
    ):
        answer = await (labels.api.patch(navy, patch) if patch else labels.api.delete(navy))
        assert answer.status == 200
        assert (await labels.api.get(labels.path)).data == shown
        assert [entry["operation"] for entry in await follower.entries()] == [operation]
    await labels.api.delete(navy)
    assert (await labels.api.put(labels.path, [color])).details == [(UNKNOWN, "[0].styleColorId")]
    [of_all] = (await labels.api.put(labels.path, [{}])).data
    await labels.api.patch(navy, replacing("/state", "active"))
    assert (await labels.api.get(labels.path)).data == [of_all, *stored]


@pytest.mark.contract("States", "Care instructions")
async def test_live_styles_protect_what_their_labels_say(labels: Labels) -> None:
    """A care instruction is deleted for good: that of a deleted style goes from its labels."""
    ids = labels.ids
    said = {
        "careInstructionIconIds": [ids["own"]],
        "careInstructionIds": [ids["Wash inside out"]],
        "layers": [layer(labels, "Shell", Cotton=100)],
    }
    await labels.api.put(labels.path, [said, said | {"styleColorId": labels.colors[0]}])
    style = f"/api/styles/{labels.style}"
    used = [
        f"/api/care-instruction-icons/{ids['own']}",
        f"/api/care-instruction-layers/{ids['Shell']}",
        f"/api/care-instruction-materials/{ids['Cotton']}",
    ]
    text = f"/api/care-instructions/{ids['Wash inside out']}"
    for path in (*used, text):
        answer = await labels.api.delete(path)
        assert answer.details == [(IN_USE, "id")], path
        value = answer.json["error"]["details"][0]["value"]
        assert value == f'Used by style care instructions: 1 ({labels.style} "T-1").'
    assert (await labels.api.delete(style)).status == 200
    for path in (*used, text):
        assert (await labels.api.delete(path)).status == 200, path
    restore = replacing("/state", "active")
    for path in used:
        assert (await labels.api.patch(style, restore)).details == [(UNKNOWN, "state")]
        assert (await labels.api.patch(path, restore)).status == 200
    assert (await labels.api.patch(style, restore)).status == 200
    for entry in (await labels.api.get(labels.path)).data:
        assert entry["careInstructionIds"] == []
        assert entry["careInstructionIconIds"] == [ids["own"]]
