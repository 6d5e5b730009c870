# SPDX-License-Identifier: Apache-2.0
"""Trains the integer network of private_network.py on scikit-learn's digits; writes its JSON.

    python examples/python/train_digits.py examples/python/digits_model.json

64 pixels in 0 ... 4, 16 hidden units that are squared, 10 scores. Weights are trained as real
numbers, made integers, and the second layer is then fitted again to what the first one gives.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

HIDDEN, STEPS, W1_MOST, W2_MOST = 16, 3000, 5, 7


def data() -> tuple[Any, Any, Any, Any]:
    """Training and held-out images and digits; every fourth image is held out."""
    from sklearn.datasets import load_digits

    digits: Any = load_digits()
    images = np.rint(digits.data / 4).astype(np.int64)
    held = np.arange(len(images)) % 4 == 3
    return images[~held], digits.target[~held], images[held], digits.target[held]


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def fit(features: Any, target: Any, seed: int, hidden: bool) -> dict[str, Any]:
    """Adam on the cross entropy; with a squared hidden layer or linear."""
    rng = np.random.default_rng(seed)
    onehot, width = np.eye(10)[target], features.shape[1]
    p: dict[str, Any] = {"b2": np.zeros(10)}
    if hidden:
        p |= {"w1": rng.normal(0, 0.15, (width, HIDDEN)), "b1": rng.normal(0, 0.1, HIDDEN)}
        width = HIDDEN
    p["w2"] = rng.normal(0, 0.1, (width, 10))
    m = {k: np.zeros_like(v) for k, v in p.items()}
    v = {k: np.zeros_like(x) for k, x in p.items()}
    for step in range(1, STEPS + 1):
        chosen = rng.integers(0, len(features), 256)
        x, y = features[chosen], onehot[chosen]
        h = x @ p["w1"] + p["b1"] if hidden else x
        a = h * h if hidden else x
        d = (softmax(a @ p["w2"] + p["b2"]) - y) / len(x)
        g = {"w2": a.T @ d + 1e-4 * p["w2"], "b2": d.sum(axis=0)}
        if hidden:
            dh = (d @ p["w2"].T) * 2 * h
            g |= {"w1": x.T @ dh + 1e-3 * p["w1"], "b1": dh.sum(axis=0)}
        rate = 0.01 * (1 - step / (STEPS + 1))
        for k in p:
            m[k] = 0.9 * m[k] + 0.1 * g[k]
            v[k] = 0.999 * v[k] + 0.001 * g[k] ** 2
            p[k] -= rate * (m[k] / (1 - 0.9**step)) / (np.sqrt(v[k] / (1 - 0.999**step)) + 1e-9)
    return p


def main() -> None:
    images, target, held, held_target = data()
    p = fit(images / 4, target, 1, True)
    scale = W1_MOST / np.quantile(np.abs(p["w1"]), 0.995)
    w1 = np.clip(np.rint(p["w1"] * scale), -W1_MOST, W1_MOST).astype(np.int64)
    b1 = np.rint(p["b1"] * scale * 4).astype(np.int64)
    features = ((images @ w1 + b1) ** 2).astype(float)
    unit = features.std()
    q = fit(features / unit, target, 2, False)
    scale2 = W2_MOST / np.abs(q["w2"]).max()
    w2 = np.rint(q["w2"] * scale2).astype(np.int64)
    b2 = np.rint(q["b2"] * scale2 * unit).astype(np.int64)
    scores = ((held @ w1 + b1) ** 2) @ w2 + b2
    share = float((scores.argmax(axis=1) == held_target).mean())
    print(f"right on {share:.1%} of {len(held)} held-out images")
    model = {"accuracy": round(share, 4), "w1": w1.tolist(), "b1": b1.tolist()}
    model |= {"w2": w2.tolist(), "b2": b2.tolist()}
    model["note"] = (
        "trained by train_digits.py on the digits of scikit-learn: E. Alpaydin, C. Kaynak, Optical "
        "Recognition of Handwritten Digits, UCI Machine Learning Repository 1998, CC BY 4.0"
    )
    bound1 = np.maximum(4 * np.maximum(w1, 0).sum(0) + b1, 4 * np.maximum(-w1, 0).sum(0) - b1)
    bound2 = (np.abs(w2) * (bound1**2)[:, None]).sum(axis=0) + np.abs(b2)
    print(f"hidden values up to {bound1.max()}, scores up to {bound2.max()}")
    Path(sys.argv[1]).write_text(json.dumps(model) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
