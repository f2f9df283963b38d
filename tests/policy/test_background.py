"""Policy for background tasks: all are created by one function, which survives failures."""

import ast
from pathlib import Path

from tests.policy.sources import installed_modules, label, nodes, tree
from tests.support.offenders import in_each

_MAKERS = {"create_task", "ensure_future", "run_coroutine_threadsafe"}
#: Who else makes tasks, and who sees how they end.
AWAITED = {
    "background.py": "the one way",
    "database/connection_pool.py": "whoever asked for the read or write, or close()",
    "feed/long_poll.py": "the reader that waits",
    "handlers/response_cache.py": "the requests that wait for the version",
    "handlers/system.py": "whoever asked for the result",
    "organizations/caller.py": "whoever asked for the key",
    "selvedge_client/blocking.py": "the caller, in another thread",
}


def _makes_tasks(module: Path) -> bool:
    return any(
        getattr(node, "attr" if isinstance(node, ast.Attribute) else "id", "") in _MAKERS
        for node in nodes(tree(module))
    )


@in_each("module", installed_modules())
def test_a_task_is_awaited_or_made_by_background(module: Path) -> None:
    assert _makes_tasks(module) == (label(module) in AWAITED)
