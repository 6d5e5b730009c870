# SPDX-License-Identifier: Apache-2.0
"""Plans of polynomials: depth, products, and what they compute, in both bases."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from counted_numbers import Counted

from nttforge.circuits import (
    Evaluation,
    Parity,
    parity_of,
    polynomial_plan,
    split_coefficients,
)
from nttforge.errors import ParameterError

#: Lee, Lee, No, Kim: products for odd polynomials of degree 1, 3, ..., 63 at the least depth.
LLNK22 = [
    0, 2, 3, 5, 5, 6, 7, 8, 8, 8, 9, 9, 10, 10, 11, 12,
    11, 11, 11, 11, 12, 12, 13, 13, 14, 14, 14, 14, 15, 15, 16, 17,
]  # fmt: skip


@pytest.mark.parametrize(
    ("degree", "products", "relinearizations", "odd_products"),
    [
        (3, 2, 2, 2), (7, 5, 4, 5), (15, 8, 7, 8), (27, 11, 8, 10),
        (31, 13, 10, 12), (59, 16, 13, 15), (63, 18, 15, 17), (119, 24, 17, 20),
    ],
)  # fmt: skip
def test_costs(degree: int, products: int, relinearizations: int, odd_products: int) -> None:
    plan = polynomial_plan(degree)
    assert plan.depth == math.ceil(math.log2(degree + 1))
    assert (plan.products, plan.relinearizations) == (products, relinearizations)
    odd = polynomial_plan(degree, "odd")
    assert (odd.depth, odd.products) == (plan.depth, odd_products)


def test_odd_polynomials_need_no_more_products_than_published() -> None:
    for index, published in enumerate(LLNK22):
        if index:
            assert polynomial_plan(2 * index + 1, "odd").products <= published, index


def test_the_polynomial_of_a_bootstrap() -> None:
    plan = polynomial_plan(30, "even")
    assert [e.k for e in plan.elements] == [2, 4, 6, 8, 16]
    assert (plan.depth, plan.products, plan.relinearizations) == (5, 9, 8)
    longer = polynomial_plan(30, "even", depth=6)
    assert (longer.depth, longer.products, longer.relinearizations) == (6, 8, 6)


def _fewest(degree: int, parity: int | None, constant_levels: int) -> int:
    """Fewest products of any set of elements and any splits at them, by trying all."""
    lg = lambda k: (k - 1).bit_length()  # noqa: E731
    depth = max(lg(degree + constant_levels), constant_levels)
    best = degree + 8
    for count in range(8):
        for chosen in itertools.combinations(range(2, degree + 1), count):
            there = {1, *chosen}

            def possible(k: int, there: set[int] = there) -> bool:
                pairs = ((k - b, b) for b in there if 2 * b <= k)
                return any(
                    a in there and lg(a) < lg(k) and (a == b or a - b in there) for a, b in pairs
                )

            if count >= best or not all(possible(k) for k in chosen):
                continue

            @cache
            def tree(d: int, kind: int | None, left: int, there: frozenset[int]) -> float:
                needed = [k for k in range(1, d + 1) if kind is None or k % 2 == kind]
                deepest = max(map(lg, needed), default=0) + constant_levels
                if not needed or (there.issuperset(needed) and deepest <= left):
                    return 0
                found = math.inf
                for at in there:
                    low = max(at - 1, d - 2 * at)
                    low -= kind is not None and low % 2 != kind
                    if at > d or low >= d or lg(at) + (constant_levels if at == d else 1) > left:
                        continue
                    other = None if kind is None else (kind + at) % 2
                    high = 0.0 if at == d else 1 + tree(d - at, other, left - 1, there)
                    found = min(found, high + tree(low, kind, left, there))
                return found

            best = min(best, count + tree(degree, parity, depth, frozenset(there)))
    return int(best)


@pytest.mark.parametrize("constant_levels", [0, 1])
def test_no_splits_need_fewer_products(constant_levels: int) -> None:
    for degree in range(2, 11):
        plan = polynomial_plan(degree, "any", constant_levels)
        assert plan.products == _fewest(degree, None, constant_levels), degree
        if degree % 2:
            plan = polynomial_plan(degree, "odd", constant_levels)
            assert plan.products == _fewest(degree, 1, constant_levels), degree


def _coefficients(degree: int, parity: Parity, rng: np.random.Generator) -> list[float]:
    found = rng.uniform(-1, 1, degree + 1)
    if parity != "any":
        found[1 if parity == "even" else 2 :: 2] = 0
    return [float(v) for v in found]


@pytest.mark.parametrize("basis", ["power", "chebyshev"])
@pytest.mark.parametrize("parity", ["any", "even", "odd"])
def test_values_levels_and_products(basis: Any, parity: Parity) -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, 50)
    value = np.polynomial.chebyshev.chebval if basis == "chebyshev" else None
    for degree in [*range(1, 66), 119, 127, 200]:
        if parity != "any" and degree % 2 != (parity == "odd"):
            continue
        coefficients = _coefficients(degree, parity, rng)
        plan = polynomial_plan(degree, parity)
        Counted.products = 0
        found = Counted(x, plan.depth).polynomial(tuple(coefficients), "keys", basis=basis)
        assert (found.levels_left, Counted.products) == (0, plan.products), degree
        exact = value(x, coefficients) if value else np.polyval(coefficients[::-1], x)
        assert np.abs(found.values - exact).max() < 1e-12 * degree, degree


class _Lazy:
    """A product has three parts until it is a factor; of a sum all products share that."""

    relinearized = 0

    def __init__(self, parts: int = 2) -> None:
        self.parts = parts

    def __add__(self, other: Any) -> _Lazy:
        return _Lazy(max(self.parts, getattr(other, "parts", 2)))

    __sub__ = __add__

    def __mul__(self, constant: float) -> _Lazy:
        return _Lazy(self.parts)

    def two(self) -> _Lazy:
        _Lazy.relinearized += self.parts == 3
        self.parts = 2
        return self

    def times(self, other: _Lazy) -> _Lazy:
        return _Lazy(self.two().parts + other.two().parts - 1)


class _Lazily(Evaluation):
    def element(self, k: int) -> Any:
        return super().element(k).two()


def test_relinearizations_are_those_of_a_lazy_evaluation() -> None:
    rng = np.random.default_rng(4)
    for degree in range(2, 64):
        for parity in ("any", "odd" if degree % 2 else "even"):
            _Lazy.relinearized = 0
            lazily = _Lazily(
                _Lazy(), _coefficients(degree, parity, rng), basis="chebyshev", constant_levels=1,
                product=_Lazy.times,
            )  # fmt: skip
            lazily.result()[0].two()
            assert _Lazy.relinearized == lazily.plan.relinearizations, (degree, parity)


def test_sparse_polynomials_make_only_what_they_use() -> None:
    Counted.products = 0
    found = Counted([0.5], 20).polynomial((0.0,) * 16 + (1.0,), "keys")
    assert found.values[0] == 0.5**16
    assert Counted.products == 4


def test_parity_leaves_the_constant_aside() -> None:
    assert parity_of([0.5, 1, 0, 2]) == "odd"
    assert parity_of([0.5, 0, 2]) == "even"
    assert parity_of([0.5, 0, 2, 1]) == "any"
    assert parity_of([1, 1]) == "odd"


@pytest.mark.parametrize("at", [2, 3, 5, 8])
def test_splits_of_chebyshev_series(at: int) -> None:
    rng = np.random.default_rng(at)
    x = rng.uniform(-1, 1, 20)
    value = np.polynomial.chebyshev.chebval
    for degree in range(at, 3 * at + 1):
        p = rng.uniform(-1, 1, degree + 1)
        low, high = split_coefficients(p.tolist(), at, "chebyshev")
        there = value(x, low) + np.cos(at * np.arccos(x)) * value(x, high)
        assert np.abs(there - value(x, p)).max() < 1e-12


def test_depths() -> None:
    assert [polynomial_plan(d).depth for d in (1, 2, 3, 4, 7, 8)] == [1, 2, 2, 3, 3, 4]
    assert [polynomial_plan(d, "any", 0).depth for d in (1, 2, 3, 4, 8, 9)] == [0, 1, 2, 2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), r"degree = 0 is not in \[1, 16384\]"),
        ((4, "odd"), "parity = 'odd' with degree = 4: need a degree of that parity"),
        ((3, "mixed"), "parity = 'mixed' is not one of"),
        ((7, "any", 2), r"constant_levels = 2 is not in \[0, 1\]"),
        ((7, "any", 1, 2), r"depth = 2 is not in \[3, 64\]; the least is what the degree needs"),
    ],
)
def test_plans_that_are_not_possible(arguments: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        polynomial_plan(*arguments)
