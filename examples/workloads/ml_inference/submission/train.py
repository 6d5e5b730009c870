# SPDX-License-Identifier: Apache-2.0
"""Trains the network in the clear, and compiles it: ``python train.py FOLDER [EPOCHS]``.

784 - 64 - 10 with squares between: encrypted, that is three levels, and nothing is approximated.
Adam on the cross-entropy, with images moved by up to a pixel.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from digits import digits
from numpy.typing import NDArray

import nttforge

HIDDEN, BATCH, RATE, DECAY = 64, 100, 2e-3, 1e-3
SCALE_BITS = 36  # n = 8192 has three levels of so many bits
Real = NDArray[np.float64]


def trained(x: Real, y: NDArray[Any], epochs: int) -> list[Real]:
    """Weights and biases of both layers."""
    random = np.random.default_rng(1)
    weights = [
        random.normal(size=(HIDDEN, x.shape[1])) * 0.03, np.zeros(HIDDEN),
        random.normal(size=(10, HIDDEN)) * 0.1, np.zeros(10),
    ]  # fmt: skip
    first, second = ([np.zeros_like(w) for w in weights] for _ in range(2))
    steps = epochs * (len(x) // BATCH)
    for step in range(1, steps + 1):
        chosen = random.integers(0, len(x), BATCH)
        moved = np.roll(x[chosen].reshape(-1, 28, 28), random.integers(-1, 2, 2), (1, 2))
        gradients = _gradients(weights, moved.reshape(BATCH, -1), y[chosen])
        for i, g in enumerate(gradients):
            first[i] = 0.9 * first[i] + 0.1 * g
            second[i] = 0.999 * second[i] + 0.001 * g * g
            mean, square = first[i] / (1 - 0.9**step), second[i] / (1 - 0.999**step)
            weights[i] -= RATE * (1 - step / (steps + 1)) * mean / (np.sqrt(square) + 1e-8)
    return weights


def _gradients(weights: list[Real], x: Real, y: NDArray[Any]) -> list[Real]:
    inner, offset, outer, bias = weights
    z = x @ inner.T + offset
    scores = (z * z) @ outer.T + bias
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    chances[np.arange(len(y)), y] -= 1
    chances /= len(y)
    back = (chances @ outer) * 2 * z
    penalty = [DECAY * inner, 0, DECAY * outer, 0]
    found = [back.T @ x, back.sum(axis=0), chances.T @ (z * z), chances.sum(axis=0)]
    return [g + p for g, p in zip(found, penalty, strict=True)]


def main() -> None:
    folder, epochs = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    name, images, labels = digits()
    learnt = len(images) * 4 // 5
    inner, offset, outer, bias = trained(images[:learnt], labels[:learnt], epochs)
    layers: list[Any] = [(inner, offset), "square", (outer, bias)]
    sample = images[:learnt]
    model = nttforge.ml.compile(layers, sample, input_range=(0, 1), scale_bits=SCALE_BITS)
    folder.mkdir(parents=True, exist_ok=True)
    model.save(folder / "server.ml")
    model.client().save(folder / "client.json")
    found = np.argmax(model.predict(images[learnt:]), axis=1) == labels[learnt:]
    print(f"{name}: trained on {learnt}, {found.mean():.2%} of the other {len(found)} are right")
    print(model.report())


if __name__ == "__main__":
    main()
