# SPDX-License-Identifier: Apache-2.0
"""Every function keeps its stated error on its whole domain, at its stated depth, under noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from counted_numbers import Counted

from nttforge.ckks import functions
from nttforge.ckks.functions import Function
from nttforge.ckks.functions.composites import sign_composite
from nttforge.errors import ArgumentTypeError, ParameterError

Real = np.ndarray[Any, np.dtype[np.float64]]
NOISE = 2.0**-20
_POINTS = 20000


def _gelu(x: Real) -> Real:
    return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def _step(x: Real) -> Real:
    return (np.sign(x) + 1) / 2


#: Function, arguments, what it is near to, bits that it must have, and by how much noise of every
#: operation may grow until the result, a half more than was measured.
CASES: list[tuple[Callable[..., Function], dict[str, Any], Callable[..., Real], float, float]] = [
    (functions.sign, {}, np.sign, 10, 91),
    (functions.sign, dict(eps=2**-10, bits=16), np.sign, 16, 24),
    (functions.sign, dict(method="fg"), np.sign, 10, 11),
    (functions.sign, dict(eps=2**-4, bound=8), np.sign, 10, 17),
    (functions.step, {}, _step, 10, 66),
    (functions.compare, {}, lambda x, y: _step(x - y), 10, 77),
    (functions.absolute, {}, np.abs, 8, 110),
    (functions.absolute, dict(bits=10), np.abs, 10, 120),
    (functions.absolute, dict(method="fg", bits=6, bound=2), np.abs, 6, 20),
    (functions.relu, {}, lambda x: np.maximum(x, 0), 8, 30),
    (functions.relu, dict(method="minimax"), lambda x: np.maximum(x, 0), 8, 97),
    (functions.relu, dict(bits=5, bound=4), lambda x: np.maximum(x, 0), 5, 54),
    (functions.maximum, {}, np.maximum, 8, 34),
    (functions.maximum, dict(bits=9, method="minimax"), np.maximum, 9, 76),
    (functions.minimum, dict(bits=6), np.minimum, 6, 14),
    (functions.inverse, {}, lambda x: 1 / x, 16, 190),
    (functions.inverse, dict(method="polynomial"), lambda x: 1 / x, 16, 290),
    (functions.inverse, dict(interval=(2**-8, 1)), lambda x: 1 / x, 16, 99000),
    (functions.inverse, dict(interval=(1, 50), bits=8), lambda x: 1 / x, 8, 10),
    (functions.inverse, dict(both_signs=True), lambda x: 1 / x, 16, 210),
    (functions.inverse, dict(both_signs=True, method="polynomial"), lambda x: 1 / x, 16, 3300),
    (functions.divide, {}, lambda x, y: x / y, 16, 190),
    (functions.divide, dict(bound=4, method="polynomial"), lambda x, y: x / y, 16, 1200),
    (functions.sqrt, {}, np.sqrt, 16, 16),
    (functions.sqrt, dict(steps=2), np.sqrt, 16, 10),
    (functions.sqrt, dict(interval=(2**-7, 1), bits=12), np.sqrt, 12, 36),
    (functions.inverse_sqrt, {}, lambda x: x**-0.5, 16, 48),
    (functions.inverse_sqrt, dict(steps=1, bits=20), lambda x: x**-0.5, 20, 81),
    (functions.exp, {}, np.exp, 16, 13),
    (functions.exp, dict(interval=(-4, 2), weight="relative"), np.exp, 16, 82),
    (functions.log, {}, np.log, 12, 36),
    (functions.sigmoid, {}, lambda x: 1 / (1 + np.exp(-x)), 10, 16),
    (functions.sigmoid, dict(interval=(-4, 4), bits=20), lambda x: 1 / (1 + np.exp(-x)), 20, 15),
    (functions.tanh, {}, np.tanh, 10, 20),
    (functions.gelu, {}, _gelu, 10, 25),
    (functions.gelu, dict(bound=8, bits=12), _gelu, 12, 79),
    (functions.sin, {}, np.sin, 16, 16),
    (functions.cos, {}, np.cos, 16, 20),
    (functions.cos, dict(bound=50, doublings=None), np.cos, 16, 3600),
    (functions.sin, dict(bound=20, doublings=2), np.sin, 16, 630),
]  # fmt: skip


def _case(row: Any) -> str:
    arguments = ", ".join(f"{k}={v}" for k, v in row[1].items())
    return f"{row[0].__name__}({arguments})"


def _arguments(f: Function, every: np.random.Generator) -> list[Real]:
    """Points of the domain: a grid of each interval and random ones, near its ends more."""
    found = []
    for pieces in f.domain:
        parts = []
        for low, high in pieces:
            near = (high - low) * np.geomspace(1e-9, 1, _POINTS // 4)
            parts += [np.linspace(low, high, _POINTS), every.uniform(low, high, _POINTS)]
            parts += [np.clip(low + near, low, high), np.clip(high - near, low, high)]
        found.append(np.concatenate(parts))
    for x in found[1:]:
        every.shuffle(x)
    if f.name == "compare":
        apart = np.abs(found[0] - found[1]) >= 2.0**-6
        found = [x[apart] for x in found]
    return found


@pytest.mark.parametrize("row", CASES, ids=_case)
def test_error_depth_and_noise(row: Any) -> None:
    make, options, exact, bits, growth = row
    f = make(**options)
    xs = _arguments(f, np.random.default_rng(5))
    values, found = exact(*xs), f(*xs)
    scale = np.where(values == 0, 1, np.abs(values)) if f.error_kind == "relative" else 1.0
    error = float(np.max(np.abs(found - values) / scale))
    assert error <= f.error * 1.002 + 1e-12
    assert f.error <= 2.0**-bits
    assert error > f.error / 3  # what is stated is not far from what is

    Counted.products = 0
    result = f(*(Counted(x, f.depth) for x in xs), keys="keys")
    assert (result.levels_left, Counted.products) == (0, f.products)
    assert np.abs(result.values - found).max() < 1e-6 * max(1, np.abs(values).max())
    with pytest.raises(
        ParameterError, match=f"^{f.name} needs {f.depth} levels, {f.depth - 1} left"
    ):
        f(*(Counted(x, f.depth - 1) for x in xs), keys="keys")

    every = np.random.default_rng(6)
    moved = [x + NOISE * every.uniform(-1, 1, x.shape) for x in xs]
    noisy = f(*(Counted(x, f.depth, NOISE, seed) for seed, x in enumerate(moved)), keys="keys")
    grown = np.abs(noisy.values - found).max() / NOISE
    assert grown <= growth
    assert f.name == "compare" or f.growth / 2 <= grown <= 2 * f.growth


@pytest.mark.parametrize(("classes", "interval", "bits"), [(2, (-2, 2), 10), (10, (-1, 3), 8)])
def test_softmax(classes: int, interval: tuple[float, float], bits: float) -> None:
    f = functions.softmax(classes, interval, bits)
    xs = np.random.default_rng(2).uniform(*interval, (classes, 2000))
    xs[:, 0], xs[:, 1], xs[0, 2:4], xs[1:, 2], xs[1:, 3] = *interval, interval[1], *interval
    exact = np.exp(xs) / np.exp(xs).sum(axis=0)
    assert np.abs(np.array(f(*xs)) - exact).max() <= f.error <= 2.0**-bits
    results = f(*(Counted(x, f.depth, NOISE, seed) for seed, x in enumerate(xs)), keys="keys")
    assert [r.levels_left for r in results] == [0] * classes
    assert max(np.abs(r.values - e).max() for r, e in zip(results, exact, strict=True)) < (
        2.0**-bits + 200 * NOISE
    )


@pytest.mark.parametrize(
    ("eps", "bits", "degrees"),
    # For comparisons with an error of 2^-alpha that of the sign is twice as large [LLNK22].
    [
        (2**-8, 7, (7, 15, 15)),
        (2**-12, 11, (15, 15, 15, 15)),
        (0.25, 3, None),
        pytest.param(2**-20, 20, None, marks=pytest.mark.full),
    ],
)
def test_composites(eps: float, bits: float, degrees: tuple[int, ...] | None) -> None:
    stages = sign_composite(eps, bits, "minimax")
    if degrees:
        assert tuple(stage.degree for stage in stages) == degrees
    x = np.concatenate([np.geomspace(eps, 1, 50000), np.linspace(eps, 1, 50000)])
    for stage in stages[:-1]:
        x = stage.evaluate(x)
        assert x.min() > 0 and x.max() <= 1
    assert np.abs(stages[-1].evaluate(x) - 1).max() <= 2.0**-bits
    fixed = sign_composite(eps, bits, "fg")
    assert sum(stage.depth for stage in stages) <= sum(stage.depth for stage in fixed)


def test_stages_have_room_for_noise() -> None:
    """What noise of 2^-17 leads out of a stage's interval has no larger error than what is in."""
    x = np.linspace(2.0**-6, 1, 100000)
    stages = sign_composite(2.0**-6, 10, "minimax")
    for stage in stages[:-1]:
        x = stage.evaluate(x)
    inside = np.linspace(x.min(), x.max(), 100000)
    wider = np.linspace(x.min() - 2.0**-17, x.max() + 2.0**-17, 100000)
    errors = [np.abs(stages[-1].evaluate(y) - 1).max() for y in (inside, wider)]
    assert errors[1] <= errors[0] * (1 + 1e-4)


