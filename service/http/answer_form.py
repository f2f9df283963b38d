"""Form of the answer that a path fixes, in place of parameters and headers that choose it.

For example ``GET /api/colors/{id}/writable`` is ``GET /api/colors/{id}?form=writable``. The same
handler serves both paths: it asks ``answer_form`` before it reads the parameters.
"""

from typing import Final

from aiohttp import web

from service.http.router import Handler

DOCUMENTS: Final = "documents"
OUTCOMES: Final = "outcomes"
WRITABLE: Final = "writable"

_ANSWER_FORM: web.RequestKey[str] = web.RequestKey("answer_form", str)


def with_answer_form(handler: Handler, form: str) -> Handler:
    """Return the handler for a path that fixes the form of the answer."""

    async def respond(request: web.Request) -> web.StreamResponse:
        request[_ANSWER_FORM] = form
        return await handler(request)

    return respond


def answer_form(request: web.Request) -> str:
    """Return the form that the request's path fixes; "" if parameters and headers choose it."""
    form: str = request.get(_ANSWER_FORM, "")
    return form
