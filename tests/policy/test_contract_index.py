"""Contract index: every section of the contract and of its operators' part has tests."""

from pathlib import Path

from tests.support import module_index
from tests.support.contract_index import ROOT, headings, marked_tests, read_tests, render
from tests.support.offenders import in_each

#: Folders whose tests all check promises of the contract.
FOLDERS = ("contract", "resources", "transfer")
SECTIONS = headings()


def test_marks_name_sections_of_the_contract() -> None:
    assert len(SECTIONS) > 70
    unknown = {
        test.id: missing for test in marked_tests() if (missing := {*test.headings} - {*SECTIONS})
    }
    assert not unknown, "Marks must name headings of level 3 of pages with promises."


@in_each("section", SECTIONS)
def test_every_section_has_a_test(section: str) -> None:
    assert [test.id for test in marked_tests() if section in test.headings]


def test_every_module_leads_to_tests() -> None:
    rows = module_index.index().split("\n")[2:]
    assert len(rows) > 250
    assert [row for row in rows if row.endswith("|  |  |")] == []


def test_every_contract_test_is_marked() -> None:
    """A test of these folders that checks no promise says so with an empty mark."""
    folders = {ROOT / "tests" / folder for folder in FOLDERS}
    unmarked = [
        test.id for test in marked_tests() if test.module.parent in folders and not test.has_mark
    ]
    assert not unmarked, "Add @pytest.mark.contract(...) with the sections that the test checks."


SOURCE = """
pytestmark = [pytest.mark.contract("Pages"), pytest.mark.skipif(True, reason="")]

@pytest.mark.parametrize("number", [1])
@pytest.mark.contract("Sorts", "Pages")
def test_a(): ...

async def test_b(): ...

@pytest.mark.contract
def test_c(): ...

def helper(): ...
"""


def test_marks_are_read_from_modules_and_functions() -> None:
    tests = [*read_tests(Path("test_x.py"), SOURCE)]
    assert [(test.name, test.headings) for test in tests] == [
        ("test_a", ("Pages", "Sorts")),
        ("test_b", ("Pages",)),
        ("test_c", ("Pages",)),
    ]
    [bare] = read_tests(Path("test_x.py"), "@pytest.mark.contract\ndef test_d(): ...")
    assert bare.has_mark
    assert not bare.headings
    [unmarked] = read_tests(Path("test_x.py"), "def test_d(): ...")
    assert not unmarked.has_mark


def test_the_index_counts_the_tests_of_a_section() -> None:
    module = ROOT / "tests" / "unit" / "test_x.py"
    tests = [*read_tests(module, SOURCE)]
    index = render({"Pages": "contract.md", "Sorts": "contract.md"}, tests)
    assert "| [Pages](contract.md#pages) | `unit/test_x.py` 3 |" in index
