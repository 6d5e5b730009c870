# SPDX-License-Identifier: Apache-2.0
"""[Bad18b]: the plot."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from .._gpu import Results
from .figures import SETS, TABLE_2, TABLE_5, Figures

MULTIPLY = "multiply + relinearize"
#: What Table 5's panels show: label -> where, variant.
SERIES = {
    "paper's method, card": ("cuda", "paper"),
    "ours, card": ("cuda", "ours"),
    "paper's method, CPU": ("cpu", "paper"),
    "ours, CPU, one core": ("cpu", "ours"),
}


def plot(results: Results, path: Path) -> None:
    """Table 2, the procedures of Table 5, Fig. 2 and Fig. 4 in one figure."""
    from matplotlib import pyplot

    f = Figures(results)
    figure, axes = pyplot.subplots(2, 4, figsize=(20, 9), layout="constrained")
    _reconstructions(f, axes[0, 0])
    for axis, operation in zip(axes.flat[1:6], TABLE_5, strict=True):
        _procedure(f, axis, operation)
    _textbook(f, axes[1, 2])
    _load(f, axes[1, 3])
    for axis in axes.flat:
        axis.grid(alpha=0.3)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize=7)
    gpu = (results.get("gpu") or {}).get("name", "no card")
    figure.suptitle(f"[Bad18b] on {results.get('cpu', 'this CPU')} and {gpu}", fontsize=11)
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def _line(axis: Any, points: list[tuple[float, float | None]], *style: str, **more: Any) -> None:
    kept = [(x, y) for x, y in points if y is not None]
    if kept:
        axis.plot(*zip(*kept, strict=True), *style, marker="o", **more)


def _logarithmic(axis: Any, title: str, label: str) -> None:
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_ylabel("ms")
    axis.set_xlabel(label)
    axis.set_title(title, fontsize=10)


def _reconstructions(f: Figures, axis: Any) -> None:
    names = ("classic, division", "classic, subtractions", "paper", "ours")
    for i, name in enumerate(names):
        label = "Garner" if name == "paper" else name
        times = [(q, f.reconstruction(q, "cuda", name)) for q in TABLE_2]
        _line(axis, [(q, t / 1e3 if t else None) for q, t in times], label=f"{label}, card")
        if i < 3:
            _line(axis, [(q, row[i]) for q, row in TABLE_2.items()], "--", label=f"{label}, K80")
    _logarithmic(axis, "Table 2: reconstruction, n = 8192", "log2 q")


def _procedure(f: Figures, axis: Any, operation: str) -> None:
    rows = TABLE_5[operation]
    for i, name in ((0, "paper: P100"), (3, "paper: SEAL"), (4, "paper: NFLlib")):
        _line(axis, [(n, row[i]) for n, row in rows.items()], "--", label=name)
    for label, (where, variant) in SERIES.items():
        times = [(n, f.scheme(n, where, variant, operation)) for n in SETS]
        _line(axis, [(n, t / 1e3 if t else None) for n, t in times], label=label)
    seal = [(n, f.seal(n, operation)) for n in SETS]
    _line(axis, [(n, t / 1e3 if t else None) for n, t in seal], label="SEAL today")
    _logarithmic(axis, f"Table 5: {operation}", "n")


def _textbook(f: Figures, axis: Any) -> None:
    for where in ("cpu", "cuda"):
        for variant, name in (("textbook", "textbook"), ("paper", "RNS"), ("ours", "ours")):
            times = [(n, f.scheme(n, where, variant, MULTIPLY)) for n in SETS]
            _line(axis, [(n, t / 1e3 if t else None) for n, t in times], label=f"{name}, {where}")
    _logarithmic(axis, f"Fig. 2: {MULTIPLY}", "n")


def _load(f: Figures, axis: Any) -> None:
    axis.set_title("Fig. 4: power and utilisation", fontsize=10)
    if not f.load("paper"):
        why = (f.results.get("load") or {}).get("why", "it needs a card")
        text = textwrap.fill(f"not measured: {why}", 36)
        axis.text(0.5, 0.5, text, ha="center", va="center")
        axis.set_axis_off()
        return
    busy = axis.twinx()
    for variant in ("paper", "ours"):
        rows = f.load(variant)
        _line(axis, [(r["n"], r["watts"]) for r in rows], label=f"{variant}, W")
        _line(busy, [(r["n"], r["gpu_percent"]) for r in rows], "--", label=f"{variant}, %")
    axis.set_xscale("log", base=2)
    axis.set_xlabel("n")
    axis.set_ylabel("W")
    busy.set_ylabel("GPU busy, %")
    busy.set_ylim(0, 105)
