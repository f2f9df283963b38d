"""Draw a plot that is described on standard input: `python draw.py FILE < plot.json`."""

import json
import sys

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

_SELVEDGE, _PEER, _CEILING = "#1f5f8b", "#9db4c0", "#d9d9d9"


def rates(plot, path):
    """One row of bars per scenario, each with its own scale from zero."""
    scenarios = plot["scenarios"]
    figure, axes = plt.subplots(
        len(scenarios), 1, figsize=(9, 1.75 * len(scenarios)), layout="constrained"
    )
    for axis, scenario in zip([axes] if len(scenarios) == 1 else axes, scenarios, strict=True):
        names = list(scenario["bars"])[::-1]
        values = [scenario["bars"][name] for name in names]
        colors = [
            _SELVEDGE if name == "Selvedge" else _CEILING if "pgbench" in name else _PEER
            for name in names
        ]
        bars = axis.barh(names, values, color=colors, height=0.72)
        axis.bar_label(bars, labels=[f"{value:,.0f}" for value in values], padding=4, fontsize=9)
        axis.set_title(scenario["title"], loc="left", fontsize=11, fontweight="bold")
        axis.set_xlim(0, max(values) * 1.12)
        axis.xaxis.set_visible(False)
        axis.tick_params(axis="y", length=0, labelsize=9)
        axis.spines[["top", "right", "bottom"]].set_visible(False)
    figure.suptitle("Requests per second (more is better)", fontsize=12)
    figure.savefig(path, dpi=110)


def lines(plot, path):
    """Lines over a shared horizontal axis."""
    figure, axis = plt.subplots(figsize=(8, 4.2), layout="constrained")
    for line in plot["lines"]:
        style = "--" if line.get("dashed") else "-"
        axis.plot(line["x"], line["y"], style, marker=plot.get("marker", ""), label=line["label"])
    if plot.get("log_x"):
        axis.set_xscale("log")
        ticks = sorted({x for line in plot["lines"] for x in line["x"]})
        axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axis.minorticks_off()
    axis.set_ylim(bottom=0)
    axis.set_xlabel(plot["x_label"])
    axis.set_ylabel(plot["y_label"])
    axis.set_title(plot["title"], loc="left", fontsize=11, fontweight="bold")
    axis.grid(axis="y", color="#e5e5e5")
    axis.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    described = json.load(sys.stdin)
    {"rates": rates, "lines": lines}[described["kind"]](described, sys.argv[1])
