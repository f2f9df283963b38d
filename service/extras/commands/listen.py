"""Listen command: `selvedge listen` prints what a webhook sends, for developing a receiver.

It takes POST requests of up to 64 MiB on every path. It answers a printed message with the status
of ``--status``, and one that is no JSON or not signed by the secret with 401. The secret is
SELVEDGE_WEBHOOK_SECRET; without it signatures are not checked.
"""

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Final

import orjson
from aiohttp import web

from selvedge_client import VerificationError, verify
from service.console import say
from service.extras.commands import Parsers
from service.extras.commands.prompts import whole_number
from service.settings import Settings

_SECRET: Final = "SELVEDGE_WEBHOOK_SECRET"
_MAX_BYTES: Final = 64 * 2**20
_MAX_PORT: Final = 65_535


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser: ArgumentParser = parsers.add_parser(
        "listen",
        description="Receive messages of a webhook on http://HOST:PORT/ and print each, a JSON "
        f"object a line, until interrupted. Set {_SECRET} to have the signatures verified. The "
        "service sends to this address only if its WEBHOOK_PRIVATE_ADDRESSES lists it.",
    )
    parser.add_argument(
        "port", type=whole_number(0, _MAX_PORT, f"a port from 0 to {_MAX_PORT}"), metavar="PORT"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--status", type=int, default=204, metavar="N", help="status to answer with (default: 204)"
    )
    parser.set_defaults(run=listen)


def listen(_: Settings, arguments: Namespace) -> None:
    """Print messages until interrupted, repeated ones too. Raise OSError if the port is taken."""
    asyncio.run(_serve(arguments))


async def _serve(arguments: Namespace) -> None:
    app = web.Application(client_max_size=_MAX_BYTES)
    secret = os.environ.get(_SECRET) or None

    async def receive(request: web.Request) -> web.Response:
        return _answer(await request.read(), request, secret, arguments.status)

    app.router.add_post("/{path:.*}", receive)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, arguments.host, arguments.port).start()
        host, port = runner.addresses[0][:2]
        say(f"listening on http://{host}:{port}/", file=sys.stderr)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def _answer(body: bytes, request: web.Request, secret: str | None, status: int) -> web.Response:
    """Print a message and return the answer of ``status``.

    If it is no JSON or not signed by the secret, print the reason on standard error instead, and
    return 401. Without a secret signatures are not checked.
    """
    try:
        if secret is not None:
            verify(body, request.headers, secret)
        message = orjson.loads(body)
    except (VerificationError, orjson.JSONDecodeError) as error:
        say(f"refused: {error}", file=sys.stderr)
        return web.Response(status=401)
    say(orjson.dumps(message).decode())
    sys.stdout.flush()
    return web.Response(status=status)
