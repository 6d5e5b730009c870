# SPDX-License-Identifier: Apache-2.0
"""Draw levels and precision along three bootstraps with products between them.

Products are by numbers of absolute value 1, so that errors of numbers stay what they are; every
point is measured on all slots. The picture is docs/real-numbers-without-end.svg.

python tools/draw_bootstraps.py [--set boot16w_40] [--device cuda] [--insecure-n 4096]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nttforge import ckks

OUT = Path(__file__).resolve().parent.parent / "docs/real-numbers-without-end.svg"
LICENCE = "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
OURS, FAINT, BAND = "#0a58ca", "#7a8ba0", "#f3e3c3"
ROUNDS = 3


@dataclass
class Track:
    """Levels step by step, steps at which there is a ciphertext, and bits of its numbers there."""

    levels: list[int] = field(default_factory=list)
    parts: list[tuple[int, int]] = field(default_factory=list)  # bootstraps: first and last step
    steps: list[int] = field(default_factory=list)
    mean: list[float] = field(default_factory=list)
    worst: list[float] = field(default_factory=list)
    stated: list[float] = field(default_factory=list)

    def add(self, keys: ckks.Keys, x: ckks.Ciphertext, exact: np.ndarray) -> None:
        off = keys.decrypt(x) - exact
        parts = np.abs(np.concatenate([off.real, off.imag]))
        self.levels.append(x.level)
        self.steps.append(len(self.levels) - 1)
        self.mean.append(-float(np.log2(parts.mean())))
        self.worst.append(-float(np.log2(parts.max())))
        self.stated.append(-float(np.log2(x.error)))

    def add_bootstrap(self, machine: ckks.Bootstrapper) -> None:
        """Levels within: slots to coefficients, raised, coefficients to slots, the sine."""
        first, top = len(self.levels) - 1, machine.context.parameters.depth + 1
        self.levels += [*range(machine.input_level - 1, 0, -1), *range(top, machine.level, -1)]
        self.parts.append((first, len(self.levels)))


def run(machine: ckks.Bootstrapper) -> Track:
    keys = machine.context.generate_keys()
    evaluation = machine.make_keys(keys)
    rng = np.random.default_rng(1)
    exact = rng.uniform(0.1, 0.999, machine.slots) * np.exp(
        2j * np.pi * rng.uniform(size=machine.slots)
    )
    x, track = keys.encrypt(exact).mod_switch(machine.input_level), Track()
    track.add(keys, x, exact)
    for _ in range(ROUNDS):
        track.add_bootstrap(machine)
        x = x.bootstrap(evaluation)
        track.add(keys, x, exact)
        signs = rng.choice([-1.0, 1.0], (2, machine.slots))
        factor = np.sqrt(0.5) * (signs[0] + 1j * signs[1])
        other = keys.encrypt(factor, bound=0.7072)
        while x.level > machine.input_level:
            x = (x * other).relinearize(keys).within(1)
            exact = exact * factor
            track.add(keys, x, exact)
        print(f"level {x.level}: {track.mean[-1]:.1f} bits in the mean", flush=True)
    return track


def draw(track: Track, out: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update(
        {"svg.fonttype": "none", "svg.hashsalt": "bootstraps", "font.size": 9}
    )
    from matplotlib import pyplot

    figure, (upper, lower) = pyplot.subplots(
        2, 1, sharex=True, figsize=(7.2, 5.0), height_ratios=(3, 2), constrained_layout=True
    )
    steps: Any = range(len(track.levels))
    for axes in (upper, lower):
        for first, last in track.parts:
            axes.axvspan(first, last, color=BAND, lw=0)
        axes.spines[["top", "right"]].set_visible(False)
    upper.step(steps, track.levels, where="post", color=FAINT, lw=1)
    upper.plot(track.steps, [track.levels[i] for i in track.steps], "o", ms=3.5, color=OURS)
    top, start = max(track.levels), track.levels[0]
    for across, up, text in (
        (0.6, 2.2, "slots to\ncoefficients"),
        (0.6, top / 2, "raised"),
        (3.4, top - 1.5, "coefficients\nto slots"),
        (8.0, top - 6, "sine"),
    ):
        upper.text(start + across, up, text, va="center", fontsize=8, color="#5a4a20")
    upper.set(ylabel="level", ylim=(0, max(track.levels) + 1))
    upper.set_title("levels: a point is a ciphertext, the bands are bootstraps", loc="left")
    lower.plot(track.steps, track.mean, "o-", ms=3.5, color=OURS, label="mean error")
    lower.plot(track.steps, track.worst, "o--", ms=3.5, color=OURS, label="worst slot")
    lower.plot(track.steps, track.stated, "s:", ms=3.5, color=FAINT, label="stated by the result")
    lower.set(ylabel="bits", xlabel="steps: products, and within bootstraps levels that they take")
    lower.set_title("precision, −log2 of errors of numbers up to 1", loc="left")
    lower.legend(frameon=False, ncols=3, loc="upper right")
    lower.set_ylim(min(track.stated) - 1, max(track.mean) + 5)
    figure.savefig(out, metadata={"Date": None})
    pyplot.close(figure)
    text = out.read_text("utf-8")
    out.write_text(LICENCE + text[text.index("<svg") :], "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--set", default="boot16w_40")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--insecure-n", type=int)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    machine = ckks.Bootstrapper.of(
        options.set, insecure_n=options.insecure_n, device=options.device
    )
    draw(run(machine), options.out)


if __name__ == "__main__":
    main()
