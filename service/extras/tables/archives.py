"""ZIP archives whose unpacked bytes are bounded while they are unpacked."""

import io
import posixpath
import zlib
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile, ZipInfo

from service import limits

_CHUNK_BYTES: Final = 2**16
_DAMAGED: Final = (BadZipFile, EOFError, LookupError, OSError, ValueError, zlib.error)
"""What the standard library raises for archives that are damaged or made up."""
_IS_ENCRYPTED: Final = 1
DAMAGED: Final = "it is damaged: open it in a spreadsheet, and save it as XLSX or CSV UTF-8"


class WorkbookError(Exception):
    """Reason why a workbook cannot be read: a line that goes on after ``no workbook:``."""


class Archive:
    """Archive of named parts. The names are matched without regard to case, as OPC has it."""

    def __init__(self, raw: bytes) -> None:
        try:
            self._file = ZipFile(io.BytesIO(raw))
            infos = self._file.infolist()
        except (*_DAMAGED, NotImplementedError) as error:
            raise WorkbookError(DAMAGED) from error
        self._parts = {_normal(info.filename): info for info in infos}
        self._left = limits.MAX_UNPACKED_WORKBOOK_BYTES

    def __contains__(self, name: str) -> bool:
        return self._info(name) is not None

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a part; none if there is no such part."""
        info = self._info(name)
        if info is None:
            return
        if info.flag_bits & _IS_ENCRYPTED:
            raise WorkbookError("it is encrypted: save it without a password")
        try:
            with self._file.open(info) as part:
                while chunk := part.read(_CHUNK_BYTES):
                    self._left -= len(chunk)
                    if self._left < 0:
                        raise WorkbookError("it is too large, save its sheet as CSV UTF-8")
                    yield chunk
        except NotImplementedError as error:
            raise WorkbookError("it is compressed in an unusual way: save it again") from error
        except _DAMAGED as error:
            raise WorkbookError(DAMAGED) from error

    def _info(self, name: str) -> ZipInfo | None:
        return self._parts.get(_normal(name)) or self._parts.get(_normal(unquote(name)))


def _normal(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/")).lstrip("/").lower()
