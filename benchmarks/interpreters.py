"""Interpreters that the benchmark runs Selvedge and the Python peers with.

Each has two virtual environments, which are made when they are first needed: those of the
interpreter of this process by `make`, those of others below ``benchmarks/.peers``.
"""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_ROOT: Final = _HERE.parent
INSTALLED: Final = _HERE / ".peers"
_PACKAGES: Final = {
    "service": _ROOT / "requirements.txt",
    "python": _HERE / "peers" / "requirements.txt",
}
"""Pinned packages of the environments: Selvedge's, and the peers'."""
_DISTRIBUTION: Final = "/usr/bin/python3"
_USABLE: Final = """
import ensurepip, sys, venv
sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))
"""
_DESCRIPTION: Final = """
import platform, sys, sysconfig
build = "built {} optimizations"
arguments, flags = map(sysconfig.get_config_var, ("CONFIG_ARGS", "PY_CFLAGS"))
if sys.base_prefix == "/usr":
    build = "built by " + platform.freedesktop_os_release()["PRETTY_NAME"]
elif "--enable-optimizations" in (arguments or "") or "-fprofile-use" in (flags or ""):
    build = "built with optimizations"
else:
    build = "built without optimizations"
print(f"Python {platform.python_version()}, {build}")
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Interpreter with the packages of Selvedge, and with those of the peers."""

    command: str
    """Command that the interpreter was named by; empty for that of this process."""
    service: Path
    peers: Path

    @property
    def suffix(self) -> str:
        """Return the end of the names of contestants that it runs."""
        return f"@{self.command}" if self.command else ""

    @property
    def title(self) -> str:
        """Return version and builder."""
        return _output(self.command or sys.executable, _DESCRIPTION)


OWN: Final = Interpreter("", Path(sys.executable), INSTALLED / "python" / "bin" / "python")


@cache
def _output(python: str, script: str) -> str:
    run = subprocess.run([python, "-c", script], check=True, capture_output=True, text=True)
    return run.stdout.strip()


def commands() -> list[str]:
    """Return the default: this interpreter, and the distribution's if it is another usable one."""
    base = Path(sys.base_prefix, "bin", "python3").resolve()
    if not Path(_DISTRIBUTION).exists() or base == Path(_DISTRIBUTION).resolve():
        return [sys.executable]
    usable = subprocess.run([_DISTRIBUTION, "-c", _USABLE], check=False, capture_output=True)
    return [sys.executable] if usable.returncode else [sys.executable, _DISTRIBUTION]


@cache
def interpreter(command: str) -> Interpreter:
    """Return the interpreter of a command, whose packages are installed if they are missing."""
    if command in ("", sys.executable):
        return OWN
    version = _output(command, _DESCRIPTION)
    folder = INSTALLED / hashlib.sha256(f"{command} {version}".encode()).hexdigest()[:8]
    environments = {name: folder / name for name in _PACKAGES}
    for name, environment in environments.items():
        _install(command, environment, _PACKAGES[name])
    service, peers = (environments[name] / "bin" / "python" for name in _PACKAGES)
    return Interpreter(command, service, peers)


def _install(command: str, environment: Path, packages: Path) -> None:
    """Make an environment with the packages, unless it has them."""
    stamp, text = environment / ".packages", packages.read_text()
    if stamp.exists() and stamp.read_text() == text:
        return
    print(f"Installing {packages.relative_to(_ROOT)} for {command} ...", flush=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    for arguments in (
        [command, "-m", "venv", "--clear", str(environment)],
        [*pip, "--quiet", "install", "--require-hashes", "--requirement", str(packages)],
    ):
        subprocess.run(arguments, check=True)
    stamp.write_text(text)


def entries(kinds: list[str], pythons: list[str]) -> Iterator[str]:
    """Yield the names of contestants: Selvedge and the kinds by interpreter, others once.

    Those without Python run once, after those of the first interpreter.
    """
    for number, command in enumerate(pythons):
        suffix = interpreter(command).suffix
        for kind in dict.fromkeys(["selvedge", *kinds]):
            if kind not in WITHOUT_PYTHON:
                yield f"{kind}{suffix}"
            elif not number:
                yield kind


WITHOUT_PYTHON: Final = ("fastify", "pgbench")


def kind_of(name: str) -> str:
    """Return the kind of a contestant, a key of ``TITLES``."""
    return name.partition("@")[0]


def of(name: str) -> Interpreter:
    """Return the interpreter that runs a contestant, that of this process for those without."""
    return interpreter(name.partition("@")[2])
