# SPDX-License-Identifier: Apache-2.0
"""Inputs, formulas and tolerances that other libraries test their CKKS by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from small_ckks import check, small_set, uniform

from nttforge import ckks, ntt_primes

POINTS = np.array([0.5, 0.7, 0.9, 0.95, 0.93])
#: OpenFHE's lists: of degree 16 with signs and without, a power, and of degree 3.
SPARSE = {0: 0.15, 3: 1.25, 6: 1, 9: 2, 11: 1, 16: 1}
LISTS: dict[str, dict[int, float]] = {
    "positive": {**SPARSE, 1: 0.75, 8: 1},
    "negative": {**SPARSE, 1: -0.75, 8: -1},
    "power": {16: 1},
    "larger than 1": {**SPARSE, 1: -1.75, 5: -1.25, 8: -1},
    "low degree": {1: 1, 2: 1, 3: -1},
}
#: And of degree 29, none of them 0.
BLOCK = [0.1, 0.2, 0.3, 0.4, 0.5, -0.1, -0.2, -0.3, -0.4, -0.5]
DENSE = [1, 2, 3, 4, 5, -1, -2, -3, -4, -5, *BLOCK, *BLOCK]


@pytest.fixture(scope="module")
def fifty() -> ckks.Keys:
    """Eight levels of 50 bits, as OpenFHE's examples of functions have."""
    context = ckks.Context(small_set(1024, 8, 50, 3))
    steps = [1, 2, 3, 4, -3, -2, -1]
    return context.generate_keys(rotations=steps, conjugation=True)


def _first(keys: ckks.Keys, x: ckks.Ciphertext, count: int) -> np.ndarray:
    return keys.decrypt(x)[:count]


@pytest.mark.parametrize("name", LISTS)
def test_polynomials(fifty: ckks.Keys, name: str) -> None:
    terms = LISTS[name]
    coefficients = [terms.get(k, 0) for k in range(max(terms) + 1)]
    y = fifty.encrypt(POINTS).polynomial(coefficients, fifty)
    exact = np.polynomial.polynomial.polyval(POINTS, coefficients)
    assert np.abs(_first(fifty, y, 5) - exact).max() <= min(1e-3, y.error)


def test_polynomials_with_printed_values(fifty: ckks.Keys) -> None:
    x = fifty.encrypt(POINTS)
    terms = LISTS["positive"]
    for coefficients, printed in (
        (
            [terms.get(k, 0) for k in range(17)],
            [0.70519107, 1.38285078, 3.97211180, 5.60215665, 4.86357575],
        ),
        (DENSE, [3.4515092326, 5.3752765397, 4.8993108833, 3.2495023573, 4.0485229982]),
    ):
        y = x.polynomial(coefficients, fifty)
        assert np.abs(_first(fifty, y, 5) - printed).max() <= min(1e-3, y.error + 1e-7)


def test_functions_by_their_series(fifty: ckks.Keys) -> None:
    cases: list[tuple[Callable[[Any], Any], tuple[float, float], int, Any, float]] = [
        (lambda v: 1 / (1 + np.exp(-v)), (-4, 4), 16, np.arange(-4, 5), 1e-4),
        (np.sqrt, (0, 10), 50, np.arange(1, 10), 0.01),
        (np.sin, (-np.pi, np.pi), 7, [-np.pi, -0.9, -0.5, -0.1, 0.1, 0.5, 0.9, np.pi], 0.02),
        (np.sin, (-1, 1), 16, [0.25, 0.5, 0.1, 0.3, 0.15, 0.45, 0.35, 0.2], 1e-6),
        (np.cos, (-1, 1), 16, [0.25, 0.5, 0.1, 0.3, 0.15, 0.45, 0.35, 0.2], 1e-6),
    ]
    for function, interval, degree, points, tolerance in cases:
        points = np.asarray(points, dtype=float)
        fit = np.polynomial.Chebyshev.interpolate(function, degree, domain=interval)
        filled = np.full(fifty.context.slots, points[0])
        filled[: points.size] = points
        x = fifty.encrypt(filled, bound=max(map(abs, interval)))
        y = x.polynomial(fit.coef, fifty, basis="chebyshev", interval=interval)
        found = _first(fifty, y, points.size)
        assert np.abs(found - function(points)).max() <= tolerance
        assert np.abs(found - fit(points)).max() <= y.error
    logistic = [0.0179885, 0.0474289, 0.119205, 0.268936, 0.5, 0.731064]  # as printed, degree 16
    exact = 1 / (1 + np.exp(-np.arange(-4.0, 2)))
    assert np.abs(np.array(logistic) - exact).max() < 1e-5