def test_no_composite_of_two_is_less_deep() -> None:
    """Every pair of degrees whose depth is below that of the choice misses the error."""
    for eps, bits in ((2.0**-4, 5), (2.0**-5, 8), (2.0**-6, 7)):
        depth = sum(stage.depth for stage in sign_composite(eps, bits, "minimax"))
        for first in range(3, 32, 2):
            one = functions.approximate(
                np.sign, [(-1, -eps), (eps, 1)], degree=first, method="minimax"
            )
            low, high = 1 - one.error, 1 + one.error
            for second in range(3, 32, 2):
                two = functions.approximate(
                    np.sign, [(-1, -low / high), (low / high, 1)], degree=second
                )
                if one.depth + two.depth < depth:
                    assert two.error > 2.0**-bits, (first, second)


def test_the_fixed_polynomials() -> None:
    """f_3 and g_3 of [CKK20], as they are printed there."""
    stages = sign_composite(2.0**-6, 10, "fg")
    x = np.linspace(-1, 1, 101)
    g = (-12860 * x**7 + 25614 * x**5 - 16577 * x**3 + 4589 * x) / 1024
    f = (35 * x - 35 * x**3 + 21 * x**5 - 5 * x**7) / 16
    assert np.abs(stages[0].evaluate(x) - g).max() < 1e-12
    assert np.abs(stages[-1].evaluate(x) - f).max() < 1e-12


