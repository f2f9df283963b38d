"""Markdown documents of the repository: their text, links, sections and tables."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.policy.sources import ROOT

DOCS = ROOT / "docs"
CONTRACT_PAGES = sorted((DOCS / "contract").glob("*.md"))
_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n)+")
_INLINE = re.compile(r"`([^`]+)`")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def documents() -> list[Path]:
    """Return every page that people read."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def text(page: Path) -> str:
    """Return the text of a page."""
    return page.read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    """Return the code spans of a text without code blocks; a line break is a space."""
    prose = _INDENTED.sub("", _FENCED.sub("", text))
    assert prose.count("`") % 2 == 0, "A backtick that none closes hides what comes after it."
    return [" ".join(span.split()) for span in _INLINE.findall(prose)]


def code(page: Path) -> Iterator[str]:
    """Yield each line of code in a page: in blocks, and between backticks."""
    whole = text(page)
    for block in (*_FENCED.findall(whole), *_INDENTED.findall(whole)):
        yield from (line.strip() for line in block.splitlines())
    yield from spans(whole)


def links(page: Path) -> list[str]:
    """Return the files of the repository that the page's links and pictures name."""
    targets = re.findall(r"\]\(([^)\s]+)\)", _FENCED.sub("", text(page)))
    return [target for target in targets if not re.match(r"[a-z]+:|#", target)]


def sections(page: Path) -> dict[str, str]:
    """Return the text under each heading, up to the next one of any level."""
    _, *parts = _HEADING.split(text(page))
    titles, bodies = parts[::2], parts[1::2]
    assert len(set(titles)) == len(titles), page
    return dict(zip(titles, bodies, strict=True))


def contract() -> dict[str, str]:
    """Return the text under each heading on the pages of the contract."""
    pages = [[*sections(page).items()][1:] for page in CONTRACT_PAGES]
    merged = {title: body for page in pages for title, body in page}
    assert len(merged) == sum(map(len, pages)), "Two pages have one heading."
    return merged


def column(section: str, head: str) -> list[str]:
    """Return the code spans in the first column of the tables with this heading."""
    tables = re.findall(rf"^\| {head} \|.*\n\|-.*\n((?:\|.*\n)+)", section, re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()]
    return [name for row in rows for name in spans(row.split("|")[1])]
