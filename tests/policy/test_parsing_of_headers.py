"""Header policy: the service parses headers itself, in linear time, never by aiohttp.

That parsing is Python's e-mail parser and the like: quadratic, and with exceptions for some texts.
"""

import ast

from tests.policy.sources import modules, nodes, tree

#: Properties and methods of aiohttp's requests that parse what a caller sent, when they are used.
_PARSED_LATE = {
    "charset", "content_type", "cookies", "forwarded", "http_range", "if_match",
    "if_modified_since", "if_none_match", "if_range", "if_unmodified_since", "json", "message",
    "multipart", "post", "text", "url",
}  # fmt: skip
#: What else of aiohttp reads headers so: conditions and ranges of files, uploads, digests, cookies.
_READ_HEADERS = {
    "BasicAuth", "ContentDisposition", "FileResponse", "MultipartReader", "WebSocketResponse",
    "add_static", "email", "http.cookies", "parse_content_disposition", "parse_mimetype", "static",
}  # fmt: skip


def test_nothing_that_aiohttp_parses_late_is_used() -> None:
    for path in modules():
        for node in nodes(tree(path)):
            if isinstance(node, ast.Attribute):
                owner = ast.unparse(node.value).rpartition(".")[2].strip("_")
                is_request = owner == "request"
                assert not (is_request and node.attr in _PARSED_LATE), (path, node.lineno)
                assert not (owner in ("web", "router") and node.attr in _READ_HEADERS), path
            elif isinstance(node, ast.ImportFrom):
                names = {node.module, *(each.name for each in node.names)}
                assert not names & _READ_HEADERS, (path, node.lineno)
            elif isinstance(node, ast.Import):
                assert not {each.name for each in node.names} & _READ_HEADERS, (path, node.lineno)
