# SPDX-License-Identifier: Apache-2.0
"""The plots of the page, as SVG text."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from nttforge._html import BLUE, GREEN, INK, ORANGE, RED

from .model import REFINED_SCALE

if TYPE_CHECKING:
    from .result import Result

QUIET = "#7a838e"  # lines: a contrast of 3 and more; text is in INK

_STYLE: dict[Any, Any] = {
    "font.size": 10,
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
    "legend.fontsize": 9.5,
    "grid.color": "#e4e7eb",
    "grid.linewidth": 0.8,
    "svg.fonttype": "path",
}


def _svg(figure: Figure, name: str, label: str) -> str:
    """The figure as an <svg> element that scales with the page.

    Matplotlib numbers the parts of every figure from 1 and styles "*": ids and style are made the
    figure's own, because several figures share the page.
    """
    buffer = io.StringIO()
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    text = text.replace("url(#", f"url(#{name}-").replace(">*{", f">#{name} *{{")
    return text.replace("<svg", f'<svg id="{name}" role="img" aria-label="{label}"', 1)


def roc(result: Result) -> str:
    """ROC of the held-out patients: float model, encrypted score, encrypted refinement."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(3.9, 3.6), layout="constrained")
        axes = figure.subplots()
        test = result.patients.held_out
        outcome = result.patients.outcome[test] == 1
        curves = (
            ("float model", result.float_scores, QUIET, "-", 4),
            ("encrypted s", result.scores, ORANGE, "-", 2.2),
            ("encrypted r", result.refined, BLUE, "--", 1.2),
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
    return _svg(figure, "roc", "ROC curves of the held-out patients: true over false positive rate")


def roc_points(
    outcome: NDArray[np.bool_], values: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
        figure = Figure(figsize=(3.9, 3.6), layout="constrained")
        axes = figure.subplots()
        r = result.refined / REFINED_SCALE
        for value, name, colour, marker in (
            (0, "benign", GREEN, "o"),
            (1, "malignant", RED, "x"),
        ):
            mask = result.patients.outcome == value
            axes.plot(
                result.scores[mask], r[mask], marker, color=colour, markersize=4, fillstyle="none",
                markeredgewidth=0.8, linestyle="none", label=name
            )  # fmt: skip
        axes.axhline(0.5, color=QUIET, linewidth=0.8, linestyle=":")
        axes.axvline(0, color=QUIET, linewidth=0.8, linestyle=":")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("decrypted score s")
        axes.set_ylabel("decrypted refinement r / 2³²")
        axes.grid()
        axes.set_axisbelow(True)
        axes.legend(loc="lower right")
    return _svg(figure, "scores", "Decrypted refinement over decrypted score of each patient")
