"""A page, or a file that a page asks for: its bytes and the headers that go with them."""

import base64
import hashlib
from pathlib import Path
from typing import Final

from service.http.etag import etag

CSS: Final = "text/css; charset=utf-8"
HTML: Final = "text/html; charset=utf-8"
SCRIPT: Final = "text/javascript; charset=utf-8"
_FILES: Final = Path(__file__).parent / "files"


class WebPage:
    """What is sent for a path, the same for everybody."""

    def __init__(self, body: bytes, media_type: str, *allowed: str) -> None:
        """``allowed`` are the directives of what a browser may load and call beside it."""
        policy = ("default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'")
        self.body = body
        self.headers = {
            "Content-Type": media_type,
            "Content-Security-Policy": "; ".join((*policy, "frame-ancestors 'none'")),
            # Kept, but asked about each time: the next release may bring another one.
            "Cache-Control": "no-cache",
            "ETag": etag(body),
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }


def file(name: str) -> str:
    """The text of one of our own files."""
    return (_FILES / name).read_text(encoding="utf-8")


def composed(name: str, **parts: str) -> bytes:
    """An HTML file of ours with each ``{{part}}`` replaced; the parts are taken as they are."""
    text = file(name)
    for part, value in parts.items():
        text = text.replace(f"{{{{{part}}}}}", value)
    return text.encode()


def digest(text: str) -> str:
    """How a policy allows the style or script that stands in a page itself (CSP 3, 2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
