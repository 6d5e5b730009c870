# SPDX-License-Identifier: Apache-2.0
"""Plain real numbers keep their precision beside encrypted arrays of any scale, or are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv
from nttforge.integer_encoding import Keys

RNG = np.random.default_rng(12)
WEIGHTS = RNG.normal(size=(8, 3))


@pytest.fixture(scope="module")
def keys() -> Keys:
    parameters = bfv.Parameters.preset(8192, nttforge.ntt_primes(8192, 36)[0])
    context = bfv.Context(parameters)
    return context.generate_keys(rotations=[512, 1024, 1536, 2048])


CONSTANTS: list[tuple[float, Callable[[Any], Any], int | float]] = [
    # scale of the array, what is computed, scale of the result
    (100, lambda x: x * 0.004, 1000000),
    (10, lambda x: x * 0.25, 1000),
    (10, lambda x: x * 3, 10),
    (0.5, lambda x: x + 1, 50),
    (0.5, lambda x: 1 - x, 50),
    (0.25, lambda x: x * 2, 0.25),
    (100, lambda x: x + 0.126, 10000),
    (100, lambda x: x + 0.12, 100),
    (100, lambda x: x - [0.5, 0, 0.001, 0], 10000),
    (1, lambda x: x * 0.5, 100),
    (1, lambda x: x + 0.5, 100),
    (1, lambda x: x * 2.0 + 3.0, 1),
    (100, lambda x: x * [1, 0.0004, -2, 0], 1000000),
    (10, lambda x: x * -1e-5, 10000000),
    (10, lambda x: x * np.float32(0.25) + np.float64(0.1), 1000),
    (3, lambda x: x * 0.1 + x * 0.25, 300),
]


@pytest.mark.parametrize("index", range(len(CONSTANTS)))
def test_constants_are_kept(keys: Keys, index: int) -> None:
    scale, function, result_scale = CONSTANTS[index]
    values = np.array([4, -8, 0, 12])
    x = EncryptedArray.encrypt(values, keys, scale=scale, bounds=(-16, 16))
    result = function(x)
    assert result.scale == result_scale and type(result.scale) is type(result_scale)
    got, want = result.decrypt(keys), np.asarray(function(values), float)
    assert got == pytest.approx(want, rel=1e-4, abs=1e-12)
    low, high = result.bounds
    assert low <= got.min() and got.max() <= high


def test_integers_stay_exact_and_cost_nothing(keys: Keys) -> None:
    x = EncryptedArray.encrypt([1, 2, 3], keys, bounds=(0, 3))
    for result in (x * 5 + 7, x * [5, 0, 1], x.with_precision(0.5, scale=1000) * 3, -x * 2):
        assert result.scale == 1 and result.decrypt(keys).dtype == np.int64
    assert (x * 5 + 7).bounds == (0, 22)


def test_sums_of_different_scales(keys: Keys) -> None:
    third = EncryptedArray.encrypt([1.5, 2], keys, scale=6, bounds=(0, 2))
    tenth = EncryptedArray.encrypt([0.1, 0.3], keys, scale=10, bounds=(0, 1))
    half = EncryptedArray.encrypt([4, 8], keys, scale=0.5, bounds=(0, 8))
    assert (third + tenth).scale == 30
    assert (third + tenth).decrypt(keys) == pytest.approx([1.6, 2.3])
    assert (tenth - half).scale == 10
    assert (tenth - half).decrypt(keys) == pytest.approx([-3.9, -7.7])
    odd = EncryptedArray.encrypt([1.0], keys, scale=2**0.5, bounds=(0, 1))
    with pytest.raises(nttforge.ParameterError, match="no integers up to 10\\^6 make them equal"):
        odd + EncryptedArray.encrypt([1.0], keys, scale=3, bounds=(0, 1))


def test_matrices_and_weighted_sums(keys: Keys) -> None:
    values = RNG.integers(-40, 41, 8) / 10
    x = EncryptedArray.encrypt(values, keys, scale=10, bounds=(-4, 4))
    for factor in (1, 0.001):
        weights = WEIGHTS * factor
        error = 1e-4 * np.abs(weights).max() * np.abs(values).sum()
        for result, want in (
            (x @ weights, values @ weights),
            (x @ weights[:, 0], values @ weights[:, 0]),
            (weights[:, 0] @ x, weights[:, 0] @ values),
            (weights.T @ x, weights.T @ values),
        ):
            assert result.decrypt(keys) == pytest.approx(want, rel=0, abs=error)


def test_polynomials_keep_their_coefficients(keys: Keys) -> None:
    x = EncryptedArray.encrypt([0.5, -1.5], keys, scale=2, bounds=(-2, 2))
    values = np.array([0.5, -1.5])
    cubic = x.polynomial([1, 0.5, 0, 2])
    assert cubic.scale == 8 and cubic.decrypt(keys).tolist() == [1.5, -6.5]
    small = x.polynomial([0.004, 0, 0.0003])
    assert small.decrypt(keys) == pytest.approx(0.004 + 0.0003 * values**2, rel=1e-4)
    coarse = EncryptedArray.encrypt([4, 8], keys, scale=0.5, bounds=(0, 8))
    assert coarse.polynomial([1, 1, 1]).decrypt(keys).tolist() == [21, 73]
    assert coarse.polynomial([1, 0.25]).decrypt(keys).tolist() == [2, 3]


def test_precision_is_stated(keys: Keys) -> None:
    x = EncryptedArray.encrypt([1, 2], keys, scale=10, bounds=(0, 2))
    assert (x * 0.3333).scale == 100_000 and (x.with_precision(0.01) * 0.3333).scale == 1000
    fine = x.with_precision(1e-6)
    assert (fine * (1 / 3)).decrypt(keys) == pytest.approx([1 / 3, 2 / 3], rel=1e-6)
    assert ((x * 0.5) * 0.3333).precision == x.precision and (fine * x).precision == 1e-6
    # A scale that is stated tells nothing of the numbers.
    stated = x.with_precision(0.01, scale=1000)
    assert {(stated * c).scale for c in (0.25, 0.333, 0.5, 7.0)} == {10_000}
    assert {(stated + c).scale for c in (0.25, 0.333, 0.5)} == {1000}
    with pytest.raises(
        nttforge.ParameterError,
        match=r"\*: 0.0004 at the stated scale 1000 is 0, which is not within precision = 0.01 of "
        "it: state a larger scale by with_precision, or ask for less",
    ):
        stated * 0.0004
    assert (x.with_precision(0.01, scale=10_000) * 0.0004).decrypt(keys)[1] == 0.0008
    for bad in (0, -1, 0.6, float("nan")):
        with pytest.raises(nttforge.ParameterError, match="precision = "):
            x.with_precision(bad)
    with pytest.raises(nttforge.ParameterError, match="scale = 0 is not in"):
        x.with_precision(0.1, scale=0)


def test_what_cannot_be_kept_is_refused(keys: Keys) -> None:
    x = EncryptedArray.encrypt([1, 2], keys, scale=10, bounds=(0, 2))
    for call, text in (
        (lambda: x * 1e-30, "*: 1e-30 cannot be kept to precision = 0.0001 by a scale below 2^62"),
        (
            lambda: x + 1e-12,
            "+ (of 1e-12, kept to precision = 0.0001 by the scale 10000000000000; with_precision "
            "asks for less): integers in [0, 20000000000000",
        ),
        (lambda: x.polynomial([0, 1e-30]), "polynomial of degree 1: 1e-30 cannot be kept"),
        (lambda: x * float("nan"), "*: an operand holds a number that is not finite"),
        (lambda: x.polynomial([0, float("inf")]), "a coefficient is not finite"),
        (lambda: x * 10**30, "*: an operand = 1000000000000000000000000000000 is out of range"),
        (lambda: x - [1, 10**30], "an operand[1] = 1000000000000000000000000000000 is out of"),
        (lambda: x.polynomial([1, 10**30]), "coefficients[1] = 1000000000000000000000000000000"),
        (lambda: EncryptedArray.encrypt([10**30], keys), "values[0] = 10000000000000000000000000"),
    ):
        with pytest.raises(nttforge.ParameterError) as caught:
            call()
        assert text in str(caught.value)
    for call in (
        lambda: EncryptedArray.encrypt([[1, 2], [3]], keys),
        lambda: x * [[1, 2], [3]],
        lambda: x.polynomial([[1], [2, 3]]),
        lambda: x.where([[True], [True, False]]),
    ):
        with pytest.raises(nttforge.ArgumentTypeError, match="has rows of different lengths: need"):
            call()
    with pytest.raises(nttforge.ArgumentTypeError, match=r"operand\[1\] is a str"):
        x * np.array([1, "a"], dtype=object)


def test_polynomials_that_vanish_modulo_t(keys: Keys) -> None:
    t = keys.context.t
    x = EncryptedArray.encrypt([0, 0], keys, bounds=(0, 0))
    for coefficients in ([1, t], [5, 0, 2 * t], [0, t, -t]):
        with pytest.raises(nttforge.ParameterError, match=f"are multiples of t = {t}, so that the"):
            x.polynomial(coefficients)
    assert x.polynomial([3, t, 1]).decrypt(keys).tolist() == [3, 3]


def test_chosen_parameters_hold_the_constants() -> None:
    def function(x: Any) -> Any:
        return (x * 0.004 + 0.3333) * x, x.polynomial([0.5, -0.25, 0.125, 0.001])

    choice = nttforge.choose(function, [ArraySpec((16,), -10, 10, scale=100)])
    keys = choice.generate_keys(bfv.Context(choice.parameters))
    values = RNG.integers(-1000, 1001, 16) / 100
    x = EncryptedArray.encrypt(values, keys, scale=100, bounds=(-10, 10))
    products, polynomials = function(x)
    assert products.decrypt(keys) == pytest.approx((values * 0.004 + 0.3333) * values, rel=1e-3)
    want = 0.5 - 0.25 * values + 0.125 * values**2 + 0.001 * values**3
    assert polynomials.decrypt(keys) == pytest.approx(want, rel=1e-3, abs=1e-3)
    # The constant of a recorded polynomial may pass 64 bits; its range is what is refused.
    with pytest.raises(nttforge.ParameterError):
        nttforge.choose(
            lambda x: x.polynomial([1.0] * 8), [ArraySpec((16,), -10, 10, scale=10_000)]
        )
