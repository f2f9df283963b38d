"""What bodies are sent as, and how long one may be."""

from typing import Final

JSON: Final = "application/json"
JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
PROBLEM: Final = "application/problem+json"
"""Problem details (RFC 9457)."""

MAX_BODY_MIB: Final = 8
MAX_BODY_BYTES: Final = MAX_BODY_MIB * 2**20
TOO_LONG: Final = f"Use at most {MAX_BODY_MIB} MiB."
