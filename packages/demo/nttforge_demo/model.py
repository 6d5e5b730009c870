# SPDX-License-Identifier: Apache-2.0
"""The model in the clear: trained on floats, then made of integers so that BFV computes it exactly.

score   s = sum_i w_i x_i + bias            x_i in [-15, 15], w_i in [-31, 31]
refined r = a s^2 + b s + c                 close to 2^32 times the probability of cancer

The quadratic is fitted to the outcomes of the training patients, monotone over their scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEATURE_LIMIT = 15
WEIGHT_LIMIT = 31
CLIP = 3.5  # standard deviations that reach FEATURE_LIMIT
REFINED_SCALE = 2**32
TEST_SHARE = 0.4
SPLIT_SEED = 0  # of the split into training and held-out patients; nothing secret

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Patients:
    """The data, in its order; ``outcome`` is 1 for malignant."""

    names: tuple[str, ...]  # of the columns of features
    features: FloatArray
    outcome: IntArray
    held_out: NDArray[np.bool_]


@dataclass(frozen=True)
class Model:
    """A float model and its integer twin; ``names`` are those of the features, in their order."""

    names: tuple[str, ...]
    mean: FloatArray
    deviation: FloatArray
    float_weights: FloatArray
    float_bias: float
    weights: IntArray
    bias: int
    quadratic: tuple[int, int, int]

    def quantise(self, features: FloatArray) -> IntArray:
        """Standardised features as integers in [-FEATURE_LIMIT, FEATURE_LIMIT]."""
        z = (features - self.mean) / self.deviation * (FEATURE_LIMIT / CLIP)
        return np.clip(np.rint(z), -FEATURE_LIMIT, FEATURE_LIMIT).astype(np.int64)

    def float_scores(self, features: FloatArray) -> FloatArray:
        """The logit of the float model."""
        z = (features - self.mean) / self.deviation
        return np.asarray(z @ self.float_weights + self.float_bias)

    def scores(self, x: IntArray) -> IntArray:
        """s of every record."""
        return np.asarray(x @ self.weights + self.bias)

    def refine(self, s: IntArray) -> IntArray:
        """r of every score."""
        a, b, c = self.quadratic
        return np.asarray(a * s * s + b * s + c)

    @property
    def score_bound(self) -> int:
        """|s| of any record whatsoever: each |x_i| <= FEATURE_LIMIT."""
        return FEATURE_LIMIT * int(np.abs(self.weights).sum()) + abs(self.bias)

    @property
    def refined_bound(self) -> int:
        """|r|, and every value on the way to it, of any record whatsoever."""
        a, b, c = (abs(v) for v in self.quadratic)
        return a * self.score_bound**2 + b * self.score_bound + c


def load_patients(count: int | None = None) -> Patients:
    """The first ``count`` of 569 patients (default all); the split does not depend on it."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    data: Any = load_breast_cancer()
    outcome = (1 - data.target).astype(np.int64)
    index = np.arange(outcome.size)
    _, test = train_test_split(
        index, test_size=TEST_SHARE, random_state=SPLIT_SEED, stratify=outcome
    )
    held_out = np.isin(index, test)
    names = tuple(str(name).replace(" ", "_") for name in data.feature_names)
    return Patients(names, data.data[:count], outcome[:count], held_out[:count])


def train(patients: Patients) -> Model:
    """Logistic regression on the training patients, quantised, with its quadratic."""
    from sklearn.linear_model import LogisticRegression

    features = patients.features[~patients.held_out]
    outcome = patients.outcome[~patients.held_out]
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    fit = LogisticRegression(C=0.1, max_iter=1000).fit((features - mean) / deviation, outcome)
    weights, bias = np.asarray(fit.coef_[0]), float(fit.intercept_[0])

    weight_scale = WEIGHT_LIMIT / float(np.abs(weights).max())
    score_scale = weight_scale * FEATURE_LIMIT / CLIP
    integer_weights = np.rint(weights * weight_scale).astype(np.int64)
    model = Model(
        patients.names,
        mean,
        deviation,
        weights,
        bias,
        integer_weights,
        round(bias * score_scale),
        (0, 0, 0),
    )
    s = model.scores(model.quantise(features))
    a, b, c = _monotone_quadratic(s / score_scale, outcome)
    quadratic = (
        round(REFINED_SCALE * a / score_scale**2),
        round(REFINED_SCALE * b / score_scale),
        round(REFINED_SCALE * c),
    )
    return replace(model, quadratic=quadratic)


def _monotone_quadratic(z: FloatArray, y: IntArray) -> tuple[float, float, float]:
    """Least squares for y ~ a z^2 + b z + c that does not turn between the extreme z."""
    a, b, c = np.linalg.lstsq(np.stack([z * z, z, np.ones_like(z)], axis=1), y, rcond=None)[0]
    low, high = float(z.min()), float(z.max())
    vertex = -b / (2 * a) if a else np.inf
    if low < vertex < high:
        # Put the turning point at the nearer end: y ~ a (z - end)^2 + c.
        end = high if high - vertex < vertex - low else low
        a, c = np.linalg.lstsq(np.stack([(z - end) ** 2, np.ones_like(z)], axis=1), y, rcond=None)[
            0
        ]
        b, c = -2 * a * end, c + a * end * end
    return float(a), float(b), float(c)
