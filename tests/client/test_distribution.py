"""Tests of the client's own distribution: it is installed without the service and is typed."""

import asyncio
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from service import __version__
from tests.client.conftest import ServiceAddress
from tests.policy.sources import ROOT

pytestmark = pytest.mark.contract("Surface")

FOLDER = ROOT / "client"
BLOCK = re.compile(r"(?:^    .*\n|^\n)+", re.MULTILINE)
PROGRAM = """
import asyncio, os, sys

class Barrier:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("service", "orjson", "asyncpg"):
            raise ImportError(name)

sys.meta_path.insert(0, Barrier())
import selvedge_client
from selvedge_client import BlockingClient, Client, documents

url, key = sys.argv[1:]
with BlockingClient(url, key) as client:
    names = [color["name"] for color in client.typed(documents.Color).records()]

async def main():
    async with Client(url, key) as client:
        return [color["name"] async for color in client.collection("colors").records()]

assert asyncio.run(main()) == names
print(len(names), os.path.dirname(selvedge_client.__file__))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the installed client."""
    folder = tmp_path_factory.mktemp("client")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(FOLDER)], check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    assert wheel.name == f"selvedge_client-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


async def test_it_works_without_the_service(site: Path, service_address: ServiceAddress) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, str(service_address.url), service_address.writer),
        cwd=site,
        env=os.environ | {"PYTHONPATH": str(site)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    count, folder = output.decode().split()
    assert int(count) > 100
    assert Path(folder) == site / "selvedge_client"


def test_it_requires_an_http_library_alone(site: Path) -> None:
    [metadata] = site.glob("*.dist-info/METADATA")
    lines = metadata.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("Requires-Dist")] == [
        "Requires-Dist: aiohttp>=3.14"
    ]
    assert (site / "selvedge_client" / "py.typed").exists()


def test_the_guides_programs_have_types(site: Path, tmp_path: Path) -> None:
    """Every program of the guide passes a strict type check; a wrong one does not."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    programs = [block for block in BLOCK.findall(text) if "import" in block]
    assert len(programs) == 5
    wrong = programs[-1].replace('created.data["name"]', 'created.data["nmae"]')
    for number, program in enumerate([*programs, wrong]):
        source = "".join(line.removeprefix("    ") for line in program.splitlines(keepends=True))
        (tmp_path / f"program_{number}.py").write_text(source, encoding="utf-8")
    checked = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file", ""),
            *(f"program_{number}.py" for number in range(len(programs) + 1)),
        ],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(site)},
        check=False,
        capture_output=True,
        text=True,
    )
    errors = [line for line in checked.stdout.splitlines() if ": error:" in line]
    assert any("nmae" in error for error in errors), checked.stdout
    assert all(error.startswith(f"program_{len(programs)}.py") for error in errors), checked.stdout
