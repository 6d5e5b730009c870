# SPDX-License-Identifier: Apache-2.0
"""What ciphertexts say of the errors of functions: documented errors at documented depths."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import chebyshev
from small_ckks import small_set

from nttforge import ckks
from nttforge.ckks import functions
from nttforge.ckks.functions import Function
from nttforge.ckks.growth import Growth, stretched
from nttforge.errors import ParameterError

Real = np.ndarray[Any, np.dtype[np.float64]]

#: A function, what it is near to, and by how much more than its error a ciphertext's error is, at
#: most: heuristically and proved.
CASES: list[tuple[Function, Callable[..., Real], float, float]] = [
    (functions.sign(), np.sign, 1.01, 1.1),
    (functions.sign(2**-8, 12), np.sign, 1.01, 1.4),
    (functions.sign(method="fg"), np.sign, 1.01, 1.1),
    (functions.step(bound=4), lambda x: (np.sign(x) + 1) / 2, 1.01, 1.1),
    (functions.compare(), lambda x, y: (np.sign(x - y) + 1) / 2, 1.01, 1.1),
    (functions.relu(), lambda x: np.maximum(x, 0), 1.01, 1.1),
    (functions.relu(10, method="minimax"), lambda x: np.maximum(x, 0), 1.01, 1.2),
    (functions.maximum(6), np.maximum, 1.01, 1.1),
    (functions.sigmoid((-8, 8)), lambda x: 1 / (1 + np.exp(-x)), 1.01, 1.1),
    (functions.sqrt(bits=20), np.sqrt, 1.01, 1.2),
]


@pytest.fixture(scope="module")
def keys() -> ckks.Keys:
    return ckks.Context(small_set(64, 16, 50, special=2)).generate_keys()


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0].name} {row[0].parts}")
def test_errors_are_those_that_are_documented(keys: ckks.Keys, row: Any) -> None:
    f, exact, heuristic, proved = row
    draw, count = np.random.default_rng(3), keys.context.slots
    xs = []
    for pieces in f.domain:
        x = np.concatenate([draw.uniform(low, high, count) for low, high in pieces])
        ends = [end for piece in pieces for end in piece]
        xs.append(np.concatenate([ends, draw.permutation(x)])[:count])
    if f.name == "compare":
        near = np.abs(xs[0] - xs[1]) < 2.0**-6
        xs[0][near], xs[1][near] = 1, 0
    bound = max(1.0, *(np.abs(x).max() for x in xs))
    texts = [keys.encrypt(x, bound=bound) for x in xs]
    found = f(*texts, keys=keys)
    assert found.levels_left == texts[0].levels_left - f.depth
    seen = np.abs(keys.decrypt(found) - exact(*xs)).max()
    assert seen <= found.error <= heuristic * f.error
    assert found.error <= found.proved_error <= proved * f.error
    assert f.error / 2 <= found.error and found.bound <= 1.6 * max(1, bound)


def test_relative_errors_count_beside_the_largest_value(keys: ckks.Keys) -> None:
    inverse = functions.inverse((0.1, 1))
    x = np.linspace(0.1, 1, keys.context.slots)
    y = inverse(keys.encrypt(x), keys=keys)
    assert np.abs(keys.decrypt(y) - 1 / x).max() <= y.error
    assert 10 * inverse.error <= y.error <= 10.3 * inverse.error


def test_growth_is_a_bound() -> None:
    """Polynomials at points near a part of [-1, 1] in the complex plane, and the bound for them."""
    draw = np.random.default_rng(4)
    for degree in (1, 2, 7, 31):
        c = draw.uniform(-1, 1, degree + 1)
        for pieces in ([(-1.0, 1.0)], [(-1.0, -0.2), (0.3, 0.9)]):
            growth, error = Growth(c, pieces), 0.24 / degree**2
            ends = [e for piece in pieces for e in piece]
            x = np.concatenate([ends, *(draw.uniform(low, high, 4000) for low, high in pieces)])
            z = x + error * np.exp(2j * np.pi * draw.uniform(size=x.shape))
            z[: len(ends)] = x[: len(ends)] + error * np.sign(x[: len(ends)])
            moved = np.abs(chebyshev.chebval(z, c) - chebyshev.chebval(x, c)).max()
            assert moved <= growth.of(error)
            assert np.abs(chebyshev.chebval(x, c)).max() <= growth.size
            last = np.abs(chebyshev.chebval(z, [0] * degree + [1])).max()
            assert last <= stretched(degree, error)


def test_an_error_too_large_for_slopes_grows_as_products_do(keys: ckks.Keys) -> None:
    x = keys.encrypt([0.5, -0.25]).off_by(0.009)
    assert math.isclose(x.error, 0.009, rel_tol=1e-3)
    f = functions.sign(2**-4, 8)
    y = x.polynomial([0, 0, 0, 0, 0, 1], keys, basis="chebyshev")
    assert y.error <= 0.25 < x.polynomial([0] * 7 + [1], keys, basis="chebyshev").error
    assert f(x, keys=keys).error > 1


def test_a_domain_must_be_in_the_interval(keys: ckks.Keys) -> None:
    x = keys.encrypt(0.5)
    with pytest.raises(
        ParameterError, match=r"domain = .* need pairs \(low, high\) in the interval"
    ):
        x.polynomial([0, 1, 1], keys, basis="chebyshev", domain=[(0, 2)])
    with pytest.raises(ParameterError, match="need pairs"):
        x.polynomial([0, 1, 1], keys, domain=[(0, 1)])
