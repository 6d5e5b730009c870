# SPDX-License-Identifier: Apache-2.0
"""How CKKS [CKKS17] writes complex numbers as a polynomial, to the last bit.

Of a real polynomial m modulo X^n + 1, slot i in [0, n/2) is the value at zeta^(5^i), zeta =
exp(pi i / n); at the other roots m has the conjugates. The powers of 5 are the exponents that are
1 modulo 4, so X^(n/2) is the imaginary unit in every slot, and m stands for the complex polynomial

    p(X) = sum over j < n/2 of (m_j + i m_(j + n/2)) X^j   modulo   X^(n/2) - i,

which is transformed as residues are: X^(2h) - w^2 = (X^h - w) (X^h + w), depth by depth. Node k
of depth d has w = exp(2 pi i (1 + 4 bitrev_d(k)) / 2^(d + 3)), whatever n is; place k of the result
is the value at zeta^(1 + 4 bitrev(k)).

Arithmetic is :mod:`.double_double`'s: doubles for scales below ``DOUBLE_DOUBLE_SCALE``, pairs from
there on. The scale alone decides, since a choice by the message would tell its size by time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nttforge.spec.transform import bit_reverse, log2_exact

from . import double_double as dd
from .double_double import Pair

GENERATOR = 5
DOUBLE_DOUBLE_SCALE = 2**52


class Arithmetic(NamedTuple):
    """One of the two kinds of numbers that a transform may run on."""

    add: Callable[[Any, Any], Any]
    negate: Callable[[Any], Any]
    multiply: Callable[[Any, Any], Any]
    number: Callable[[Pair], Any]  # what a pair becomes


DOUBLE = Arithmetic(lambda a, b: a + b, lambda a: -a, lambda a, b: a * b, lambda p: p.hi)
DOUBLE_DOUBLE = Arithmetic(dd.add, dd.negate, dd.multiply, lambda p: p)


def arithmetic_of(scale: Pair) -> Arithmetic:
    """What messages of this scale are transformed in."""
    return DOUBLE if scale.hi < DOUBLE_DOUBLE_SCALE else DOUBLE_DOUBLE


def slot_places(slots: int) -> list[int]:
    """For each slot its place in the transformed order.

    Examples
    --------
    >>> slot_places(1), slot_places(8)
    ([0], [0, 4, 3, 7, 1, 5, 2, 6])
    """
    bits, order = log2_exact(slots), 4 * slots
    exponents = (pow(GENERATOR, i, order) for i in range(slots))
    return [bit_reverse((exponent - 1) // 4, bits) for exponent in exponents]


def twiddle(depth: int, node: int) -> tuple[Pair, Pair]:
    """w of a node, as real and imaginary part.

    Examples
    --------
    >>> [part.hi for part in twiddle(0, 0)]
    [0.7071067811865476, 0.7071067811865476]
    """
    return dd.root_of_unity(1 + 4 * bit_reverse(node, depth), 1 << (depth + 3))


def forward(real: list[Any], imaginary: list[Any], a: Arithmetic) -> None:
    """Coefficients of p -> its values, in place: (x, y) -> (x + w y, x - w y), from depth 0 on.

    (x + i y) (c + i s) is (x c - y s) + i (x s + y c): four products, then two sums.
    """
    size = len(real)
    for depth in range(log2_exact(size)):
        half = size >> (depth + 1)
        for node in range(1 << depth):
            c, s = (a.number(part) for part in twiddle(depth, node))
            for j in range(2 * half * node, 2 * half * node + half):
                k = j + half
                re = a.add(a.multiply(real[k], c), a.negate(a.multiply(imaginary[k], s)))
                im = a.add(a.multiply(real[k], s), a.multiply(imaginary[k], c))
                real[j], real[k] = a.add(real[j], re), a.add(real[j], a.negate(re))
                imaginary[j], imaginary[k] = (
                    a.add(imaginary[j], im),
                    a.add(imaginary[j], a.negate(im)),
                )


def inverse(real: list[Any], imaginary: list[Any], a: Arithmetic) -> None:
    """Values -> ``size`` times the coefficients, in place: (x, y) -> (x + y, (x - y) conj(w))."""
    size = len(real)
    for depth in reversed(range(log2_exact(size))):
        half = size >> (depth + 1)
        for node in range(1 << depth):
            c, s = (a.number(part) for part in twiddle(depth, node))
            for j in range(2 * half * node, 2 * half * node + half):
                k = j + half
                re = a.add(real[j], a.negate(real[k]))
                im = a.add(imaginary[j], a.negate(imaginary[k]))
                real[j] = a.add(real[j], real[k])
                imaginary[j] = a.add(imaginary[j], imaginary[k])
                real[k] = a.add(a.multiply(re, c), a.multiply(im, s))
                imaginary[k] = a.add(a.multiply(im, c), a.negate(a.multiply(re, s)))


def rounded(x: Pair | float) -> int:
    """The integer nearest to x, ties to even; of a pair, that of hi and then that of the rest.

    Examples
    --------
    >>> rounded(2.5), rounded(-3.5), rounded(Pair(2.0**60, 0.75))
    (2, -4, 1152921504606846977)
    """
    if not isinstance(x, Pair):
        return round(x)
    whole = round(x.hi)
    return whole + round((x.hi - float(whole)) + x.lo)


def encode(values: Sequence[complex], n: int, scale: Pair) -> list[int]:
    """The n coefficients of ``scale`` times a message, as signed integers.

    Parameters
    ----------
    values : sequence of complex
        Slots, a power of two of them, at most n/2. Fewer than n/2 are the message of every slot i
        + k len(values): then the coefficients are 0 but for multiples of n / (2 len(values)).
    n : int
        Dimension of the ring, a power of two.
    scale : Pair
        Above 0.

    Examples
    --------
    >>> encode([1 + 2j], 8, Pair(1000.0))
    [1000, 0, 0, 0, 2000, 0, 0, 0]
    >>> encode([0.5, 0.5j, -1, 2], 8, Pair(2.0**20))
    [393216, 685015, -556091, -384061, 131072, 283743, 370728, -442826]
    """
    slots = len(values)
    a = arithmetic_of(scale)
    real, imaginary = [a.number(Pair(0.0))] * slots, [a.number(Pair(0.0))] * slots
    for place, value in zip(slot_places(slots), values, strict=True):
        real[place] = a.number(Pair(complex(value).real))
        imaginary[place] = a.number(Pair(complex(value).imag))
    inverse(real, imaginary, a)
    factor = a.number(Pair(scale.hi / slots, scale.lo / slots))  # exact
    gap = n // (2 * slots)
    out = [0] * n
    for j in range(slots):
        out[j * gap] = rounded(a.multiply(real[j], factor))
        out[n // 2 + j * gap] = rounded(a.multiply(imaginary[j], factor))
    return out


def decode(coefficients: Sequence[int], slots: int, scale: Pair) -> list[complex]:
    """The slots of a polynomial that was encoded with ``slots`` of them.

    Parameters
    ----------
    coefficients : sequence of int
        n signed integers; those between multiples of n / (2 slots) are ignored.
    slots : int
        A power of two, at most n/2.
    scale : Pair
        Above 0.

    Examples
    --------
    >>> decode([1000, 0, 0, 0, 2000, 0, 0, 0], 1, Pair(1000.0))
    [(1+2j)]
    >>> decode(encode([1 + 2j, 3], 8, Pair(2.0**80)), 2, Pair(2.0**80))[0]
    (1+2j)
    """
    n = len(coefficients)
    a = arithmetic_of(scale)
    gap = n // (2 * slots)
    real = [a.number(dd.nearest(c)) for c in coefficients[: n // 2 : gap]]
    imaginary = [a.number(dd.nearest(c)) for c in coefficients[n // 2 :: gap]]
    forward(real, imaginary, a)
    factor = a.number(dd.reciprocal(scale))
    out = []
    for place in slot_places(slots):
        re, im = (a.multiply(part[place], factor) for part in (real, imaginary))
        out.append(complex(*(x.hi if isinstance(x, Pair) else x for x in (re, im))))
    return out
