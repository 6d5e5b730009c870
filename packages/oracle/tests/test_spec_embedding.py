# SPDX-License-Identifier: Apache-2.0
"""The encoding of complex numbers against its definition, arithmetic against fractions."""

from __future__ import annotations

import cmath
import random
from fractions import Fraction

import pytest

from nttforge_oracle import double_double as dd
from nttforge_oracle.double_double import Pair
from nttforge_oracle.embedding import DOUBLE_DOUBLE, decode, encode, forward, inverse
from nttforge_oracle.slots import automorphism


def _encode(message: list[complex], n: int, scale: Fraction | int) -> list[int]:
    return encode(message, n, dd.nearest(scale))


def _decode(coefficients: list[int], slots: int, scale: Fraction | int) -> list[complex]:
    return decode(coefficients, slots, dd.nearest(scale))


def _value(x: Pair) -> Fraction:
    return Fraction(x.hi) + Fraction(x.lo)


def _slots_by_definition(m: list[int]) -> list[complex]:
    n = len(m)
    roots = [cmath.exp(1j * cmath.pi * pow(5, i, 2 * n) / n) for i in range(n // 2)]
    return [sum(c * x**j for j, c in enumerate(m)) for x in roots]


def _random_message(slots: int, seed: int) -> list[complex]:
    rng = random.Random(seed)
    return [complex(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(slots)]


@pytest.mark.parametrize("n", [2, 4, 16, 64])
@pytest.mark.parametrize("scale", [2**30, 2**51 - 1, 2**52, 2**90])
def test_slots_are_values_at_powers_of_five(n: int, scale: int) -> None:
    message = _random_message(n // 2, n)
    coefficients = _encode(message, n, scale)
    for found, wanted in zip(_slots_by_definition(coefficients), message, strict=True):
        assert abs(found / scale - wanted) < n * (1 / scale + 2.0**-50)
    for found, wanted in zip(_decode(coefficients, n // 2, scale), message, strict=True):
        assert abs(found - wanted) < n * (1 / scale + 2.0**-52)


@pytest.mark.parametrize(("n", "slots"), [(16, 1), (16, 2), (64, 8)])
def test_few_slots_repeat(n: int, slots: int) -> None:
    message = _random_message(slots, slots)
    coefficients = _encode(message, n, 2**40)
    assert all(c == 0 for j, c in enumerate(coefficients) if j % (n // (2 * slots)))
    for i, found in enumerate(_decode(coefficients, n // 2, 2**40)):
        assert abs(found - message[i % slots]) < n * 2.0**-39


@pytest.mark.parametrize("n", [4, 32])
def test_automorphisms_rotate_and_conjugate(n: int) -> None:
    message = _random_message(n // 2, 5)
    coefficients = _encode(message, n, 2**40)
    rotated = _decode(automorphism(coefficients, 5 % (2 * n)), n // 2, 2**40)
    half = n // 2
    times_i = _decode([-c for c in coefficients[half:]] + coefficients[:half], half, 2**40)
    conjugate = _decode(automorphism(coefficients, 2 * n - 1), n // 2, 2**40)
    for i, value in enumerate(message):
        assert abs(rotated[i - 1] - value) < n * 2.0**-39
        assert abs(times_i[i] - 1j * value) < n * 2.0**-39
        assert abs(conjugate[i] - value.conjugate()) < n * 2.0**-39


@pytest.mark.parametrize("scale", [1, 2**64 - 2**10, 2**64, 2**64 + 1, Fraction(2**80, 3)])
def test_edges_that_others_got_wrong(scale: Fraction) -> None:
    """Large negative integers (SEAL issue 757), scales around 2^64 (Lattigo issue 395)."""
    assert _encode([1] * 4, 8, scale)[0] == round(Fraction(scale))
    if scale == 1:
        assert _encode([-(2.0**62)] * 4, 8, scale) == [-(2**62)] + 7 * [0]
    assert _decode(_encode([1] * 4, 8, scale), 4, scale) == [1] * 4
    assert _encode([1e-300] * 4, 8, scale) == [0] * 8


def test_double_double_has_about_a_hundred_bits() -> None:
    message = _random_message(32, 7)
    real = [Pair(x.real) for x in message]
    imaginary = [Pair(x.imag) for x in message]
    inverse(real, imaginary, DOUBLE_DOUBLE)
    forward(real, imaginary, DOUBLE_DOUBLE)
    parts = [x.real for x in message] + [x.imag for x in message]
    for found, x in zip(real + imaginary, parts, strict=True):
        assert abs(_value(found) / 32 - Fraction(x)) < Fraction(1, 2**98)


@pytest.mark.parametrize("seed", range(50))
def test_operations_on_pairs_have_the_stated_errors(seed: int) -> None:
    rng = random.Random(seed)
    a, b = (
        dd.nearest(Fraction(rng.getrandbits(120) - 2**119, 2 ** rng.randrange(200)))
        for _ in range(2)
    )
    larger = max(abs(_value(a)), abs(_value(b)))
    assert abs(_value(dd.add(a, b)) - _value(a) - _value(b)) <= larger / 2**104
    exact = _value(a) * _value(b)
    assert abs(_value(dd.multiply(a, b)) - exact) <= abs(exact) / 2**102
    if a.hi:
        assert abs(_value(dd.reciprocal(a)) * _value(a) - 1) <= Fraction(1, 2**100)
    for result in (dd.add(a, b), dd.multiply(a, b)):
        assert result.hi + result.lo == result.hi


@pytest.mark.parametrize("order", [1, 2, 4, 8, 1 << 10])
def test_roots_of_unity_are_correctly_rounded(order: int) -> None:
    for exponent in range(order):
        re, im = (_value(part) for part in dd.root_of_unity(exponent, order))
        assert abs(re * re + im * im - 1) < Fraction(1, 2**104)
        angle = 2 * cmath.pi * exponent / order
        assert abs(float(re) - cmath.cos(angle).real) < 1e-15
        assert abs(float(im) - cmath.sin(angle).real) < 1e-15
    with pytest.raises(ValueError, match="order = 3 must be a power of two"):
        dd.root_of_unity(1, 3)
