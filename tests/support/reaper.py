"""Process reaper: runs a command and kills all its descendants when the caller goes away.

``python tests/support/reaper.py COMMAND…`` runs the command until it ends, until this process gets
SIGTERM, or until its standard input ends, which it does when the caller dies, even by SIGKILL. A
process group would not do: a browser's helpers start sessions of their own and are adopted by init.
Here they are adopted by the reaper (Linux: subreaper), so it finds and kills them.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Final

import psutil

_PR_SET_CHILD_SUBREAPER: Final = 36
_POLL_SECONDS: Final = 0.1


def main() -> int:
    """Run the command of the arguments; return its exit code."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
        while process.poll() is None and not _caller_is_gone():
            pass
        return process.returncode or 0
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _kill_descendants()


def _caller_is_gone() -> bool:
    """Return whether standard input has ended; wait a moment for that."""
    readable, _, _ = select.select([sys.stdin], [], [], _POLL_SECONDS)
    return bool(readable) and not os.read(sys.stdin.fileno(), 1024)


def _kill_descendants() -> None:
    """Kill descendants until none is left; orphans become children of this process."""
    while children := psutil.Process().children(recursive=True):
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        time.sleep(_POLL_SECONDS)
        psutil.wait_procs(children, timeout=0)  # reaps them


if __name__ == "__main__":
    sys.exit(main())
