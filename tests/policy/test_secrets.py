"""Policy for secrets: texts that callers send are masked in every log and message."""

import ast
from pathlib import Path

from tests.policy.sources import SERVICE, installed_modules, modules, nodes, tree

_LOG = SERVICE / "http" / "access_log.py"
_MASKING = {"_truncate", "header_text"}
#: The parser knows the methods, the system the address, and the middleware replaces other ids.
_NO_TEXT_OF_CALLERS = {"method", "client", "request_id"}
_LOGGERS = {"_log", "logging"}


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in nodes(node) if isinstance(each, ast.Name)}


def _calls(module: Path) -> list[ast.Call]:
    return [node for node in nodes(tree(module)) if isinstance(node, ast.Call)]


def test_the_access_log_masks_what_callers_send() -> None:
    dumped = [call.args[0] for call in _calls(_LOG) if ast.unparse(call.func) == "orjson.dumps"]
    [line] = [node for node in dumped if isinstance(node, ast.Dict)]
    sent = {"request", "path", "query", "headers"}
    for name, value in zip(line.keys, line.values, strict=True):
        assert isinstance(name, ast.Constant)
        if _names(value) & sent and name.value not in _NO_TEXT_OF_CALLERS:
            called = {ast.unparse(each.func) for each in nodes(value) if isinstance(each, ast.Call)}
            assert called & _MASKING, name.value


def test_nothing_else_logs_what_callers_send() -> None:
    """The event log masks every line; requests and their texts are not among its facts."""
    for module in installed_modules():
        for call in _calls(module):
            function = ast.unparse(call.func)
            if function.partition(".")[0] in _LOGGERS or function.endswith("log_event"):
                given = [*call.args, *(each.value for each in call.keywords)]
                attributes = [
                    ast.unparse(each)
                    for node in given
                    for each in nodes(node)
                    if isinstance(each, ast.Attribute)
                ]
                assert not [each for each in attributes if each.startswith("request.")], function


def test_only_the_middleware_reads_the_request_id() -> None:
    """It decides which ids are taken; all others use the one on the request."""
    reads = {
        module.relative_to(SERVICE).as_posix()
        for module in modules()
        for call in _calls(module)
        if getattr(call.func, "attr", "") == "get"
        and ast.unparse(call.func).endswith("headers.get")
        and "X_REQUEST_ID" in ast.unparse(call)
    }
    assert reads == {"http/middleware.py"}
