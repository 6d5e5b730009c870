# SPDX-License-Identifier: Apache-2.0
"""[Din24]: Fig. 2 with the GPU's points, and every size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nttforge.console.output import whole_file
from nttforge_bench.console import can_plot

from .figures import KINDS, PAPER_SIZES, SIZES, Figures, quotient
from .hardware import NAMES
from .tables import paper_us


def plot(results: dict[str, Any], path: Path) -> bool:
    """Fig. 2 above, times over the engine's at every size below; False without matplotlib."""
    if not can_plot():
        return False
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    f = Figures(results)
    figure, axes = pyplot.subplots(2, 3, figsize=(16, 9), layout="constrained")
    for axis, log_n in zip(axes[0], PAPER_SIZES, strict=True):
        _fig_2(f, axis, log_n)
    for axis, (bits, batch) in zip(axes[1], KINDS, strict=False):
        _sizes(f, axis, batch, bits)
    axes[0, 0].legend(fontsize=8)
    axes[1, 0].legend(fontsize=7, ncols=2)
    name = (results.get("gpu") or {}).get("name", "")
    figure.suptitle(f"[Din24] on {name} and one core of {results.get('cpu', '')}", fontsize=11)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, "wb") as file:
        figure.savefig(file, format="png", dpi=80, metadata={"Software": None})
    pyplot.close(figure)
    return True


def _fig_2(f: Figures, axis: Any, log_n: int) -> None:
    series = (
        ("paper's FPGA", "s", "tab:blue", [paper_us(name, log_n) for name in NAMES]),
        ("its method, this GPU", "^", "tab:green", [f.gpu("paper", name, log_n) for name in NAMES]),
        ("tuned, this GPU", "o", "tab:olive", [f.gpu("tuned", name, log_n) for name in NAMES]),
    )
    for i, (label, marker, color, all_us) in enumerate(series):
        pairs = zip(NAMES, all_us, strict=True)
        ratios = [quotient(f.cpu(name, log_n), us) or float("nan") for name, us in pairs]
        at = [k + (i - 1) * 0.2 for k in range(len(NAMES))]
        axis.plot(at, ratios, marker, label=label, color=color)
    engine = quotient(f.cpu("dit", log_n), f.cpu("engine", log_n))
    axis.axhline(1, color="black", linewidth=0.8)
    axis.set_yscale("log")
    axis.set_xticks(range(len(NAMES)), NAMES, rotation=45, ha="right")
    axis.grid(axis="y", alpha=0.3)
    axis.set_ylabel("times as fast as one core, same algorithm")
    beside = "" if engine is None else f" (our engine on that core: {engine:.1f} times DIT)"
    axis.set_title(f"Fig. 2, {1 << log_n} points{beside}", fontsize=10)


def _sizes(f: Figures, axis: Any, batch: int, bits: int) -> None:
    for name in NAMES:
        for kind, style in (("paper", ":"), ("tuned", "-")):
            pairs = [
                (n, quotient(f.gpu(kind, name, n, batch, bits), f.engine(n, batch, bits)))
                for n in SIZES
            ]
            points = [(n, ratio) for n, ratio in pairs if ratio is not None]
            if points:
                color = f"C{NAMES.index(name)}"
                label = name if kind == "tuned" else None
                axis.plot(*zip(*points, strict=True), style, marker=".", color=color, label=label)
    axis.axhline(1, color="black", linewidth=0.8)
    axis.set_yscale("log")
    axis.set_xlabel("log2 n")
    axis.set_ylabel("time over the engine's")
    axis.grid(alpha=0.3)
    axis.set_title(
        f"{batch} x {bits}-bit words: tuned (lines), paper's method (dotted)", fontsize=10
    )
