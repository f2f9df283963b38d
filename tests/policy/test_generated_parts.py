"""Generated parts: documents and the client say what the tables of the service say."""

import pytest

from service.error_types import ErrorType
from service.resources.registry import EXPORTED
from tests.policy.sources import ROOT, SERVICE, modules, texts
from tests.support.generated_parts import PARTS, GeneratedPart, resources
from tests.support.offenders import in_each
from tests.support.reports import with_section

each_part = in_each("part", PARTS, label=lambda part: part.file)


@each_part
def test_parts_are_current(part: GeneratedPart) -> None:
    text = part.file.read_text(encoding="utf-8")
    assert text == part.current(text), "Run `make docs`."


@each_part
def test_a_stale_part_is_found(part: GeneratedPart) -> None:
    text = part.file.read_text(encoding="utf-8")
    assert part.render() in text
    stale = text.replace(part.render(), part.render()[:-5])
    assert stale != part.current(stale) == text


def test_a_file_without_marks_is_refused() -> None:
    assert with_section(
        "a\n# <!-- written by `x` -->\nb\n# <!-- end of `x` -->\nc", "x", "d\n", "# "
    ) == ("a\n# <!-- written by `x` -->\nd\n# <!-- end of `x` -->\nc")
    with pytest.raises(ValueError, match="marks"):
        with_section("A page without marks.", "x", "")


def test_the_page_of_resources_has_every_collection() -> None:
    assert not [name for name in EXPORTED if f"| `/api/{name}`" not in resources()]


def test_messages_of_error_types_are_written_once() -> None:
    """Rows without a message of their own have the one of the table."""
    messages = {error_type.message for error_type in ErrorType} - {""}
    copies = {
        module.relative_to(ROOT).as_posix(): copied
        for module in modules()
        if module != SERVICE / "error_types.py"
        if (copied := messages & set(texts(module)))
    }
    assert not copies