def test_the_eighteenth_power_by_products(fifty: ckks.Keys) -> None:
    # OpenFHE's example of its ways to rescale: x^18 + x^9 + 1.
    values = np.linspace(1, 1.07, 8)
    x = fifty.encrypt(values, bound=1.08)
    powers = {1: x}
    for k in (2, 4, 8, 16):
        powers[k] = powers[k // 2].square_relinearize(fifty)
    ninth = (powers[8] * x).relinearize(fifty)
    whole = (powers[16] * powers[2]).relinearize(fifty)
    y = whole + ninth + 1
    assert np.abs(_first(fifty, y, 8) - (values**18 + values**9 + 1)).max() <= min(1e-3, y.error)


def test_rotations_one_by_one_and_hoisted(fifty: ckks.Keys) -> None:
    values = np.array([0, 0, 0, 0, 0, 0, 0, 1.0])
    x = fifty.encrypt(values, slots=8)
    for step, hoisted in enumerate(x.rotate_many(range(1, 8), fifty), 1):
        for y in (hoisted, x.rotate_rows(step, fifty)):
            assert np.abs(fifty.decrypt(y) - np.roll(values, -step)).max() <= 1e-6
    ramp = np.linspace(1, 1.7, 8)
    y = fifty.encrypt(ramp, bound=2, slots=8).rotate_rows(1, fifty).rotate_rows(-2, fifty)
    assert np.abs(fifty.decrypt(y) - np.roll(ramp, 1)).max() <= 1e-6
    z = np.array([1 + 2j, 3 + 4j, -1 - 1j, 0.5 + 0.5j, 1j, 1, -2 + 0.5j, 0.25 - 0.75j])
    x = fifty.encrypt(z, bound=4, slots=8)
    turned, mirrored = x.rotate_rows(1, fifty), x.conjugate(fifty)
    for y, exact in ((x, z), (turned, np.roll(z, -1)), (mirrored, z.conj())):
        assert np.abs(fifty.decrypt(y) - exact).max() <= 1e-6


# SEAL's tests: integers below 2^30 come back by rounding, at scales from 2^16 on, and so does what
# is computed of them.
@pytest.mark.parametrize(("n", "slots"), [(64, 32), (64, 16), (128, 64), (256, 32)])
def test_integers_come_back(n: int, slots: int) -> None:
    keys = ckks.Context(small_set(n, 2, 40)).generate_keys()
    rng = np.random.default_rng(n + slots)
    for bits, bound in ((16, 2**15), (20, 2**20), (40, 2**30), (60, 2**30)):
        values = np.rint(rng.uniform(-bound, bound, (slots,)))
        encryptor = ckks.Encryptor(keys.secret)
        plain = ckks.Plaintext(keys.context, values, bound=bound, slots=slots)
        found = keys.decrypt(encryptor.encrypt(plain, scale=2.0**bits))
        assert np.abs(found - values).max() < 0.5
        assert np.array_equal(np.rint(found), values)
    z = rng.integers(-(2**29), 2**29, slots) + 1j * rng.integers(-(2**29), 2**29, slots)
    found = keys.decrypt(keys.encrypt(z, bound=2**29, slots=slots))
    assert np.abs(found - z).max() < 0.5


@pytest.mark.parametrize("slots", [32, 16])
def test_sequences_of_integers(slots: int) -> None:
    keys = ckks.Context(small_set(64, 4, 40, 2)).generate_keys(rotations=[1, 4], conjugation=True)
    rng = np.random.default_rng(slots)
    a, b, c = (rng.integers(-(2**6), 2**6, slots).astype(float) for _ in range(3))
    x, y, z = (keys.encrypt(v, bound=2**6, slots=slots) for v in (a, b, c))
    square = x.square_relinearize(keys)
    cases = {
        "sum": (x + y, a + b),
        "sum of plaintext": (x + b, a + b),
        "difference": (x - y, a - b),
        "product": ((x * y).relinearize(keys), a * b),
        "product, plaintext": (x * b, a * b),
        "product, dropped": ((x * y).relinearize(keys).mod_switch(2), a * b),
        "square": (square, a * a),
        "square and product": ((square * y).relinearize(keys), a * a * b),
        "square, sum": (square + z, a * a + c),
        "product and sum of levels": ((x * y).relinearize(keys) + z.mod_switch(2), a * b + c),
        "rotation": (x.rotate_rows(4, keys), np.roll(a, -4)),
        "product, rotated": ((x * y).relinearize(keys).rotate_rows(1, keys), np.roll(a * b, -1)),
        "conjugate": ((x * 1j).conjugate(keys), -1j * a),
        "cube": (x.power(3, keys), a**3),
    }
    for name, (text, exact) in cases.items():
        found = keys.decrypt(text)
        assert np.abs(found - exact).max() < 0.5, name
        check(keys, text, exact, name)


def _pairs(n: int, depth: int) -> ckks.Parameters:
    """A scale of 2^90 in pairs of primes of 45 bits."""
    q = [*ntt_primes(n, 60, 2), *ntt_primes(n, 45, 2 * depth)]
    levels = [(0, 2 + 2 * k) for k in range(depth + 1)]
    special = ntt_primes(n, 61, 3)
    return ckks.Parameters.custom(
        n, 2.0**90, q, special, security="insecure_by_request", levels=levels
    )


# Lattigo's two sets at n = 2^10: a scale of 2^45, and of 2^90 in two primes.
@pytest.mark.parametrize("scale_bits", [45, 90])
def test_operations_at_two_precisions(scale_bits: int) -> None:
    n = 1024
    parameters = small_set(n, 6, 45, 2) if scale_bits == 45 else _pairs(n, 3)
    keys = ckks.Context(parameters).generate_keys(rotations=[1, 5], conjugation=True)
    rng = np.random.default_rng(scale_bits)
    a, b, c = (uniform(rng, n // 2) for _ in range(3))
    x, y, z = (keys.encrypt(v) for v in (a, b, c))
    constant = 0.5 - 0.25j
    cases = {
        "encrypted": (x, a),
        "sum": (x + y, a + b),
        "sum, plaintext": (x + b, a + b),
        "sum, constant": (x + constant, a + constant),
        "difference": (x - y, a - b),
        "difference, plaintext": (x - b, a - b),
        "product": ((x * y).relinearize(keys), a * b),
        "product, plaintext": (x * b, a * b),
        "product, constant": (x * constant, a * constant),
        "product and sum": ((x * y + z).relinearize(keys), a * b + c),
        "product and sum, constant": (x * constant + y, a * constant + b),
        "rotation": (x.rotate_rows(5, keys), np.roll(a, -5)),
        "conjugate": (x.conjugate(keys), a.conj()),
        "two levels": ((x * y).relinearize(keys) * c, a * b * c),
    }
    # Lattigo's rule: log2 of the scale less log2 of 4 n; doubles tell no more than 2^-53 apart.
    least = min(scale_bits - (np.log2(n) + 2), 47)
    for name, (text, exact) in cases.items():
        found = ckks.precision_statistics(keys.decrypt(text), exact)
        assert min(found.real.mean, found.imaginary.mean) >= least, (name, found)
        check(keys, text, exact, name)
