"""Verification of messages by receivers of webhooks (Standard Webhooks, version ``v1``)."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import SelvedgeError

_PREFIX = "whsec_"
_TOLERANCE_SECONDS = 300


class VerificationError(SelvedgeError):
    """Error of a message that may not be from the service or of now: do not process it."""


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
) -> Any:
    """Return the parsed message; raise VerificationError unless it is signed by the secret.

    ``body`` are the bytes as they arrived, ``headers`` are those of the request, with names in any
    case, ``secret`` begins with ``whsec_``. One valid signature of several is enough. Raise
    VerificationError, too, if a header is missing, if the timestamp or the secret is malformed, if
    the body is not JSON, and if the time of the message differs from now by more than
    ``tolerance_seconds``, by default 5 minutes. Processing each ``webhook-id`` once is left to the
    caller.
    """
    by_name = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (
        by_name.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")
    )
    if not (message_id and timestamp.isascii() and timestamp.isdigit() and signatures):
        raise VerificationError("The message has no id, timestamp or signature.")
    # Servers decode bytes of a header that are not UTF-8 as lone surrogates.
    signed = b".".join((message_id.encode(errors="surrogatepass"), timestamp.encode(), body))
    expected = hmac.digest(_key(secret), signed, hashlib.sha256)
    if not any(hmac.compare_digest(expected, digest) for digest in _digests(signatures)):
        raise VerificationError("The signature is not by this secret.")
    if abs(time.time() - int(timestamp[:15])) > tolerance_seconds:
        raise VerificationError("The timestamp is too old, or in the future: check the clock.")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise VerificationError("The message is not JSON.") from None


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except ValueError:
        raise VerificationError("The secret is not `whsec_` and Base64.") from None


def _digests(signatures: str) -> Iterable[bytes]:
    """Yield the digests of the signatures of version 1; others are skipped."""
    for signature in signatures.split():
        version, _, encoded = signature.partition(",")
        if version == "v1":
            try:
                yield base64.b64decode(encoded, validate=True)
            except ValueError:
                continue
