"""Secrets and signatures of messages (Standard Webhooks, version ``v1``)."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = 32


def new_secret() -> bytes:
    """Return a fresh secret of 32 random bytes."""
    return secrets.token_bytes(_SECRET_BYTES)


def encoded(secret: bytes) -> str:
    """Return a secret as receivers configure it: ``whsec_`` and Base64."""
    return PREFIX + base64.b64encode(secret).decode()


def active_secrets(row: Mapping[str, Any]) -> tuple[bytes, ...]:
    """Return the valid secrets of a subscription's row, the current one first.

    The row's ``former_secret`` is null unless a rotation's overlap lasts: the statement sees to it.
    """
    return tuple(filter(None, (row["secret"], row["former_secret"])))


def signed_headers(
    message_id: str, timestamp: int, body: bytes, signing_secrets: Sequence[bytes]
) -> dict[str, str]:
    """Return the headers of a message, with a signature by each of the secrets.

    ``timestamp``, in seconds since 1970, is that of the try. ``body`` are the bytes as sent. A
    signature is the HMAC-SHA256 of id, timestamp and body, joined by periods.
    """
    signed = b"%b.%d.%b" % (message_id.encode(), timestamp, body)
    digests = (hmac.digest(secret, signed, hashlib.sha256) for secret in signing_secrets)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(
            f"v1,{base64.b64encode(digest).decode()}" for digest in digests
        ),
    }
