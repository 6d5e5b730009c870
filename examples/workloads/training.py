# SPDX-License-Identifier: Apache-2.0
"""Logistic regression trained on encrypted digits, 3 against 8, beside the same in the clear."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from harness import HERE
from numpy.typing import NDArray

from nttforge import ckks

for folder in ("ml_inference", "logistic_training"):
    sys.path.insert(0, str(HERE / folder / "submission"))
from digits import digits  # noqa: E402
from helr import Shape, in_the_clear, train  # noqa: E402

Real = NDArray[np.float64]
#: log2 of n, pixels that make one, features of a block, iterations. Only "full" is secure.
SIZES = {"small": (11, 7, 8, 5), "medium": (13, 2, 32, 32), "full": (16, 2, 32, 32)}
HARNESS = False
_BOUND, _ERROR = 2.0, 2.0**-10


def run(root: Path, size: str, device: str, runs: int) -> dict[str, Any]:
    """Trains once, and compares weights, losses, accuracy and AUC."""
    log_n, pooled, block, steps = SIZES[size]
    name, x, y = _three_and_eight(pooled)
    cut = len(x) * 4 // 5
    z = x[:cut] * y[:cut, None]
    small = {} if size == "full" else {"insecure_n": 2**log_n}
    machine = ckks.Bootstrapper.of(_set(device), device=device, **small)
    shape = Shape(machine.context.slots, x.shape[1], block)
    batches = shape.batches(z)
    print(
        f"{name}: {cut} records of {x.shape[1]} features, batches of {shape.records}, "
        f"{shape.blocks} ciphertexts each; n = {machine.context.n}"
        + ("" if size == "full" else ", which is not secure"),
        flush=True,
    )
    exact = in_the_clear(batches, shape, steps, lambda t: 0.5 - 0.5 * np.tanh(4 * t))
    near = in_the_clear(batches, shape, steps)
    losses: dict[str, list[float]] = {"encrypted": [], "plain": [_loss(z, w) for w in exact]}
    worst, weights = 0.0, np.zeros(x.shape[1])

    def told(t: int, found: Real, seconds: float) -> None:
        nonlocal worst, weights
        weights = found
        worst = max(worst, float(np.abs(found - near[t]).max()))
        losses["encrypted"].append(_loss(z, found))
        print(
            f"iteration {t + 1} of {steps}: {seconds:.2f} s, loss {losses['encrypted'][-1]:.4f} "
            f"({losses['plain'][t]:.4f} in the clear)",
            flush=True,
        )

    done = train(machine, shape, batches, steps, _BOUND, _ERROR, told)
    largest = max(float(np.abs(w).max()) for w in near)
    if worst > _ERROR or largest > _BOUND:
        raise SystemExit(f"FAIL: weights are off by {worst:.2g}, or reach {largest:.2g}")
    found = {
        "accuracy": _accuracy(x[cut:], y[cut:], weights),
        "accuracy_in_the_clear": _accuracy(x[cut:], y[cut:], exact[-1]),
        "auc": _auc(x[cut:], y[cut:], weights),
        "auc_in_the_clear": _auc(x[cut:], y[cut:], exact[-1]),
    }
    if max(abs(found[k] - found[f"{k}_in_the_clear"]) for k in ("accuracy", "auc")) > 0.01:
        raise SystemExit(f"FAIL: encrypted and plain training differ: {found}")
    print(
        f"PASS: after {steps} iterations weights are those of the clear to {worst:.1e}; accuracy "
        f"{found['accuracy']:.2%} (plain training {found['accuracy_in_the_clear']:.2%}), AUC "
        f"{found['auc']:.4f} ({found['auc_in_the_clear']:.4f})"
    )
    rounded = {key: [round(v, 5) for v in row] for key, row in losses.items()}
    return {
        "size": size,
        "n": machine.context.n,
        "data": name,
        "records": cut,
        "features": x.shape[1],
        "batch": shape.records,
        "iterations": steps,
        "iteration_seconds": [round(s, 4) for s in done["seconds"]],
        "processor_seconds": [round(s, 4) for s in done["processors"]],
        "keys_seconds": round(done["keys_seconds"], 2),
        "bytes": done["bytes"],
        "weights_off_by": worst,
        **found,
        "losses": rounded,
    }


def _set(device: str) -> str:
    return "boot16w_40" if device.startswith("cuda") else "boot16_40"


def _three_and_eight(pooled: int) -> tuple[str, Real, Real]:
    """Images made smaller by means over squares, the corner being 1, and labels 1 and -1."""
    name, images, labels = digits()
    kept = np.isin(labels, (3, 8))
    side = 28 // pooled
    x = images[kept].reshape(-1, side, pooled, side, pooled).mean(axis=(2, 4)).reshape(-1, side**2)
    x[:, 0] = 1.0  # the intercept, where no digit has ink
    return name, x, np.where(labels[kept] == 3, 1.0, -1.0)


def _loss(z: Real, w: Real) -> float:
    return float(np.mean(np.logaddexp(0, -(z @ w))))


def _accuracy(x: Real, y: Real, w: Real) -> float:
    return float(np.mean(np.where(x @ w > 0, 1, -1) == y))


def _auc(x: Real, y: Real, w: Real) -> float:
    """How often a 3 has a larger score than an 8."""
    scores = x @ w
    positive, negative = scores[y > 0], scores[y < 0]
    return float(np.mean(positive[:, None] > negative) + np.mean(positive[:, None] == negative) / 2)
