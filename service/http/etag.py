"""Entity tags over the bytes of ``data``, and the preconditions that name them (RFC 9110, 13)."""

import hashlib
import re
from dataclasses import dataclass

_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')


def etag(data: bytes) -> str:
    """The strong entity tag of a document."""
    return f'"{hashlib.blake2b(data, digest_size=16).hexdigest()}"'


@dataclass(frozen=True, slots=True)
class Precondition:
    """An ``If-Match`` header; without tags it always holds, and ``*`` for any record."""

    tags: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, header: str | None) -> "Precondition":
        """The header's strong tags; weak ones never match a write (RFC 9110, 13.1.1)."""
        if header is None:
            return cls()
        if header.strip() == "*":
            return cls(frozenset("*"))
        strong = frozenset(tag for weak, tag in _TAG.findall(header) if not weak)
        return cls(strong or frozenset({"none"}))

    def holds(self, document: bytes) -> bool:
        """Whether a record whose document this is may be written."""
        return not self.tags or "*" in self.tags or etag(document) in self.tags


def is_known(header: str | None, tag: str) -> bool:
    """Whether ``If-None-Match`` says that the caller has this representation already."""
    if header is None:
        return False
    return header.strip() == "*" or any(known == tag for _, known in _TAG.findall(header))
