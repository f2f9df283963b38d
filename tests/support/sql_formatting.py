"""SQL formatting: adds line breaks and indents to a statement.

Composed statements have long lines, and parts that are indented as in their own file. Formatting
changes white space between tokens only.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_WIDTH: Final = 110
"""Length in characters above which a line is broken, if it can be."""
_INDENT: Final = 4
_TOKEN: Final = re.compile(r"--.*|'(?:[^']|'')*'|\"[^\"]*\"|.", re.DOTALL)
_FRAGMENT: Final = re.compile(r"\((?=-- |(?:with|select)\b)(.*)")
"""Beginning of a fragment in parentheses."""
_BREAK: Final = re.compile(
    r"(?<=,) | (?=(?:\|\||and|or|from|where|order by|when|else|end)\b)| (?=\|\|)"
)
"""Spaces where a long line may be broken: before a keyword or an operator, or after a comma."""


def format_sql(text: str) -> str:
    """Return the statement with line breaks and indents."""
    return "\n".join(part for line in _indented(text) for part in _wrapped(line))


@dataclass(slots=True)
class _Group:
    """Open parenthesis, with the indents of the lines within it."""

    indent: int
    """Indent in the result."""
    closing_indent: int
    """Indent in the result of the line that closes the group."""
    own_indent: int | None = None
    """Smallest indent in the text so far; None before the first line."""


def _indented(text: str) -> Iterator[str]:
    """Yield the lines that are not blank, indented by the depth of the parentheses around them."""
    groups = [_Group(0, 0, 0)]
    for line in filter(str.strip, _FRAGMENT.sub(_opened, text).split("\n")):
        content = line.strip()
        own_indent = len(line) - len(line.lstrip())
        closed = len(content) - len(content.lstrip(")"))
        del groups[len(groups) - closed :]
        group = groups[-1]
        # Of a fragment in a slot, only the first line has the indent of the slot.
        if group.own_indent is None or own_indent < group.own_indent:
            group.own_indent = own_indent
        indent = group.indent + own_indent - group.own_indent
        opened, position = 0, 0
        for token in _TOKEN.findall(content):
            if token == "(":
                opened += 1
            elif token == ")" and opened:
                opened -= 1
            elif token == ")" and position >= closed:
                yield " " * indent + content[:position]
                content, position = content[position:], 0
                indent = groups.pop().closing_indent
            position += len(token)
        yield " " * indent + content
        groups += [_Group(indent + _INDENT, indent) for _ in range(opened)]


def _opened(match: re.Match[str]) -> str:
    """Return the text with a line break in front of a fragment of several lines."""
    tokens = _TOKEN.findall(match[1])
    rest = _FRAGMENT.sub(_opened, match[1])
    return f"(\n{rest}" if tokens.count("(") >= tokens.count(")") else f"({rest}"


def _wrapped(line: str) -> Iterator[str]:
    """Yield the line in parts of at most ``_WIDTH`` characters, if it can be broken."""
    content = line.strip()
    if len(line) <= _WIDTH or "--" in content:
        yield line
        return
    first, *rest = _pieces(content)
    indent = " " * (len(line) - len(content))
    current = indent + first
    for piece in rest:
        if len(current) + 1 + len(piece) <= _WIDTH:
            current += f" {piece}"
        else:
            yield from _wrapped(current) if len(current) < len(line) else (current,)
            current = f"{indent}{' ' * _INDENT}{piece}"
    yield from _wrapped(current) if len(current) < len(line) else (current,)


def _pieces(content: str) -> list[str]:
    """Split a line at those breaks that are within the fewest parentheses."""
    positions: dict[int, list[int]] = {}
    depth, position = 0, 0
    for token in _TOKEN.findall(content):
        depth += (token == "(") - (token == ")")
        if token == " " and _BREAK.match(content, position):
            positions.setdefault(depth, []).append(position)
        position += len(token)
    breaks = positions[min(positions)] if positions else []
    edges = [-1, *breaks, len(content)]
    return [content[begin + 1 : end] for begin, end in pairwise(edges)]
