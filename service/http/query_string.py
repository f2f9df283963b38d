"""Query string checks before parsing: number of parameters, and UTF-8."""

from urllib.parse import unquote_to_bytes

from aiohttp import web

from service.error_types import ErrorType
from service.errors import api_error
from service.limits import MAX_PARAMETERS


def check_query_string(request: web.Request) -> None:
    """Raise ApiError ``too_many_parameters``, or ``invalid_value`` if the query is not UTF-8.

    MAX_PARAMETERS are allowed; empty parts between two ``&`` count as well.
    """
    query = request.rel_url.raw_query_string
    if query.count("&") >= MAX_PARAMETERS:
        raise api_error(ErrorType.TOO_MANY_PARAMETERS)
    if "%" in query:
        try:
            unquote_to_bytes(query).decode()
        except UnicodeDecodeError:
            message = "Percent-encode the query as UTF-8."
            raise api_error(ErrorType.INVALID_VALUE, message=message) from None
