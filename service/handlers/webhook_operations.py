"""Webhook operations: their part of the table of operations (see ``operations``).

Its writes take neither ``dryRun`` nor preconditions (``of_records``). Lists and reads are those of
all collections, but are not cached, because webhooks are not in the change feed.
"""

from typing import Final

from service.handlers import webhooks
from service.handlers.operations import COLLECTION_PATH, LIST, READ, RECORD_PATH, Operation

ADD: Final = Operation(
    "add",
    "POST",
    COLLECTION_PATH,
    webhooks.add,
    "Create {one}",
    "The deliveries begin with the changes after the response. Only this response has the "
    "`secret` of the signatures.",
    ("create",),
    of_records=False,
)
UPDATE: Final = Operation(
    "update",
    "PATCH",
    RECORD_PATH,
    webhooks.update,
    "Change {one}",
    "Applies a merge patch (RFC 7396): omitted fields keep their values, null sets the default. "
    "`active` after `paused` goes on where it stood.",
    ("merge",),
    of_records=False,
)
REMOVE: Final = Operation(
    "remove",
    "DELETE",
    RECORD_PATH,
    webhooks.remove,
    "Delete {one}",
    "Returns the webhook as it was.",
    of_records=False,
)
TEST: Final = Operation(
    "test",
    "POST",
    f"{RECORD_PATH}/test",
    webhooks.test,
    "Test {one}",
    "Sends a message of the type `test`, also if the webhook is paused, and returns the result.",
    of_records=False,
    is_stored=False,
)
REWIND: Final = Operation(
    "rewind",
    "POST",
    f"{RECORD_PATH}/rewind",
    webhooks.rewind,
    "Rewind {one}",
    "Sets the position: the deliveries go on with the change after it.",
    ("rewind",),
    of_records=False,
)
ROTATE: Final = Operation(
    "rotate",
    "POST",
    f"{RECORD_PATH}/rotate",
    webhooks.rotate,
    "Rotate the secret of {one}",
    "Only this response has the new `secret`. During the overlap messages have two signatures, by "
    "the new secret and by the former one.",
    ("rotate",),
    of_records=False,
)
OF_WEBHOOKS: Final = (LIST, ADD, READ, UPDATE, REMOVE, TEST, REWIND, ROTATE)
