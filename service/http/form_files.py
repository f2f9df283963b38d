"""Form files: the file of a form that a browser or a program sends (RFC 7578)."""

import re
from typing import Final

from service.error_types import ErrorType
from service.errors import api_error

FORM: Final = "multipart/form-data"
_BOUNDARY: Final = re.compile(r'boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE)
_FILE: Final = re.compile(rb"content-disposition:[^\r\n]*;[ \t]*filename\*?[ \t]*=", re.IGNORECASE)


def file_of(content_type: str, body: bytes) -> bytes:
    """Return the only file of a form.

    Raise ApiError ``malformed_request`` for a form that has none, or several.
    """
    match = _BOUNDARY.search(content_type)
    files = _files(body, match[1] or match[2]) if match else []
    if len(files) != 1:
        message = "Send a form with one file, or the file itself as the body."
        raise api_error(ErrorType.MALFORMED_REQUEST, message=message)
    return files[0]


def _files(body: bytes, boundary: str) -> list[bytes]:
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
    split = (part.partition(b"\r\n\r\n") for part in parts[1:-1])
    return [content for head, _, content in split if _FILE.search(head)]
