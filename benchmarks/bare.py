"""Upper limit: an aiohttp server that sends the same bytes without any work.

`python -m benchmarks.bare FOLDER PORT` sends the file that is named by the method and collection of
the request.
"""

import asyncio
import sys
from pathlib import Path

import uvloop
from aiohttp import web


def answer_name(method: str, path: str) -> str:
    """Return the name of the file that has the response."""
    return f"{method}-{path.split('?')[0].split('/')[2]}"


def main() -> None:
    """Serve until a signal."""
    folder, port = Path(sys.argv[1]), int(sys.argv[2])
    bodies: dict[str, bytes] = {}

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        name = answer_name(request.method, request.path)
        if name not in bodies:
            bodies[name] = (folder / name).read_bytes()
        return web.Response(body=bodies[name], content_type="application/json")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    web.run_app(app, host="127.0.0.1", port=port, access_log=None, print=None)


if __name__ == "__main__":
    main()
