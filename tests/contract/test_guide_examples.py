"""Tests of the guides: their examples are real responses, and they describe every error."""

from pathlib import Path

import pytest

from service.files import GUIDES
from tests.policy import documents
from tests.support.api import Api
from tests.support.guide_steps import Reader, matches_shown, steps

FILES = sorted(GUIDES.glob("*.md"))
CONTRACT = documents.contract()

each_guide = pytest.mark.parametrize("guide", FILES, ids=lambda path: path.stem)


@pytest.mark.demo_data
@pytest.mark.contract("Open pages")
@each_guide
async def test_guides_show_real_responses(guide: Path, api: Api) -> None:
    reader = Reader(api)
    for step in steps(guide):
        answer = await reader.send(step.shell)
        assert answer.status == step.status, (step.shell, answer.raw)
        assert matches_shown(step.shown, answer.json), (step.shell, answer.raw)


@pytest.mark.contract("Open pages")
@each_guide
def test_guides_but_the_list_of_them_show_something(guide: Path) -> None:
    assert bool(list(steps(guide))) is (guide.stem != "README")


@pytest.mark.contract("Open pages")
def test_the_list_of_guides_names_them_all() -> None:
    linked = documents.links(GUIDES / "README.md")
    assert sorted([*linked, "README.md"]) == [path.name for path in FILES]


@pytest.mark.contract  # checks the comparison of this module
@pytest.mark.parametrize(
    ("shown", "real", "same"),
    [
        ({"name": "Woad"}, {"id": 1, "name": "Woad"}, True),
        ({"name": "Woad"}, {"id": 1, "name": "Weld"}, False),
        ({"name": "…"}, {"id": 1}, False),
        (["…"], [1, 2], False),
        ({"note": None}, {"note": None}, True),
    ],
)
def test_an_answer_that_is_shown_otherwise_is_found(
    shown: object, real: object, same: bool
) -> None:
    assert matches_shown(shown, real) is same


@pytest.mark.contract("Error types")
def test_the_guide_to_errors_has_every_type_and_its_status() -> None:
    def rows(text: str) -> list[tuple[str, str]]:
        cells = [row.split("|") for row in text.splitlines() if row.startswith("| `")]
        return [(row[1].strip(), row[2].strip()) for row in cells]

    guide = documents.sections(GUIDES / "errors.md")["By type"]
    assert rows(guide) == rows(CONTRACT["Error types"])
    assert len(rows(guide)) > 30
