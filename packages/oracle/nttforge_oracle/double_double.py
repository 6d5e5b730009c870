# SPDX-License-Identifier: Apache-2.0
"""Floating point that is specified to the last bit: doubles, and pairs of them.

Every operation is one IEEE 754 operation on doubles, rounded to nearest, ties to even; nothing is
contracted. ``fma`` appears only where its exact result is meant. Complex numbers are pairs (re,
im) of numbers. A double-double (hi, lo) stands for hi + lo, hi the double nearest to it: some 104
bits, by the error-free operations of [Dekker71] and [Knuth2] 4.2.2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import isqrt
from typing import NamedTuple

_BITS = 320  # of the integers that roots of unity are rounded from


class Pair(NamedTuple):
    """The number hi + lo."""

    hi: float
    lo: float = 0.0


def fma(a: float, b: float, c: float) -> float:
    """a b + c, rounded once.

    Examples
    --------
    >>> fma(0.1, 10.0, -1.0)
    5.551115123125783e-17
    """
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return exact.numerator / exact.denominator  # integers are divided with one rounding


def two_sum(a: float, b: float) -> Pair:
    """The sum and its rounding error, which is exact [Knuth2]."""
    total = a + b
    part = total - a
    return Pair(total, (a - (total - part)) + (b - part))


def fast_two_sum(a: float, b: float) -> Pair:
    """The same where a is 0 or its exponent at least that of b [Dekker71]."""
    total = a + b
    return Pair(total, b - (total - a))


def two_product(a: float, b: float) -> Pair:
    """The product and its rounding error, which is exact above the subnormal numbers."""
    product = a * b
    return Pair(product, fma(a, b, -product))


def add(a: Pair, b: Pair) -> Pair:
    """The sum, with an error of 2^-104 of the larger operand.

    Examples
    --------
    >>> add(Pair(1.0, 2.0**-60), Pair(2.0**-70))
    Pair(hi=1.0, lo=8.682087709356578e-19)
    """
    total, error = two_sum(a.hi, b.hi)
    return fast_two_sum(total, error + (a.lo + b.lo))


def negate(a: Pair) -> Pair:
    """-a, exact."""
    return Pair(-a.hi, -a.lo)


def multiply(a: Pair, b: Pair) -> Pair:
    """The product, with a relative error of 2^-102."""
    product, error = two_product(a.hi, b.hi)
    return fast_two_sum(product, error + (a.hi * b.lo + a.lo * b.hi))


def reciprocal(a: Pair) -> Pair:
    """1 / a with a relative error of 2^-100: a step of Newton's from the double nearest to 1 / hi.

    Examples
    --------
    >>> reciprocal(Pair(3.0)) == nearest(Fraction(1, 3))
    True
    """
    start = 1.0 / a.hi
    rest = fma(-start, a.hi, 1.0)  # exact
    return fast_two_sum(start, (rest - start * a.lo) * start)


def nearest(x: Fraction | int) -> Pair:
    """hi the double nearest to x, lo the double nearest to what is left.

    Examples
    --------
    >>> nearest(Fraction(1, 3))
    Pair(hi=0.3333333333333333, lo=1.850371707708594e-17)
    """
    hi = x.numerator / x.denominator
    rest = Fraction(x) - Fraction(hi)
    return Pair(hi, rest.numerator / rest.denominator)


@cache
def _half_angles(depth: int) -> tuple[int, int]:
    """2^_BITS times cosine and sine of a full turn divided by 2^depth, rounded down."""
    one = 1 << _BITS
    if depth <= 2:
        return ((one, 0), (-one, 0), (0, one))[depth]
    cosine, _ = _half_angles(depth - 1)
    half = isqrt((one + cosine) << (_BITS - 1))  # cos(a / 2)^2 = (1 + cos a) / 2
    return half, isqrt((one - cosine) << (_BITS - 1))


def root_of_unity(exponent: int, order: int) -> tuple[Pair, Pair]:
    """exp(2 pi i exponent / order), real and imaginary part correctly rounded to double-doubles.

    Parameters
    ----------
    exponent : int
        Any integer.
    order : int
        A power of two, at most 2^24.

    Notes
    -----
    The value is found within 2^-280. ``nearest`` rounds the true value unless that lies within
    2^-280 of a number halfway between two; a test shows that none does to order 2^18.

    Examples
    --------
    >>> root_of_unity(1, 8)[0]
    Pair(hi=0.7071067811865476, lo=-4.833646656726457e-17)
    >>> root_of_unity(3, 4)
    (Pair(hi=0.0, lo=0.0), Pair(hi=-1.0, lo=0.0))
    """
    depth = order.bit_length() - 1
    if order != 1 << depth or depth > 24:
        raise ValueError(f"order = {order} must be a power of two, at most 2^24")
    re, im = 1 << _BITS, 0
    for bit in range(depth):
        if exponent >> bit & 1:
            c, s = _half_angles(depth - bit)
            re, im = (re * c - im * s) >> _BITS, (re * s + im * c) >> _BITS
    return nearest(_cleared(re)), nearest(_cleared(im))


def _cleared(value: int) -> Fraction:
    """Multiples of 2^-280, so that 0 and 1 come out as they are."""
    unit = 1 << (_BITS - 280)
    return Fraction((value + unit // 2) // unit, 1 << 280)
