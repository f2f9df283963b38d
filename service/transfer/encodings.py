"""Encodings and delimiters of CSV files, as spreadsheets write them."""

import codecs
import io
import re
from typing import IO, Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LONGEST: Final = 4
_DELIMITERS: Final = re.compile(r"[,;\t|]")
TABLE_ENCODING: Final = "utf-8-sig"
"""Of files that are written: without the mark, spreadsheets decode them by their own code page."""
REMEDY: Final = "save the file as CSV UTF-8, or name its encoding: --encoding cp1252"


def encoding_of(file: IO[bytes], named: str | None) -> str | None:
    """Return the encoding that a byte order mark tells, else the named one, else UTF-8.

    None for UTF-16 or UTF-32 without a mark, whose byte order would have to be guessed.
    """
    begin = file.read(_LONGEST)
    file.seek(0)
    for mark, encoding in _MARKS:
        if begin.startswith(mark):
            return encoding
    if named is None and b"\0" in begin:
        return None
    return named or "utf-8"


def is_known(encoding: str) -> bool:
    """Return whether there is a text encoding of that name."""
    try:
        return "a".encode(encoding).decode(encoding) == "a"
    except (LookupError, UnicodeError):
        return False


def texts(file: IO[bytes], encoding: str) -> io.TextIOWrapper:
    """Return the file's text, line ends as they are: cells may contain them."""
    return io.TextIOWrapper(file, encoding, newline="")


def delimiter_of(header: str) -> str:
    """Return the delimiter: the first one in the header, whose names contain none."""
    delimiter = _DELIMITERS.search(header)
    return delimiter[0] if delimiter else ","


def text_before(file: IO[bytes], error: UnicodeDecodeError, encoding: str) -> str:
    """Return the text before the first bytes that are not in the encoding.

    The error tells a place in a block of the file alone, so the file is decoded again as a whole.
    """
    file.seek(0)
    content = file.read().removeprefix(codecs.BOM_UTF8)
    try:
        content.decode(encoding)
    except UnicodeDecodeError as whole:
        error = whole
    return content[: error.start].decode(encoding, "replace")
