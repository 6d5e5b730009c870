# SPDX-License-Identifier: Apache-2.0
"""Products of BFV by [HPS19] and [KPZ21], word for word; the textbook product is ``fv.Scheme``'s.

Three forms. ``hps`` extends both factors from Q to Q P and scales the tensor product by t / Q.
``hps_over_q`` takes the second factor from Q to P, by P / Q, so that the tensor product is scaled
by t / P and needs no way back. ``hps_levelled`` does this modulo the first primes of Q, by which
both factors are divided first. Corrections are fixed-point sums of integers. Bounds:
docs/bounds/hps.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from nttforge.spec.fast import negacyclic_product

from .behz import BSK_PRIME_BITS
from .number_theory import ntt_primes
from .rns import compose, decompose, require_base
from .step import RnsStep, fixed_point_bound
from .steps import hps_extend, hps_scale, mod_down_nearest

Residues = list[list[int]]  # of a polynomial: [primes][n]


def plain_base_is_large_enough(
    p: Sequence[int], q: Sequence[int], t: int, n: int, terms: int
) -> bool:
    """P (1/2 - epsilon_P) >= F = terms t n Q (1 + 2 epsilon_Q)^2 / 2 + 1, compared exactly.

    F bounds the scaled sum of ``terms`` tensor products.

    Examples
    --------
    >>> plain_base_is_large_enough([1009, 1013], [97, 101], 2, 4, 1)
    True
    >>> plain_base_is_large_enough([1009, 73], [97, 101], 2, 4, 1)
    False
    """
    bound = Fraction(terms * t * n * prod(q), 2) * (1 + 2 * fixed_point_bound(q)) ** 2 + 1
    return prod(p) * (Fraction(1, 2) - fixed_point_bound(p)) >= bound


def plain_base(
    q: Sequence[int],
    t: int,
    n: int,
    avoid: Sequence[int] = (),
    terms: int = 16,
    prime_bits: int = BSK_PRIME_BITS,
) -> list[int]:
    """P of plain products: the fewest of ``ntt_primes(n, prime_bits, l, q + avoid)`` that do.

    Examples
    --------
    >>> len(plain_base(ntt_primes(1024, 50, 3)[1:], 65537, 1024))
    3
    """
    count = 1
    while True:
        p = ntt_primes(n, prime_bits, count, [*q, *avoid])
        if plain_base_is_large_enough(p, q, t, n, terms):
            return p
        count += 1


def over_q_base(
    q: Sequence[int], n: int, avoid: Sequence[int] = (), prime_bits: int = BSK_PRIME_BITS
) -> list[int]:
    """P of products over Q: the fewest such primes with 2 P >= Q.

    Examples
    --------
    >>> len(over_q_base(ntt_primes(1024, 50, 3)[1:], 1024))
    2
    """
    count = 1
    while True:
        p = ntt_primes(n, prime_bits, count, [*q, *avoid])
        if 2 * prod(p) >= prod(q):
            return p
        count += 1


def apply(step: RnsStep, x: Residues, own: Residues | None = None) -> Residues:
    """A step on each coefficient.

    Examples
    --------
    >>> apply(hps_extend((7, 11), (13,)), [[3, 0], [3, 10]])  # 3, -1 - 77 k
    [[3, 8]]
    """
    columns = zip(*x, strict=True)
    owns = [()] * len(x[0]) if own is None else list(zip(*own, strict=True))
    values = [step.value(c, o) for c, o in zip(columns, owns, strict=True)]
    return [list(row) for row in zip(*values, strict=True)]


def tensor(x: list[Residues], y: list[Residues], moduli: Sequence[int]) -> list[Residues]:
    """x0 y0, x0 y1 + x1 y0, x1 y1 modulo each prime."""
    parts: list[Residues] = [[], [], []]
    for j, q in enumerate(moduli):
        (x0, x1), (y0, y1) = ([part[j] for part in z] for z in (x, y))
        crossed = zip(negacyclic_product(x0, y1), negacyclic_product(x1, y0), strict=True)
        parts[0].append(negacyclic_product(x0, y0, q))
        parts[1].append([(a + b) % q for a, b in crossed])
        parts[2].append(negacyclic_product(x1, y1, q))
    return parts


def residues_of(a: Sequence[int], moduli: Sequence[int]) -> Residues:
    """[primes][n] of a polynomial.

    Examples
    --------
    >>> residues_of([4, 9], (5, 7))
    [[4, 4], [4, 2]]
    """
    return [list(row) for row in zip(*(decompose(c, moduli) for c in a), strict=True)]


def polynomial_of(x: Residues, moduli: Sequence[int]) -> list[int]:
    """Coefficients in [0, Q)."""
    return [compose(column, moduli) for column in zip(*x, strict=True)]


@dataclass(frozen=True)
class HpsPlain:
    """Products by way of Q P.

    Parameters
    ----------
    q : tuple of int
        Pairwise coprime NTT-friendly moduli.
    t, n : int
        Plaintext modulus, dimension.
    avoid : tuple of int
        Primes that P must not contain.
    terms, prime_bits : int
        Products whose sum is scaled once; size of the primes of P.

    Examples
    --------
    >>> product = HpsPlain(tuple(ntt_primes(4, 20, 2)), 5, 4)
    >>> one, zero = residues_of([1, 0, 0, 0], product.q), residues_of([0] * 4, product.q)
    >>> [polynomial_of(x, product.q) for x in product.multiply([one, zero], [zero, one])] == [
    ...     [0, 0, 0, 0]] * 3  # round(t / Q)
    True
    """

    q: tuple[int, ...]
    t: int
    n: int
    avoid: tuple[int, ...] = ()
    terms: int = 16
    prime_bits: int = BSK_PRIME_BITS
    p: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        require_base(self.q)
        base = plain_base(self.q, self.t, self.n, self.avoid, self.terms, self.prime_bits)
        object.__setattr__(self, "p", tuple(base))

    def multiply(self, x: list[Residues], y: list[Residues]) -> list[Residues]:
        """Three parts: round(t/Q tensor), but for a tensor up to epsilon above a half."""
        extend, scale = hps_extend(self.q, self.p), hps_scale(self.q, self.p, self.t)
        back = hps_extend(self.p, self.q)
        of_q = tensor(x, y, self.q)
        of_p = tensor([apply(extend, c) for c in x], [apply(extend, c) for c in y], self.p)
        return [apply(back, apply(scale, a, b)) for a, b in zip(of_q, of_p, strict=True)]


@dataclass(frozen=True)
class HpsOverQ:
    """Products modulo the first ``level`` primes of Q, or all, the second factor by way of P.

    Examples
    --------
    >>> product = HpsOverQ(tuple(ntt_primes(4, 20, 3)), 5, 4, level=2, prime_bits=20)
    >>> len(product.p), len(product.multiply(*[[[[1] * 4] * 3] * 2] * 2)[0])
    (2, 3)
    """

    q: tuple[int, ...]
    t: int
    n: int
    avoid: tuple[int, ...] = ()
    level: int = 0
    prime_bits: int = BSK_PRIME_BITS
    p: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        require_base(self.q)
        if not 0 <= self.level <= len(self.q):
            raise ValueError(f"level = {self.level} must be in [0, {len(self.q)}]")
        avoid = (*self.q, *self.avoid)
        base = over_q_base(self.kept, self.n, avoid, self.prime_bits)
        object.__setattr__(self, "p", tuple(base))

    @property
    def kept(self) -> tuple[int, ...]:
        """The primes of the level."""
        return self.q[: self.level or len(self.q)]

    def multiply(self, x: list[Residues], y: list[Residues]) -> list[Residues]:
        """Three parts: near D round(t/P a' b'), a' of x/D, b' of P y/Q, D = Q / kept primes."""
        kept, dropped = self.kept, self.q[len(self.kept) :]
        if dropped:
            drop = mod_down_nearest(kept, dropped)
            x = [apply(drop, c[len(kept) :], c[: len(kept)]) for c in x]
        switch = hps_scale(self.q, self.p, prod(self.p))
        extend, back = hps_extend(kept, self.p), hps_extend(self.p, kept)
        y_p = [apply(switch, c) for c in y]
        of_q = tensor(x, [apply(back, c) for c in y_p], kept)
        of_p = tensor([apply(extend, c) for c in x], y_p, self.p)
        scale = hps_scale(self.p, kept, self.t, prod(dropped))
        zeros = [[0] * self.n for _ in dropped]
        return [apply(scale, b, a) + zeros for a, b in zip(of_q, of_p, strict=True)]
