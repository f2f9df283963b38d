"""CSV encoding and delimiter detection for files that spreadsheets write."""

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
_MARK_BYTES: Final = 4
_DELIMITERS: Final = re.compile(r"[,;\t|]")
"""Comma, semicolon, tab and vertical bar."""
TABLE_ENCODING: Final = "utf-8-sig"
"""Encoding of written CSV files: without its byte order mark spreadsheets assume a code page."""
REMEDY: Final = "save the file as CSV UTF-8, or name its encoding: --encoding cp1252"
"""Remedy in messages about text that cannot be decoded."""


def encoding_of(file: IO[bytes], option: str | None) -> str | None:
    """Return the encoding of the byte order mark, otherwise the option, otherwise ``utf-8``.

    Return None if there is neither mark nor option and the first four bytes contain a NUL, as in
    UTF-16 or UTF-32: the byte order would be a guess. The file is read and rewound to its start.
    """
    begin = file.read(_MARK_BYTES)
    file.seek(0)
    for mark, encoding in _MARKS:
        if begin.startswith(mark):
            return encoding
    if option is None and b"\0" in begin:
        return None
    return option or "utf-8"


def is_text_encoding(encoding: str) -> bool:
    """Return whether Python has a text encoding of that name."""
    try:
        return "a".encode(encoding).decode(encoding) == "a"
    except (LookupError, UnicodeError):
        return False


def texts(file: IO[bytes], encoding: str) -> io.TextIOWrapper:
    """Return a text stream of the file that keeps line ends: cells may contain them.

    The file is closed with the stream, also when that is garbage-collected.
    """
    return io.TextIOWrapper(file, encoding, newline="")


def delimiter_of(header: str) -> str:
    """Return the first comma, semicolon, tab or vertical bar in the header line, else a comma.

    No column name contains one of these.
    """
    delimiter = _DELIMITERS.search(header)
    return delimiter[0] if delimiter else ","


def text_before(file: IO[bytes], error: UnicodeDecodeError, encoding: str) -> str:
    """Return the text of the whole file before the first undecodable bytes.

    The error's offset is relative to a block of the file, so the whole file is read into memory and
    decoded again. ``error`` is used only if the whole file decodes.
    """
    file.seek(0)
    content = file.read().removeprefix(codecs.BOM_UTF8)
    try:
        content.decode(encoding)
    except UnicodeDecodeError as whole_file_error:
        error = whole_file_error
    return content[: error.start].decode(encoding, "replace")
