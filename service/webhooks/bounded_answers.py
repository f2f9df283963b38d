"""Bounded answers: connections to receivers, which take a limited number of bytes of an answer.

Problem: aiohttp limits the lines and headers of an answer, but not the number of informational
answers (1xx) before it. A receiver that sends them without end occupies the event loop, and delays
all requests of the worker. Rejected: a time limit alone, because it needs the event loop, too.
Chosen: each connection counts the bytes of an answer, and aborts itself beyond a limit.
"""

from asyncio import AbstractEventLoop
from functools import partial
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler

from service.limits import MAX_RECEIVER_HEAD_BYTES


class AnswerTooLongError(aiohttp.ClientError):
    """Error of an answer of more than MAX_RECEIVER_HEAD_BYTES, heads and body together.

    It fails the request only if the head of the final answer is not complete within them.
    """


class BoundedConnector(aiohttp.TCPConnector):
    """Connector whose connections end with an answer that is too long."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = partial(_protocol, self._loop)


class _BoundedProtocol(ResponseHandler):
    """Connection that parses MAX_RECEIVER_HEAD_BYTES of each answer, and aborts itself for more.

    They include the informational answers before the final one, and its body. If the head of the
    final answer is within them, it is valid, and reading its body fails.
    """

    _left = 0

    def set_response_params(self, **parameters: Any) -> None:
        """Prepare for the answer to the next request; aiohttp calls it before it sends that."""
        self._left = MAX_RECEIVER_HEAD_BYTES
        super().set_response_params(**parameters)

    def data_received(self, data: bytes) -> None:
        """Parse bytes of the answer; without any left, set AnswerTooLongError and abort."""
        left = self._left
        self._left = max(0, left - len(data))
        super().data_received(data[:left])
        if len(data) > left and self.transport is not None:
            self.set_exception(AnswerTooLongError())
            self.transport.abort()


def _protocol(loop: AbstractEventLoop) -> ResponseHandler:
    return _BoundedProtocol(loop)
