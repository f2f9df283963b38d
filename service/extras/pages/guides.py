"""Guides: the Markdown files of `docs/guides/`, rendered to HTML.

A guide begins with its heading, which is also the title of its page. HTML in it is shown as text,
but comments are left out. A comment must end its line.
"""

import html
import re
from collections.abc import Iterator
from typing import Final

from markdown_it import MarkdownIt

from service.extras.pages.page import HTML, WebPage, csp_source, menu, read_file, render
from service.files import GUIDES

_INDEX: Final = "README"
_COMMENT: Final = re.compile(r"<!--.*?-->\n\n?", re.DOTALL)
_LINK: Final = re.compile(r"(?P<name>[\w-]+)\.md(?P<fragment>#.*)?")


def guides() -> Iterator[tuple[str, WebPage]]:
    """Yield the path and page of each guide, and of their index at ``/guides``, from README.md.

    The path is ``/guides/`` and the name of the file without ``.md``; the order is that of names.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for path in sorted(GUIDES.glob("*.md")):
        text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
        yield _path(path.stem), _page(markdown, text, "guides/" if path.stem == _INDEX else "")


def _path(name: str) -> str:
    return "/guides" if name == _INDEX else f"/guides/{name}"


def _page(markdown: MarkdownIt, text: str, prefix: str) -> WebPage:
    """Return a guide as a page.

    ``prefix`` is the relative path to the other guides: ``guides/`` for the index, else "".
    """
    tokens = markdown.parse(text)
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _target(str(child.attrGet("href")), prefix))
    style = read_file("style.css")
    body = render(
        "guide.html",
        title=html.escape(tokens[1].content),
        style=style,
        menu=menu("guides" if prefix else "", above="" if prefix else "../"),
        guide=markdown.renderer.render(tokens, markdown.options, {}),
    )
    return WebPage(body, HTML, f"style-src {csp_source(style)}", "img-src data:")


def _target(target: str, prefix: str) -> str:
    """Return the target of a link as a page has it: links between guides become relative paths.

    Other targets stay.
    """
    match = _LINK.fullmatch(target)
    if match is None:
        return target
    index = "../guides" if not prefix else "guides"
    name = match["name"]
    return (index if name == _INDEX else f"{prefix}{name}") + (match["fragment"] or "")
