"""CSV lines whose texts no spreadsheet runs as formulas (RFC 4180; contract, CSV).

Spreadsheets may separate cells at another character than the file does, and then take quotation
marks within a line as they stand. So texts are guarded wherever a cell could begin.
"""

import re
from collections.abc import Iterable
from typing import Final

_START: Final = r"([,;\t|\r\n]|^)"
_FORMULA: Final = r"""(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])"""
_UNGUARDED: Final = re.compile(_START + _FORMULA)
_GUARDED: Final = re.compile(f"{_START}'{_FORMULA}")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_SPECIAL: Final = re.compile(r'[",;\t|\r\n]')
"""Characters of cells that are quoted: the quotation mark, each separator, and line breaks."""
_RISKY: Final = frozenset("'=+-@\uff1d\uff0b\uff0d\uff20")
"""First characters of cells that need a guard though they need no quotes."""


def line(cells: Iterable[str]) -> str:
    """Return a line, which ends in CRLF; its only cell is quoted if it is empty.

    An apostrophe stands before each beginning of a formula, unless the cell is a number.
    """
    text = ",".join(map(_cell, cells))
    return (text or '""') + "\r\n"


def unguard(text: str) -> str:
    """Return the text of a cell without the apostrophes of ``line``."""
    return _GUARDED.sub(r"\1", text) if "'" in text else text


def guard(text: str) -> str:
    """Return a text with an apostrophe before each beginning of a formula; a number as it is."""
    return text if _NUMBER.fullmatch(text) else _UNGUARDED.sub(r"\1'", text)


def _cell(text: str) -> str:
    is_special = _SPECIAL.search(text)
    if not is_special and text[:1] not in _RISKY:
        return text
    guarded = guard(text)
    return '"{}"'.format(guarded.replace('"', '""')) if is_special else guarded
