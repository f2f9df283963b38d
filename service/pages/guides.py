"""The guides: Markdown files of `docs/guides/`, as HTML."""

import html
import re
from collections.abc import Iterator
from typing import Final

from markdown_it import MarkdownIt

from service.files import GUIDES
from service.pages.page import HTML, WebPage, composed, digest, file

_INDEX: Final = "README"
_LINK: Final = re.compile(r"(?P<name>[\w-]+)\.md(?P<place>#.*)?")


def guides() -> Iterator[tuple[str, WebPage]]:
    """The path and page of each guide, and of the list of them."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for path in sorted(GUIDES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        yield _path(path.stem), _page(markdown, text, "guides/" if path.stem == _INDEX else "")


def _path(name: str) -> str:
    return "/guides" if name == _INDEX else f"/guides/{name}"


def _page(markdown: MarkdownIt, text: str, below: str) -> WebPage:
    """A guide as a page; ``below`` leads from it to the other guides."""
    tokens = markdown.parse(text)
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _target(str(child.attrGet("href")), below))
    style = file("style.css")
    body = composed(
        "guide.html",
        title=html.escape(tokens[1].content),
        style=style,
        above="" if below else "../",
        guide=markdown.renderer.render(tokens, markdown.options, {}),
    )
    return WebPage(body, HTML, f"style-src {digest(style)}", "img-src data:")


def _target(target: str, below: str) -> str:
    """Where a link between the files leads as one between the pages."""
    found = _LINK.fullmatch(target)
    if found is None:
        return target
    up = "../guides" if not below else "guides"
    name = found["name"]
    return (up if name == _INDEX else f"{below}{name}") + (found["place"] or "")
