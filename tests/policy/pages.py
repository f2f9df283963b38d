"""The documents of the repository, as the policies read them."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.policy.sources import ROOT

_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n)+")
_INLINE = re.compile(r"`([^`]+)`")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def documents() -> list[Path]:
    """Every page that people read."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def text(page: Path) -> str:
    """What the page says."""
    return page.read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    """What stands between backticks in a text, blocks of code left out; a line break is a space."""
    prose = _INDENTED.sub("", _FENCED.sub("", text))
    assert prose.count("`") % 2 == 0, "A backtick that none closes hides what comes after it."
    return [" ".join(span.split()) for span in _INLINE.findall(prose)]


def code(page: Path) -> Iterator[str]:
    """Each line of code in a page: in blocks, and between backticks."""
    whole = text(page)
    for block in (*_FENCED.findall(whole), *_INDENTED.findall(whole)):
        yield from (line.strip() for line in block.splitlines())
    yield from spans(whole)


def links(page: Path) -> list[str]:
    """Where the page's links and pictures lead within the repository."""
    targets = re.findall(r"\]\(([^)\s]+)\)", _FENCED.sub("", text(page)))
    return [target for target in targets if not re.match(r"[a-z]+:|#", target)]


def sections(page: Path) -> dict[str, str]:
    """What stands under each heading, up to the next one of any level."""
    _, *parts = _HEADING.split(text(page))
    titles, bodies = parts[::2], parts[1::2]
    assert len(set(titles)) == len(titles), page
    return dict(zip(titles, bodies, strict=True))


def column(section: str, head: str) -> list[str]:
    """What stands between backticks in the first column of the tables that are headed so."""
    tables = re.findall(rf"^\| {head} \|.*\n\|-.*\n((?:\|.*\n)+)", section, re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()]
    return [name for row in rows for name in spans(row.split("|")[1])]
