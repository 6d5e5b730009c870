# SPDX-License-Identifier: Apache-2.0
"""The plots of the page, as SVG text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from .model import REFINED_SCALE

if TYPE_CHECKING:
    from .run import Phase, Result

CLIENT = "#2563a8"
SERVER = "#c2571a"
BENIGN = "#3a8f6b"
MALIGNANT = "#b3324d"
INK = "#222831"
QUIET = "#8a929c"

_STYLE: dict[Any, Any] = {
    "font.size": 9.5,
    "font.family": "DejaVu Sans",
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "grid.color": "#e4e7eb",
    "grid.linewidth": 0.8,
    "svg.fonttype": "path",
}


def _svg(figure: Figure, salt: str, label: str) -> str:
    """The figure as an <svg> element that scales with the page."""
    buffer = io.StringIO()
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": salt}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    return text.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def phase_times(phases: list[Phase]) -> str:
    """One bar per phase, coloured by who works."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(8.6, 0.30 * len(phases) + 0.9), layout="constrained")
        axes = figure.subplots()
        values = [1e3 * p.seconds for p in phases]
        colours = [CLIENT if p.who == "client" else SERVER for p in phases]
        rows = np.arange(len(phases))
        axes.barh(rows, values, color=colours, height=0.68)
        for row, value in zip(rows, values, strict=True):
            axes.annotate(
                _milliseconds(value),
                (value, row),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8.5,
            )
        axes.set_yticks(rows, [p.name for p in phases])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlim(0.5 * max(0.1, min(values)), 3 * max(values))
        axes.set_xlabel("milliseconds, logarithmic")
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        for name, colour in (("client", CLIENT), ("server", SERVER)):
            axes.barh([0], [0], color=colour, label=name)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.08), ncols=2)
    return _svg(figure, "phases", "Time of each phase")


def _milliseconds(value: float) -> str:
    return f"{value / 1e3:.2f} s" if value >= 1000 else f"{value:.3g} ms"


def noise(steps: list[dict[str, Any]]) -> str:
    """Bits of noise budget after each step, measured with the key and predicted without it."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(8.6, 3.4), layout="constrained")
        axes = figure.subplots()
        rows = np.arange(len(steps))
        measured = [s["bits"] for s in steps]
        predicted = [s["predicted_bits"] for s in steps]
        axes.fill_between(rows, measured, color=SERVER, alpha=0.10, linewidth=0)
        axes.plot(rows, measured, "o-", color=SERVER, label="measured with the secret key")
        axes.plot(
            rows, predicted, "s--", color=CLIENT, markersize=4, label="predicted by the server"
        )
        for row, value in zip(rows, measured, strict=True):
            axes.annotate(
                f"{value:.0f}",
                (row, value),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                fontsize=8.5,
            )
        axes.set_xticks(rows, [_wrapped(s["name"]) for s in steps])
        axes.set_ylim(0, 1.15 * max(measured))
        axes.set_ylabel("noise budget left, bits")
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        axes.legend(loc="lower left")
    return _svg(figure, "noise", "Noise budget after each step")


def _wrapped(name: str) -> str:
    return name.replace(" = ", "\n= ").replace(", ", ",\n")


def roc(result: Result) -> str:
    """ROC of the held-out patients: float model, encrypted score, encrypted refinement."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(4.2, 3.7), layout="constrained")
        axes = figure.subplots()
        test = result.patients.held_out
        outcome = result.patients.outcome[test] == 1
        curves = (
            ("float model", result.float_scores, QUIET, "-", 3.5),
            ("encrypted s", result.scores, SERVER, "-", 1.5),
            ("encrypted r", result.refined, CLIENT, "--", 1.5),
        )
        for name, values, colour, style, width in curves:
            x, y = roc_points(outcome, np.asarray(values)[test])
            label = f"{name}, AUC {result.auc(np.asarray(values)):.4f}"
            axes.plot(x, y, style, color=colour, linewidth=width, label=label)
        axes.set_xlabel("false positive rate (up to 0.4)")
        axes.set_ylabel("true positive rate (from 0.6)")
        axes.set_xlim(-0.01, 0.4)
        axes.set_ylim(0.6, 1.01)
        axes.grid()
        axes.legend(loc="lower right")
    return _svg(figure, "roc", "ROC curves of the held-out patients")


def roc_points(outcome: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """False and true positive rates over all thresholds; ties move together."""
    if values.size == 0:
        return np.zeros(1), np.zeros(1)
    order = np.argsort(-values, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(values[order])), order.size - 1)
    hits = np.cumsum(outcome[order])[ends]
    false = ends + 1 - hits
    return (
        np.append(0, false) / max(1, int((~outcome).sum())),
        np.append(0, hits) / max(1, int(outcome.sum())),
    )


def scores(result: Result) -> str:
    """Decrypted r over decrypted s, one point per patient."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(4.2, 3.7), layout="constrained")
        axes = figure.subplots()
        r = result.refined / REFINED_SCALE
        for value, name, colour in ((0, "benign", BENIGN), (1, "malignant", MALIGNANT)):
            mask = result.patients.outcome == value
            axes.scatter(
                result.scores[mask], r[mask], s=9, color=colour, alpha=0.55, linewidth=0, label=name
            )
        axes.axhline(0.5, color=QUIET, linewidth=0.8, linestyle=":")
        axes.axvline(0, color=QUIET, linewidth=0.8, linestyle=":")
        axes.set_xlabel("decrypted score s")
        axes.set_ylabel("decrypted refinement r / 2³²")
        axes.grid()
        axes.set_axisbelow(True)
        axes.legend(loc="lower right")
    return _svg(figure, "scores", "Decrypted refinement over decrypted score")