def test_signs_are_odd_and_steps_meet_at_one_half() -> None:
    x = np.linspace(0, 1, 1000)
    sign, step = functions.sign(), functions.step()
    assert (sign(-x) == -sign(x)).all()
    assert step(0.0) == 0.5
    assert np.abs(step(x) + step(-x) - 1).max() < 1e-14


def test_one_of_two_arguments_may_be_in_the_clear() -> None:
    x = np.linspace(0.1, 1, 50)
    f = functions.divide((0.1, 1))
    assert np.abs(f(0.5, Counted(x, f.depth), keys="keys").values - 0.5 / x).max() < 1e-3
    assert np.abs(f(x / 2, Counted(x, f.depth), keys="keys").values - 0.5).max() < 1e-4
    larger = functions.maximum(6)
    for pair in ((Counted(x, larger.depth), 0.5), (0.5, Counted(x, larger.depth))):
        assert np.abs(larger(*pair, keys="keys").values - np.maximum(x, 0.5)).max() < 2.0**-6


def test_more_bits_and_wider_domains_cost_levels() -> None:
    depths = [functions.sign(bits=bits).depth for bits in (4, 10, 20, 30)]
    assert depths == sorted(depths) and depths[0] < depths[-1]
    depths = [functions.inverse((low, 1)).depth for low in (0.5, 0.1, 2.0**-6, 2.0**-12)]
    assert depths == sorted(depths) and depths[0] < depths[-1]


def test_descriptions() -> None:
    text = functions.divide().describe()
    assert text.startswith("divide, x / y on [-1, 1], [0.1, 1]: relative error")
    assert text.endswith("step of Goldschmidt)")
    assert functions.sign(bound=8).depth == functions.sign().depth + 1


BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: functions.sign(eps=0), ParameterError, r"eps = 0 is not in \[5.96046e-08, 0.5\]"),
    (lambda: functions.sign(bits=50), ParameterError, r"bits = 50 is not in \[1, 30\]"),
    (lambda: functions.sign(method=cast("Any", "f")), ParameterError, "method = 'f' is not one of"),
    (lambda: functions.relu(bits=20, bound=64), ParameterError, "scale the arguments, or take"),
    (lambda: functions.relu(bound=-1), ParameterError, "bound = -1 is not in"),
    (lambda: functions.inverse((-1, 1)), ParameterError, "need 0 < low < high; of negative"),
    (lambda: functions.inverse((1e-7, 1), 9, "polynomial"), ParameterError, "nothing reaches this"),
    (lambda: functions.log((0, 1)), ParameterError, "need 0 < low"),
    (lambda: functions.sqrt((0.5, 0.2)), ParameterError, "need low < high"),
    (lambda: functions.sqrt(steps=99), ParameterError, r"steps = 99 is not in \[0, 8\]"),
    (lambda: functions.cos(bound=1e9), ParameterError, r"bound = 1e\+09 is not in"),
    (lambda: functions.cos(bound=900), ParameterError, "doublings = 0: nothing reaches this"),
    (lambda: functions.softmax(1), ParameterError, r"classes = 1 is not in \[2, 4096\]"),
    (lambda: functions.compare()(1.0), ArgumentTypeError, "compare has 1 arguments: need 2"),
    (lambda: functions.exp((-1, 1), 60), ParameterError, r"bits = 60 is not in \[1, 40\]"),
]  # fmt: skip


@pytest.mark.parametrize("row", BAD, ids=lambda row: row[2][:30])
def test_what_is_refused(row: Any) -> None:
    call, kind, message = row
    with pytest.raises(kind, match=message):
        call()
