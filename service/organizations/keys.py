"""API key format: ``slv_<organization>_<key id>_<secret>`` (contract, Callers).

The ids are from 1 to 2**63 - 1 without leading zeros; the secret is 64 lowercase hex digits.
"""

import hashlib
import re
import secrets
from typing import Final

_SECRET_BYTES: Final = 32
_ID: Final = "([1-9][0-9]{0,18})"
_KEY: Final = re.compile(f"slv_{_ID}_{_ID}_([0-9a-f]{{{2 * _SECRET_BYTES}}})")
_MAX_ID: Final = 2**63 - 1


def new_secret() -> str:
    """Return a fresh secret: 32 random bytes in lowercase hex."""
    return secrets.token_hex(_SECRET_BYTES)


def compose(organization_id: int, key_id: int, secret: str) -> str:
    """Return the key as the caller presents it."""
    return f"slv_{organization_id}_{key_id}_{secret}"


def parse(text: str) -> tuple[int, int, str] | None:
    """Return organization id, key id and secret; None if ``text`` has not the format of a key.

    Whether such a key was issued is not checked.
    """
    match = _KEY.fullmatch(text)
    if match is None:
        return None
    organization_id, key_id = int(match[1]), int(match[2])
    if max(organization_id, key_id) > _MAX_ID:
        return None
    return organization_id, key_id, match[3]


def digest(secret: str) -> bytes:
    """Return the SHA-256 of a secret, or of a whole key; raise UnicodeEncodeError beyond ASCII.

    The secrets of API keys are never stored themselves. A fast hash is enough: a secret has 256
    random bits and cannot be guessed.
    """
    return hashlib.sha256(secret.encode("ascii")).digest()
