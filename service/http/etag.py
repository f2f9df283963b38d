"""Entity tags over the bytes of ``data``, and the preconditions that name them (RFC 9110, 13)."""

import hashlib
import re
from collections.abc import Callable

_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')


def etag(data: bytes) -> str:
    """The strong entity tag of a document, or of a page of them.

    Of the digests at hand SHA-256 is the quickest: processors have it.
    """
    return f'"{hashlib.sha256(data).hexdigest()[:32]}"'


def if_match(header: str | None) -> Callable[[bytes], bool] | None:
    """Whether a record whose document this is may be written, by an ``If-Match`` header.

    None where every record may: without the header, and for ``*``, which asks only that there is
    one. Weak tags never match a write (RFC 9110, 13.1.1).
    """
    if header is None or header.strip() == "*":
        return None
    tags = frozenset(tag for weak, tag in _TAG.findall(header) if not weak)
    return lambda document: etag(document) in tags


def is_known(header: str | None, tag: str) -> bool:
    """Whether ``If-None-Match`` says that the caller has this representation already."""
    if header is None:
        return False
    return header.strip() == "*" or any(known == tag for _, known in _TAG.findall(header))
