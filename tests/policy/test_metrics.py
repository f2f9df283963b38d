"""Metrics policy: dashboard, alert rules and operating guide name exported metrics only."""

import inspect
import json
import re
from typing import Any

import yaml
from prometheus_client import REGISTRY

from service.handlers import system
from service.http import metrics
from tests.policy import documents
from tests.policy.sources import ROOT
from tests.support.offenders import in_each

KIT = ROOT / "docs" / "deploy"
GROUPS = yaml.safe_load((KIT / "alerts.yaml").read_text())["groups"]
RULES: list[dict[str, Any]] = [rule for group in GROUPS for rule in group["rules"]]
PANELS: list[dict[str, Any]] = json.loads((KIT / "grafana.json").read_text())["panels"]
EXPRESSIONS = [rule["expr"] for rule in GROUPS[0]["rules"]] + [
    target["expr"] for panel in PANELS for target in panel["targets"]
]
#: Prometheus adds these to whatever it asks.
_ADDED = {"job", "instance", "le", "pid"}


def exported() -> dict[str, set[str]]:
    """Return the names under which samples are exported, and their labels."""
    assert metrics.REQUESTS
    labels_by_name: dict[str, set[str]] = {}
    for collector in {*REGISTRY._collector_to_names}:
        own_labels = set(getattr(collector, "_labelnames", ()))
        for metric in collector.collect():
            suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}
            for suffix in suffixes.get(metric.type, [""]):
                labels = {name for sample in metric.samples for name in sample.labels}
                labels_by_name[metric.name + suffix] = own_labels | labels
    return {name: labels for name, labels in labels_by_name.items() if name.startswith("selvedge_")}


@in_each("expression", EXPRESSIONS)
def test_used_metrics_are_exported(expression: str) -> None:
    metrics = exported()
    named = re.findall(r"\bselvedge_\w+", expression)
    assert named or expression.startswith("up{")
    assert not set(named) - metrics.keys()
    used = re.findall(r"[{,]\s*(\w+)\s*[=!]~?", expression)
    for group in re.findall(r"\bby \(([^)]*)\)", expression):
        used += [name.strip() for name in group.split(",")]
    for label in set(used) - _ADDED:
        assert any(label in metrics[name] for name in named), label


def test_alerts_fire_from_the_third_dead_worker() -> None:
    """`increase` extrapolates to the ends of its window, by half a scrape interval at each."""
    [expression] = [rule["expr"] for rule in RULES if rule["alert"] == "SelvedgeWorkersDie"]
    [(window, threshold)] = re.findall(r"^increase\(\w+\[(\d+)m\]\) > ([\d.]+)$", expression)
    longest_interval = 60
    extrapolated = 2 * int(window) * 60 / (int(window) * 60 - 2 * longest_interval)
    assert extrapolated < float(threshold) < 3


def test_every_alert_says_what_is_so_and_what_to_do() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"].keys() == {"summary", "action"}


def test_the_nightly_job_writes_the_metrics_of_its_alerts() -> None:
    job = documents.sections(ROOT / "docs" / "operating.md")["Backup and restore"]
    named = re.findall(r"selvedge_\w+", " ".join(rule["expr"] for rule in GROUPS[1]["rules"]))
    assert {*named} == {*re.findall(r'echo "(selvedge_\w+) ', job)}


def test_what_describes_the_database_outlives_the_worker_that_measured_it() -> None:
    """A worker that dies takes its live gauges with it; the next one measures after a minute."""
    measured = re.findall(r"metrics\.(\w+)\.(?:set|labels)", inspect.getsource(system.measure))
    assert len({*measured}) > 5
    assert {getattr(metrics, name)._multiprocess_mode for name in measured} == {"mostrecent"}


def test_every_metric_has_its_row_and_its_panel() -> None:
    """Also those that somebody adds."""
    table = documents.sections(ROOT / "docs" / "operating.md")["Metrics"]
    base = {re.sub(r"_(bucket|sum|count)$", "", name) for name in exported()}
    assert set(documents.column(table, "metric")) == base
    shown = set(re.findall(r"\bselvedge_\w+", " ".join(EXPRESSIONS)))
    assert base == {re.sub(r"_(bucket|sum|count)$", "", name) for name in shown}
