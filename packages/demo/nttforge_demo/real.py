# SPDX-License-Identifier: Apache-2.0
"""The same scores of the same patients by CKKS: real numbers in place of integers, nearly exact."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import ckks
from nttforge.choosing import RealChoice, choose
from nttforge.encrypted import ArraySpec, EncryptedArray

from .model import FEATURE_LIMIT, REFINED_SCALE, WEIGHT_LIMIT, Model
from .packing import SPAN

__all__ = ["RealScores", "real_scores"]

#: Bits behind the point, of scores divided by the limits and of probabilities: with as many the
#: error that scores carry is below a half, so that rounded they are the exact ones.
PRECISION = 16.0
#: Scores are divided by this; the encrypted weights and features by their limits.
_UNIT = FEATURE_LIMIT * WEIGHT_LIMIT


@dataclass(frozen=True)
class RealScores:
    """What came of it, in the units of the exact results, and what it took."""

    scores: NDArray[np.float64]
    refined: NDArray[np.float64]
    choice: RealChoice
    seconds: float  #: of whoever computes
    promised: float  #: what scores are off by at most, by their carried error
    sent: int  #: bytes of ciphertexts to whoever computes
    received: int

    def differences(self, scores: NDArray[Any], refined: NDArray[Any]) -> tuple[float, float]:
        """Largest differences from exact scores, and from refinements as probabilities."""
        of_refined = np.abs(self.refined - refined).max() / REFINED_SCALE
        return float(np.abs(self.scores - scores).max()), float(of_refined)


def real_scores(model: Model, x: NDArray[np.int64], threads: int, seed: str | None) -> RealScores:
    """Scores w x + bias and their refinements, of integers (records, features), by CKKS.

    The weights and the bias are encrypted as the records are; the polynomial of the refinement is
    evaluated with its numbers in the clear.
    """
    a, b, c = (
        v * _UNIT**k / REFINED_SCALE for k, v in zip((2, 1, 0), model.quadratic, strict=True)
    )
    records = np.append(x / FEATURE_LIMIT, np.ones((len(x), 1)), axis=1)
    weights = np.append(model.weights / WEIGHT_LIMIT, model.bias / _UNIT)
    bias = max(1.0, abs(float(weights[-1])))

    def circuit(
        people: EncryptedArray, model_weights: EncryptedArray
    ) -> tuple[EncryptedArray, ...]:
        s = people @ model_weights
        return s, s.polynomial([c, b, a])

    specs = [
        ArraySpec(records.shape, -1, 1, block=SPAN),
        ArraySpec(weights.shape, -bias, bias, block=SPAN),
    ]
    choice = choose(circuit, specs, scheme="ckks", precision=PRECISION)
    context = ckks.Context(choice.parameters, threads=threads)
    own = None if seed is None else hashlib.sha256(f"real numbers {seed}".encode()).digest()
    keys = choice.generate_keys(context, seed=own)
    values = (records, weights)
    texts = [spec.encrypt(v, keys) for spec, v in zip(specs, values, strict=True)]
    begun = time.perf_counter()
    results = [y.shrink() for y in circuit(*texts)]
    spent = time.perf_counter() - begun
    s, r = (y.decrypt(keys) for y in results)
    return RealScores(
        s.astype(np.float64) * _UNIT,
        r.astype(np.float64) * REFINED_SCALE,
        choice,
        spent,
        results[0].error * _UNIT,
        sum(len(y.to_bytes()) for y in texts),
        sum(len(y.to_bytes()) for y in results),
    )
