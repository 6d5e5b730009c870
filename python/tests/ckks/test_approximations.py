# SPDX-License-Identifier: Apache-2.0
"""Polynomials near functions: how near, how well chosen, and what is refused."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
from counted_numbers import Counted

from nttforge.ckks.functions import Polynomial, approximate
from nttforge.errors import ArgumentTypeError, ParameterError


def _errors(p: Polynomial, value: Any) -> Any:
    """Signed errors on a grid that is not the library's, and at random points."""
    every = np.random.default_rng(1)
    grids = [np.linspace(low, high, 40001) for low, high in p.domain]
    x = np.sort(np.concatenate([*grids, *(every.uniform(g[0], g[-1], 5000) for g in grids)]))
    return p.evaluate(x) - value(x)


FUNCTIONS: list[tuple[Any, Any]] = [
    (np.exp, (-1, 1)), (np.tanh, (-2, 2)), (np.cos, (-8, 8)), (np.log, (0.1, 10)),
    (np.sqrt, (0.01, 1)), (np.abs, (-1, 1)), (lambda x: 1 / (1 + 25 * x * x), (-1, 1)),
    (lambda x: 1 / (1 + np.exp(-x)), (-8, 8)), (lambda x: np.maximum(x, 0), (-1, 2)),
    (np.sign, [(-1, -0.1), (0.1, 1)]), (lambda x: 1.0 * (x > 0.8), [(-1, 0.75), (0.85, 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "interval"), FUNCTIONS)
@pytest.mark.parametrize("degree", [3, 7, 12, 25])
def test_a_best_approximation_equioscillates(value: Any, interval: Any, degree: int) -> None:
    p = approximate(value, interval, degree=degree)
    error = _errors(p, value)
    assert np.abs(error).max() <= p.error * 1.001 + 1e-15
    if p.error < 1e-12:
        return
    signs = np.sign(error)
    runs = np.split(error, np.flatnonzero(np.diff(signs)) + 1)
    peaks = np.array([np.abs(run).max() for run in runs])
    large = peaks > 0.99 * p.error
    assert large.sum() >= p.degree + 2  # of Chebyshev's theorem


NEAR_ROUNDING: list[tuple[Any, Any, int, float]] = [
    (*FUNCTIONS[-1], 127, 2.9136e-6), (*FUNCTIONS[-1], 25, 0.03434),
    (lambda x: np.maximum(x, 0), (-5, 5), 76, 0.0092167), (np.exp, (-8, 8), 25, 4.35e-11),
    (lambda x: x / (1 + np.exp(-x)), (-9, 9), 46, 1.2911e-7), (np.tanh, (-4, 4), 73, 3.91e-13),
    (lambda x: 0.5 + 0.5 * np.tanh(x / 2), (-8, 8), 67, 1.946e-12),
    (np.sin, (-64, 64), 99, 5.7e-13),
]  # fmt: skip


@pytest.mark.parametrize(("value", "interval", "degree", "least"), NEAR_ROUNDING)
@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_the_last_bits_of_values_do_not_matter(
    value: Any, interval: Any, degree: int, least: float, seed: int | None
) -> None:
    """They differ between processors' libraries; four units in the last place stand for them."""
    last = np.random.default_rng(seed)

    def near(x: Any) -> Any:
        y = value(x)
        return y if seed is None else y + last.uniform(-4, 4, x.shape) * np.spacing(np.abs(y))

    scale = np.abs(value(np.array([np.min(interval), np.max(interval)]))).max()
    error = approximate(near, interval, degree=degree).error
    assert error <= 1.01 * least + 8 * np.spacing(scale), error
    assert error >= 0.99 * least - 2.0**-46 * scale, error


@pytest.mark.parametrize(
    ("value", "interval"),
    [(np.tanh, (-12, 12)), (np.sin, (-64, 64)), FUNCTIONS[8], (np.exp, (-8, 6)), FUNCTIONS[-1]],
)
def test_every_degree_is_at_least_as_near_as_lower_ones(value: Any, interval: Any) -> None:
    before, rounding = math.inf, 2.0**-45 * np.abs(value(np.ravel(interval))).max()
    for degree in range(1, 128):
        error = approximate(value, interval, degree=degree).error
        assert error <= 1.01 * before + rounding, degree
        before = error


def test_steps_cost_half_of_their_height() -> None:
    for degree in (15, 31, 63, 127):
        assert approximate(lambda x: np.floor(5 * x), (-1, 1), degree=degree).error < 0.75


def test_noise_of_float32_is_not_made_larger() -> None:
    for degree in (15, 31, 100):
        p = approximate(lambda x: np.exp(np.float32(x)), (-1, 1), degree=degree)
        assert p.error < 5 * 2.0**-23


@pytest.mark.parametrize(
    ("degree", "error"),
    [(2, 0.125), (4, 0.0676209), (8, 0.0346896), (10, 0.0278451)],  # Varga and Carpenter
)
def test_published_errors_of_the_absolute_value(degree: int, error: float) -> None:
    p = approximate(np.abs, (-1, 1), degree=degree)
    assert p.parity == "even"
    assert abs(p.error - error) < 2e-7


@pytest.mark.parametrize("method", ["minimax", "chebyshev"])
@pytest.mark.parametrize("bits", [4, 10, 20, 33])
@pytest.mark.parametrize("which", [0, 1, 2, 3, 7])
def test_the_least_degree_for_an_error(method: Any, bits: int, which: int) -> None:
    value, interval = FUNCTIONS[which]
    p = approximate(value, interval, error=2.0**-bits, method=method)
    assert np.abs(_errors(p, value)).max() <= 2.0**-bits
    assert p.error <= 2.0**-bits
    lower = p.degree - (1 if p.parity == "any" else 2)
    if lower > 0 and method == "minimax":
        assert approximate(value, interval, degree=lower).error > 2.0**-bits


def test_interpolation_is_not_much_worse() -> None:
    for value, interval in FUNCTIONS[:8]:
        for degree in (5, 11, 20):
            best = approximate(value, interval, degree=degree).error
            near = approximate(value, interval, degree=degree, method="chebyshev").error
            assert best <= near * (1 + 1e-9) + 1e-15
            assert near <= (2 + 2 / math.pi * math.log(degree + 1)) * best * 1.01 + 1e-15


def test_zeros_of_even_and_odd_functions_are_exact() -> None:
    odd = approximate(lambda x: 1 / (1 + np.exp(-x)), (-6, 6), degree=9)
    assert odd.parity == "odd" and abs(odd.coefficients[0] - 0.5) < 1e-12
    assert not any(odd.coefficients[2::2])
    even = approximate(np.cosh, (-3, 3), error=1e-6, method="chebyshev")
    assert even.parity == "even" and not any(even.coefficients[1::2])
    assert approximate(np.exp, (-1, 1), degree=6).parity == "any"
    assert (
        approximate(lambda x: 3 * x**3 - x, (-1, 1), degree=9).degree == 3
    )  # the rest is rounding


def test_the_least_degree_for_a_relative_error() -> None:
    """Interpolation knows no weight, and is here much more than 16 times worse."""
    p = approximate(np.exp, (-8, 8), error=2.0**-16, weight="relative")
    assert approximate(np.exp, (-8, 8), degree=p.degree - 1, weight="relative").error > 2.0**-16


def test_relative_and_weighted_errors() -> None:
    p = approximate(np.exp, (-4, 4), error=1e-4, weight="relative")
    x = np.linspace(-4, 4, 30001)
    assert np.abs(p.evaluate(x) / np.exp(x) - 1).max() <= 1e-4
    assert (p.error_kind, p.error <= 1e-4) == ("relative", True)
    weighted = approximate(np.exp, (-4, 4), degree=7, weight=lambda x: 2 + np.sin(x))
    error = np.abs(weighted.evaluate(x) - np.exp(x)) * (2 + np.sin(x))
    assert weighted.error_kind == "weighted"
    assert abs(error.max() / weighted.error - 1) < 1e-3
    assert error.max() < approximate(np.exp, (-4, 4), degree=7).error * 3


def test_functions_of_numbers_and_constants() -> None:
    p = approximate(math.erf, (-2, 2), error=1e-5)
    assert abs(float(p(0.7)) - math.erf(0.7)) < 1e-5
    with pytest.raises(ParameterError, match="of five have degree 0: need 1 or more"):
        approximate(lambda x: 5.0, (0, 1), degree=3, name="five")


def test_on_ciphertexts() -> None:
    for value, interval, moved in ((np.exp, (-1, 1), 0), (np.exp, (0, 1), 0), (np.exp, (-2, 3), 1)):
        p = approximate(value, interval, error=1e-6)
        x = np.linspace(*interval, 1000)
        found = p(Counted(x, p.depth), "keys")
        assert found.levels_left == 0
        assert p.depth == p.plan.depth + moved
        assert np.abs(found.values - np.exp(x)).max() <= 1.01e-6
        with pytest.raises(
            ParameterError, match=rf"^exp needs {p.depth} levels, {p.depth - 1} left: bootstrap"
        ):
            p(Counted(x, p.depth - 1), "keys")


def test_polynomials_are_values() -> None:
    p = approximate(np.exp, (-1, 1), degree=4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        p.error = 0.0  # type: ignore[misc]
    assert p == approximate(np.exp, (-1, 1), degree=4)
    assert p.describe().startswith("exp: degree 4, depth 3, 2 products, absolute error 0.00055 on")
    half = p.scaled(0.5, 1.0)
    assert abs(float(half(0.3)) - (float(p(0.3)) / 2 + 1)) < 1e-15
    assert half.error == p.error / 2
    assert p.evaluate(np.zeros((2, 3))).shape == (2, 3)
    z = 0.3 + 0.1j
    assert abs(p.evaluate(z) - np.exp(z)) < 1e-3


CALLS = itertools.count(1)
BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({}, ParameterError, "degree and error: give one of them"),
    (dict(degree=3, error=0.1), ParameterError, "degree and error: give one of them"),
    (dict(degree=0), ParameterError, r"degree = 0 is not in \[1, 255\]"),
    (dict(degree=300), ParameterError, r"degree = 300 is not in \[1, 255\]"),
    (dict(degree=3, method="best"), ParameterError, "'best' is not one of 'chebyshev', 'min"),
    (dict(degree=3, interval=(1, 0)), ParameterError, "interval = .* need low < high"),
    (dict(degree=3, interval=(0, math.inf)), ParameterError, "need low < high, finite"),
    (dict(degree=3, interval=[(0, 2), (1, 3)]), ParameterError, "in increasing order"),
    (dict(degree=3, interval="here"), ArgumentTypeError, "interval = 'here': need"),
    (dict(degree=3, interval=[(-1, 0), (1, 2)], method="chebyshev"), ParameterError, "need method"),
    (dict(degree=3, function=3), ArgumentTypeError, "function is a int: need a callable"),
    (dict(degree=3, function=np.log, interval=(-1, 1)), ParameterError, "is not finite: need an"),
    (dict(degree=3, function=np.sin, weight="relative"), ParameterError, "weight is not positive"),
    (dict(degree=3, weight="some"), ParameterError, "weight = 'some' is not one of"),
    (dict(error=1e-20), ParameterError, r"error = 1e-20 is not in \[7.*e-14, inf\): float64"),
    (dict(error=1e-9, function=np.abs), ParameterError, "1e-09 is not reached by degree 255"),
    (dict(degree=5, function=lambda x: next(CALLS) * np.exp(x)), ParameterError,
     "degree = 5: the exchange for the best .* reaches an error of .* does not resolve steps or"),
    (dict(error="small"), ArgumentTypeError, "error = 'small': need a number"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "kind", "message"), BAD)
def test_what_is_refused(arguments: dict[str, Any], kind: type[Exception], message: str) -> None:
    called = {"function": np.exp, "interval": (-1, 1), **arguments}
    with pytest.raises(kind, match=message):
        approximate(called.pop("function"), called.pop("interval"), **called)
