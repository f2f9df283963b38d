"""Webhooks in the OpenAPI document: responses of their operations, and messages to receivers."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from service.handlers import webhook_operations
from service.handlers.operations import Operation
from service.http.media_types import JSON
from service.openapi import success_responses
from service.openapi.components import reference
from service.openapi.response_object import ResponseObject

_FILE: Final = "webhooks"
"""Name of the schema file, ``schemas/webhooks.json``."""

SUCCESSES: Final[Mapping[Operation, Callable[[str], ResponseObject]]] = {
    webhook_operations.ADD: lambda name: success_responses.issued(name, code=HTTPStatus.CREATED),
    webhook_operations.UPDATE: success_responses.plain,
    webhook_operations.REMOVE: success_responses.plain,
    webhook_operations.REWIND: success_responses.plain,
    webhook_operations.ROTATE: success_responses.issued,
    webhook_operations.TEST: success_responses.test_result,
}
"""Makers of the successful response from the resource's name, by operation.

Lists and reads are not in it: webhooks have the same operations for these as records.
"""

_MESSAGES: Final = {
    "changes": ("changesMessage", "Changes", "A batch of changes, in order."),
    "expired": (
        "expiredMessage",
        "Expired changes",
        "Changes expired before they could be delivered: read the lists again.",
    ),
    "test": ("testMessage", "Test", "A message that was asked for, to test the receiver."),
}
"""Definition in the schema file, summary and description of each message."""
_HEADERS: Final = {
    "webhook-id": "Id of the message, the same when it is sent again.",
    "webhook-timestamp": "Time of the try, in seconds since 1970.",
    "webhook-signature": "Signatures with a space between them, each `v1,` and Base64 "
    "(Standard Webhooks).",
}
"""Descriptions of the headers of a message, by name."""
_RESPONSES: Final = {
    "2XX": "Acknowledges the message. The next one follows.",
    "410": "Pauses the webhook.",
    "429": "The message is sent again, after the seconds of `Retry-After` if there are any.",
    "default": "The message is sent again.",
}
"""Descriptions of the receiver's responses, by status."""


def messages() -> dict[str, Any]:
    """Return the messages that receivers get as path item objects, by name."""
    return {name: {"post": _message(name)} for name in _MESSAGES}


def _message(name: str) -> dict[str, Any]:
    definition, summary, description = _MESSAGES[name]
    content = {JSON: {"schema": reference(_FILE, definition)}}
    return {
        "operationId": f"receive{name.title()}",
        "tags": ["Webhooks"],
        "summary": summary,
        "description": description,
        "security": [],
        "parameters": [
            {
                "name": header,
                "in": "header",
                "required": True,
                "description": text,
                "schema": {"type": "string"},
            }
            for header, text in _HEADERS.items()
        ],
        "requestBody": {"required": True, "content": content},
        "responses": {status: {"description": text} for status, text in _RESPONSES.items()},
    }
