# SPDX-License-Identifier: Apache-2.0
"""[Kim20]: the plot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._gpu import Results, engine_us
from .figures import LIMBS, TABLE_II, Figures, times_us


def plot(results: Results, path: Path) -> None:
    """Radices, splits, batches and Table II in one figure."""
    from matplotlib import pyplot

    f = Figures(results)
    figure, axes = pyplot.subplots(2, 3, figsize=(16, 9), layout="constrained")
    _plot_radices(f, axes[0, 0], axes[0, 1])
    _plot_first(f, axes[0, 2])
    _plot_splits(f, axes[1, 0])
    _plot_moduli(f, axes[1, 1])
    _plot_table(f, axes[1, 2])
    for axis in axes.flat:
        axis.legend(fontsize=7)
        axis.set_ylabel("µs")
        axis.grid(alpha=0.3)
    gpu = (results.get("gpu") or {}).get("name", "")
    figure.suptitle(f"[Kim20] on {gpu}", fontsize=11)
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def _plot_radices(f: Figures, ntt: Any, dft: Any) -> None:
    radix = [1 << k for k in range(1, 8)]
    for axis, name, title in ((ntt, "shoup", "Fig. 4: NTT"), (dft, "complex", "Fig. 5: DFT")):
        for log_n in (16, 17):
            times = [f.radix(k, log_n, multiplication=name) for k in range(1, 8)]
            axis.plot(radix, times, marker="o", label=f"2^{log_n} x {LIMBS}")
        axis.set_xscale("log", base=2)
        axis.set_ylim(bottom=0)
        axis.set_title(f"{title}, radix in registers", fontsize=10)


def _plot_first(f: Figures, axis: Any) -> None:
    kinds = (("not coalesced", False, False), ("coalesced", True, False), ("preloaded", True, True))
    for label, coalesced, preload in kinds:
        times = f.one_sync(coalesced, preload)
        keys = sorted(times)
        axis.plot([1 << k for k in keys], [times[k] for k in keys], marker="o", label=label)
    axis.set_xscale("log", base=2)
    axis.set_title("Figs. 7, 9: first kernel, by radix", fontsize=10)


def _plot_splits(f: Figures, axis: Any) -> None:
    for points, fly, label in (
        (1, 0, "2 points"),
        (2, 0, "4 points"),
        (3, 0, "8 points"),
        (4, 0, "16 points"),
        (3, 1, "8 points, OT 1"),
        (3, 2, "8 points, OT 2"),
    ):
        times = times_us(f.pairs(points, fly))
        axis.plot(list(times), list(times.values()), marker="o", label=label)
    axis.set_xlabel("log2 of the first radix")
    axis.set_title("Fig. 11: two kernels, 2^17 x 21", fontsize=10)


def _plot_moduli(f: Figures, axis: Any) -> None:
    for fly, label in ((0, "SMEM"), (1, "SMEM + OT")):
        points = []
        for limbs in sorted({row["limbs"] for row in f.rows}):
            row = f.pairs(3, fly, 17, limbs, bits=60).get(8)
            if row is not None:
                points.append((limbs, row["median_ns"] / 1e3))
        if points:
            axis.plot(*zip(*points, strict=True), marker="o", label=label)
    axis.set_xlabel("moduli of 60 bits")
    axis.set_title("Fig. 13: 2^17, 2^8 x 2^9", fontsize=10)


def _plot_table(f: Figures, axis: Any) -> None:
    sizes = list(TABLE_II)
    axis.plot(sizes, [TABLE_II[n][2] for n in sizes], "k--", marker="o", label="paper, SMEM + OT")
    series = {
        "radix 2": [f.radix(1, n) for n in sizes],
        "SMEM": [f.best(0, n) for n in sizes],
        "SMEM + OT": [f.best(1, n) for n in sizes],
        "fast engine": [engine_us(f.results, n, LIMBS, 60) for n in sizes],
    }
    for label, times in series.items():
        points = [(n, t) for n, t in zip(sizes, times, strict=True) if t is not None]
        if points:
            axis.plot(*zip(*points, strict=True), marker="o", label=label)
    axis.set_yscale("log")
    axis.set_xlabel("log2 n")
    axis.set_title("Table II, 21 moduli", fontsize=10)
