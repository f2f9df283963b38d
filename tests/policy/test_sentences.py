"""Sentences of the reader of tables, which `/data` says in the person's language (Files)."""

import ast
import re
from collections.abc import Iterator

import orjson
import pytest

from service.extras.pages.page import read_file
from service.extras.tables.csv_records import rows
from service.extras.tables.table_cells import TableError
from service.extras.transfer.collections import transfer_collections
from service.schemas.vocabulary import LANGUAGES
from tests.policy.sources import SERVICE, nodes, tree
from tests.transfer.test_hostile_tables import _REFUSED as REFUSED

_RAISED = ("CellError", "TableError", "TableCell", "WorkbookError")
_NAMES = re.compile("message|reason|remedy|what|text|DAMAGED|_CONFLICT|_NO_RESULT|_UNNAMED")
_OF_COMMANDS = ("columns.py", "headings.py", "bounded_reading.py", "workbook_writer.py")
"""Modules whose sentences the page never gets: it chooses columns, and names them itself."""
_WORDS = 3
_OTHERS = [code for code in LANGUAGES if code != "en"]


def _sentences(language: str) -> dict[str, str]:
    sentences: dict[str, str] = orjson.loads(read_file(f"words/{language}.json"))["sentences"]
    return sentences


def translated(text: str, sentences: dict[str, str]) -> str:
    """Return a sentence as the page does (`words.js`)."""
    for english in sorted(sentences, key=len, reverse=True):
        pattern = re.sub(r"\\\{\d\\\}", "(.*?)", re.escape(english))
        if match := re.fullmatch(pattern, text, re.DOTALL):
            return sentences[english].format(
                *(translated(part, sentences) for part in match.groups())
            )
    return text


def _flat(node: ast.AST) -> str:
    """Return a literal text, with 7 in the place of what it gets."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_flat(part) for part in node.values)
    return "7" if isinstance(node, ast.FormattedValue) else ""


def _said(node: ast.AST) -> Iterator[str]:
    """Yield the texts that a call raises, or that a name has which is raised later."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _RAISED:
        yield from map(_flat, [*node.args, *(keyword.value for keyword in node.keywords)])
    if isinstance(node, ast.AnnAssign | ast.Assign) and node.value:
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        if _NAMES.fullmatch(ast.unparse(target)):
            yield _flat(node.value)


def _written() -> Iterator[tuple[str, str]]:
    """Yield the texts that the reader says, with their modules; names alone are none."""
    for path in sorted((SERVICE / "extras/tables").glob("*.py")):
        for node in nodes(tree(path)) if path.name not in _OF_COMMANDS else ():
            for text in _said(node):
                if len(re.findall("[a-z]{2,}", text)) >= _WORDS:
                    yield path.name, text.removeprefix("7: ")


def _is_translated(text: str, sentences: dict[str, str]) -> bool:
    """Return whether a text is a part of a sentence, or a sentence with something in its gaps."""
    forms = (text, f"{text}: A1.", f"{text}: it", f"D2 {text}.", f"{text}: save it again as XLSX")
    is_sentence = any(translated(form, sentences) != form for form in forms)
    return is_sentence or any(text in english for english in sentences)


@pytest.mark.parametrize("language", _OTHERS)
def test_every_sentence_of_the_reader_is_translated(language: str) -> None:
    written, sentences = [*_written()], _sentences(language)
    assert len(written) > len(sentences) / 3
    assert not [each for each in written if not _is_translated(each[1], sentences)]


def test_the_languages_have_the_same_sentences_with_the_same_gaps() -> None:
    first, *others = map(_sentences, _OTHERS)
    for sentences in (first, *others):
        assert sentences.keys() == first.keys()
        for english, translation in sentences.items():
            assert {*re.findall(r"\{\d\}", english)} == {*re.findall(r"\{\d\}", translation)}
            assert english.startswith("{0} ") <= translation.startswith("{0}"), english


@pytest.mark.parametrize("language", _OTHERS)
def test_refused_files_and_cells_are_told_in_the_language(language: str) -> None:
    fields, sentences = transfer_collections()["sub-suppliers"].all_fields, _sentences(language)
    texts = list[str]()
    for content, _ in REFUSED.values():
        try:
            texts += [problem.message for row in rows(content, fields) for problem in row.problems]
        except TableError as error:
            reason = str(error).removesuffix(", or name its encoding: --encoding cp1252")
            texts.append(f"Line {error.line}: {reason}.")
    odd = rows(b"customId;latitude\nA;1.234;x\n", fields)
    texts += [problem.message for row in odd for problem in row.problems]
    assert len(texts) > len(REFUSED)
    told_texts = {text: translated(text, sentences) for text in texts}
    english = re.compile(r"\b(the|it|is|has|save|which|cell)\b")
    assert not {text for text, other in told_texts.items() if english.search(other)}


def test_a_sentence_within_a_sentence_is_translated() -> None:
    german = _sentences("de")
    assert translated("D2 shows #N/A.", german) == "D2 zeigt #N/A."
    line = "Line 1: no workbook: it is encrypted: save it without a password."
    assert translated(line, german) == (
        "Zeile 1: Keine Arbeitsmappe: Sie ist verschlüsselt: Speichern Sie sie ohne Kennwort."
    )
