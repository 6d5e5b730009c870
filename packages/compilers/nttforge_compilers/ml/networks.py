# SPDX-License-Identifier: Apache-2.0
"""Models as data: affine layers, activations between them, and what becomes of the last scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import ParameterError
from nttforge.ckks import functions

__all__ = ["ACTIVATIONS", "Curve", "Head", "Layer", "Network", "fitted_curves"]

Real = NDArray[np.float64]
_MOST_DEGREE = 127


def _logistic(x: Real) -> Real:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))


def _gelu(x: Real) -> Real:
    erf = np.frompyfunc(math.erf, 1, 1)
    return np.asarray(0.5 * x * (1 + np.asarray(erf(x / math.sqrt(2)), np.float64)))


#: Functions between layers; what is even or odd but for a line stays so on intervals about 0.
ACTIVATIONS: dict[str, Callable[[Real], Real]] = {
    "relu": lambda x: np.maximum(x, 0),
    "logistic": _logistic,
    "tanh": np.tanh,
    "silu": lambda x: x * _logistic(x),
    "gelu": _gelu,
    "square": np.square,
}


@dataclass(frozen=True, eq=False)
class Layer:
    """``activation(weights @ x + bias)``; the last one has none."""

    weights: Real
    bias: Real
    activation: str | None = None


@dataclass(frozen=True, eq=False)
class Head:
    """What the owner of the key makes of scores, in the clear.

    Parameters
    ----------
    kind : {"value", "values", "logistic", "softmax", "margin"}
        One number a record, several, or scores of classes: with probabilities by the logistic
        function or softmax, or without.
    classes : array, optional
        Labels, where there are classes.
    """

    kind: str
    classes: Any = None

    def labels(self, scores: Real) -> NDArray[Any]:
        """Predictions, one a record."""
        if self.classes is None:
            return scores[:, 0] if self.kind == "value" else scores
        chosen = scores[:, 0] > 0 if scores.shape[1] == 1 else np.argmax(scores, axis=1)
        return np.asarray(np.asarray(self.classes)[chosen.astype(np.int64)])

    def probabilities(self, scores: Real) -> Real:
        """A chance for each class, (records, classes)."""
        if self.kind == "logistic":
            chance = _logistic(scores[:, 0])
            return np.stack([1 - chance, chance], axis=1)
        if self.kind != "softmax":
            raise ParameterError(
                f"predict_proba needs a model with probabilities: this one gives a {self.kind}"
            )
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Curve:
    """What stands for an activation: a polynomial by Chebyshev's basis on [-limit, limit]."""

    limit: float
    coefficients: tuple[float, ...]
    error: float

    def __call__(self, x: Real) -> Real:
        found = np.polynomial.chebyshev.chebval(x / self.limit, self.coefficients)
        return np.asarray(found, np.float64)


@dataclass(frozen=True, eq=False)
class Network:
    """A model whose computation on a record is its layers, one after the other."""

    layers: tuple[Layer, ...]
    head: Head

    @property
    def features(self) -> int:
        """Numbers of a record."""
        return int(self.layers[0].weights.shape[1])

    @property
    def outputs(self) -> int:
        """Scores of a record."""
        return len(self.layers[-1].bias)

    def scores(self, x: Real, curves: Sequence[Curve | None] = ()) -> Real:
        """In the clear, (records, outputs): by activations, or by the curves for them."""
        *_, last = self.steps(x, curves)
        return last

    def steps(self, x: Real, curves: Sequence[Curve | None] = ()) -> list[Real]:
        """What goes into each activation, and the scores."""
        found = []
        for i, layer in enumerate(self.layers):
            x = x @ layer.weights.T + layer.bias
            found.append(x)
            if layer.activation is not None:
                curve = curves[i] if curves else None
                x = (curve or ACTIVATIONS[layer.activation])(x)
        return found


def fitted_curves(network: Network, sample: Real, bits: int, margin: float) -> list[Curve | None]:
    """A curve for each layer with an activation.

    Its interval is what records of the sample reach, larger by a margin. Later layers see what the
    curves before them give.

    Raises
    ------
    ParameterError
        An activation needs too high a degree for so many bits.
    """
    curves: list[Curve | None] = [None] * len(network.layers)
    for i, layer in enumerate(network.layers):
        if layer.activation is not None:
            reached = float(np.max(np.abs(network.steps(sample, curves)[i]))) or 1.0
            curves[i] = _curve(layer.activation, reached * (1 + margin), bits)
    return curves


def _curve(name: str, limit: float, bits: int) -> Curve:
    if name == "square":
        return Curve(limit, (limit**2 / 2, 0.0, limit**2 / 2), 0.0)
    largest = float(np.max(np.abs(ACTIVATIONS[name](np.array([-limit, limit])))))

    def scaled(t: Real) -> Real:
        return ACTIVATIONS[name](limit * np.asarray(t)) / largest

    wanted = 2.0**-bits
    if functions.approximate(scaled, (-1, 1), degree=_MOST_DEGREE).error <= wanted:
        found = functions.approximate(scaled, (-1, 1), error=wanted)
        row = tuple(largest * c for c in found.coefficients)
        return Curve(limit, row, largest * found.error)
    raise ParameterError(
        f"bits = {bits}: {name} on [-{limit:.3g}, {limit:.3g}] needs a polynomial of a degree "
        f"above {_MOST_DEGREE}: take fewer bits (relu: at most 9), or train with a smoother "
        "activation"
    )
