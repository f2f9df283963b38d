"""Tests of the Kubernetes manifests: by the schemas of Kubernetes, and against the program."""

from collections.abc import Iterator
from typing import Any

import kubernetes_validate
import pytest
import yaml

from service import __version__
from service.__main__ import _parser
from service.database.connections import LOOK_UP_CONNECTIONS, POLL_CONNECTIONS
from service.limits import EXPORT_CONNECTIONS, STOP_SECONDS
from service.settings import Settings
from tests.policy.sources import ROOT
from tests.support.offenders import in_each

FILE = ROOT / "docs" / "deploy" / "kubernetes.yaml"
#: Of a custom resource, whose schema is the operator's.
CUSTOM = {"ServiceMonitor"}
VERSIONS = ("1.30", "1.37")


def _objects() -> list[dict[str, Any]]:
    return [*yaml.safe_load_all(FILE.read_text(encoding="utf-8"))]


OBJECTS = {each["kind"]: each for each in _objects()}


def _pods() -> Iterator[dict[str, Any]]:
    for kind in ("Deployment", "Job"):
        yield OBJECTS[kind]["spec"]["template"]["spec"]


@in_each("version", VERSIONS)
def test_each_object_is_what_its_schema_says(version: str) -> None:
    for kind, body in OBJECTS.items():
        if kind not in CUSTOM:
            kubernetes_validate.validate(body, version, strict=True)


def test_a_wrong_object_is_refused_by_the_schemas() -> None:
    wrong = OBJECTS["Deployment"] | {"spec": OBJECTS["Deployment"]["spec"] | {"replica": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_pods_run_as_the_account_of_the_image_and_write_to_tmp_alone() -> None:
    image = (FILE.parent / "Containerfile").read_text()
    for pod in _pods():
        account = pod["securityContext"]
        assert f"USER {account['runAsUser']}:{account['runAsGroup']}\n" in image
        [container] = pod["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["volumeMounts"] == [{"name": "temporary", "mountPath": "/tmp"}]
        assert pod["volumes"] == [{"name": "temporary", "emptyDir": {}}]
        assert "memory" in container["resources"]["limits"]
        _parser().parse_args(container["args"])


def test_the_grace_is_longer_than_a_stop_takes() -> None:
    pod = OBJECTS["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    environment = {each["name"]: each["value"] for each in container["env"]}
    settings = Settings.from_environment(environment)
    assert settings.stop_delay == 5
    assert pod["terminationGracePeriodSeconds"] > settings.stop_delay + STOP_SECONDS
    probe = container["readinessProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] <= settings.stop_delay

    reserved = LOOK_UP_CONNECTIONS + POLL_CONNECTIONS + EXPORT_CONNECTIONS
    replicas = OBJECTS["HorizontalPodAutoscaler"]["spec"]["maxReplicas"]
    assert replicas * settings.workers * (settings.pool_size + reserved) <= 80


def test_everything_chooses_the_pods_of_the_deployment() -> None:
    deployment = OBJECTS["Deployment"]["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    assert OBJECTS["Service"]["spec"]["selector"] == labels
    for kind in ("Deployment", "PodDisruptionBudget", "ServiceMonitor"):
        assert OBJECTS[kind]["spec"]["selector"]["matchLabels"] == labels
    assert OBJECTS["ServiceMonitor"]["spec"]["selector"]["matchLabels"] == labels
    assert OBJECTS["Service"]["metadata"]["labels"] == labels
    assert OBJECTS["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"].items() <= labels.items()
    [port] = OBJECTS["Service"]["spec"]["ports"]
    [container] = deployment["template"]["spec"]["containers"]
    assert port["targetPort"] == container["ports"][0]["name"]
    [endpoint] = OBJECTS["ServiceMonitor"]["spec"]["endpoints"]
    assert (endpoint["port"], endpoint["path"]) == (port["name"], "/metrics")


def test_the_images_are_of_this_release() -> None:
    images = {container["image"] for pod in _pods() for container in pod["containers"]}
    assert images == {f"registry.example.com/selvedge:{__version__}"}
