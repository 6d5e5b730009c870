# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/workloads.md from kept results.

python examples/workloads/plots.py [--results bench/results/workloads] [--out docs/workloads]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

LICENCE = "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
ROOT = Path(__file__).resolve().parents[2]
OURS, OTHERS, FAINT = "#0a58ca", "#888", "#bcd"


def zn_multiplication(axes: Any, kept: dict[str, Any]) -> None:
    """Milliseconds of products by the number of pairs."""
    rows = kept["results"]
    pairs = [row["pairs"] for row in rows]
    axes.loglog(
        pairs, [min(row["products_ms"]) for row in rows], "o-", color=OURS, label="products"
    )
    reading = [min(row["reading_ms"]) for row in rows]
    axes.loglog(pairs, reading, "o--", color=FAINT, label="reading what was sent")
    # The reference's figures are of docs/workloads.md, from its authors' machine.
    axes.loglog([1, 1000], [1400, 1077e3], "s-", color=OTHERS, label="reference: server")
    axes.set(xlabel="pairs of 64-bit integers", ylabel="milliseconds")


def ml_inference(axes: Any, kept: dict[str, Any]) -> None:
    """Milliseconds an image by the batch: of processors, and of a server with a card."""
    for device, style, label in (
        ("cpu", "o-", "of processors, one thread"),
        ("cuda", "o--", "one H200"),
    ):
        rows = [row for row in kept["results"] if row["device"] == device]
        each = [min(row["processors_ms"]) / row["images"] for row in rows]
        axes.loglog([row["images"] for row in rows], each, style, color=OURS, label=label)
    if "reference" in kept:
        reference = kept["reference"]["server_seconds"] * 1e3
        axes.loglog([1], [reference], "s", color=OTHERS, label="reference: server, one image")
    axes.set(xlabel="images in a request", ylabel="milliseconds an image")


def fetch_by_similarity(axes: Any, kept: dict[str, Any]) -> None:
    """Seconds of processors by the number of records; runs on one device alone say them."""
    rows = [row for row in kept["results"] if "," not in row["device"]]
    places = ["" if row["device"] == "cpu" else ",\none H200" for row in rows]
    names = [f"{row['records']:,}{place}" for row, place in zip(rows, places, strict=True)]
    spent = [
        min(step["of processors, without reading"] for step in row["server_seconds"])
        for row in rows
    ]
    colours = [OURS] * len(rows)
    if "reference" in kept:
        names.append("50,000,\nreference: server")
        spent.append(kept["reference"]["server_seconds"])
        colours.append(OTHERS)
    axes.barh(names, spent, color=colours)
    for i, value in enumerate(spent):
        axes.text(value, i, f" {value:g} s", va="center")
    axes.set(xlabel="seconds; ours: of a processor", ylabel="records", xlim=(0, 1.15 * max(spent)))
    axes.invert_yaxis()


def logistic_training(axes: Any, kept: dict[str, Any]) -> None:
    """Losses of both runs after each iteration, of the largest size that was kept."""
    found = kept["results"][-1]
    steps, losses = range(1, found["iterations"] + 1), found["losses"]
    axes.plot(steps, losses["plain"], color=OTHERS, lw=3, label="in the clear, exact sigmoid")
    axes.plot(steps, losses["encrypted"], "o-", color=OURS, ms=3, lw=1, label="encrypted")
    axes.set(xlabel="iteration", ylabel="loss of the training records", ylim=(0, 0.7))


def sorting(axes: Any, kept: dict[str, Any]) -> None:
    """Seconds of each stage, of the largest size that was kept."""
    found = kept["results"][-1]
    seconds = found["stage_seconds"]
    axes.bar(range(1, len(seconds) + 1), seconds, color=OURS, width=0.7)
    axes.set(xlabel=f"stage, of {found['numbers']} numbers on one H200", ylabel="seconds")
    axes.set(ylim=(0, 2 * sorted(seconds)[len(seconds) // 2]))  # the first makes what all need


def resnet20(axes: Any, kept: dict[str, Any]) -> None:
    """Levels along the network, of the largest size that was kept, and where layers begin."""
    found = kept["results"][-1]
    levels = found["levels"]
    axes.plot(levels, drawstyle="steps-post", color=OURS, lw=1, label="levels of the newest result")
    for at in found["layers_at"]:
        axes.axvline(at, color=FAINT, lw=0.8, zorder=0)
    axes.set(
        xlabel="operation of the network; lines are convolutions", ylabel="level", ylim=(0, None)
    )


PICTURES: dict[str, Callable[[Any, dict[str, Any]], None]] = {
    draw.__name__: draw
    for draw in (
        zn_multiplication, ml_inference, fetch_by_similarity, logistic_training, sorting, resnet20,
    )
}  # fmt: skip


def draw(name: str, kept: dict[str, Any], path: Path) -> None:
    """One picture; the same data give the same bytes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    PICTURES[name](axes, kept)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):  # text, and the same bytes
        figure.savefig(path, metadata={"Date": None})
    if path.suffix == ".svg":  # the licence comes first, as in every file
        text = path.read_text("utf-8")
        path.write_text(LICENCE + text[text.index("<svg") :], "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--results", type=Path, default=ROOT / "bench" / "results" / "workloads")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "workloads")
    options = parser.parse_args()
    options.out.mkdir(exist_ok=True)
    for name in PICTURES:
        kept = json.loads((options.results / f"{name}.json").read_text("utf-8"))
        draw(name, kept, options.out / f"{name}.svg")
        print(options.out / f"{name}.svg")


if __name__ == "__main__":
    main()
