# SPDX-License-Identifier: Apache-2.0
"""A step between bases as data: one form for every conversion, and its value.

Bounds: docs/bounds/steps.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from .rns import centred

SUM_BITS = 128  # of the sum of digits times fractions
# Fractions have as many bits as kernels take: the first where every source is below 2^50.
NARROW_FRACTION_BITS, WIDE_FRACTION_BITS = 50, 62


@dataclass(frozen=True)
class RnsStep:
    """A map from residues modulo ``sources``, and own words modulo ``targets``, to ``targets``.

    y_i = x_i scale_i mod s_i, and modulo every target q_j

        out_j = offset_j + own_j x'_j + sum_i factors_ji y_i + correction excess_j

    The correction is 0, or with a modulus p the centred residue of sum_i weights_i y_i modulo p
    (above (p - 1) / 2 minus p), or with fractions the integer floor((sum_i fractions_i y_i +
    half) / 2^f), half = 2^(f-1) if ``nearest`` and 0 otherwise. An empty field counts as zero, an
    empty scale as 1: x are digits already.

    Parameters
    ----------
    sources, targets : tuple of int
        s_i and q_j, in [2, 2^62).
    scale : tuple of int
        One for each source, modulo s_i.
    own, offset, excess : tuple of int
        One for each target, modulo q_j.
    factors : tuple of tuples
        A row for each target, with an entry for each source, modulo q_j.
    modulus : int
        p, in [2, 2^62), or 0.
    weights : tuple of int
        One for each source, modulo p.
    limit : int
        The largest magnitude of the correction that is expected, up to (p - 1) / 2, or 0 for any.
    fraction_bits : int
        f, 1 ... 127, or 0.
    nearest : bool
        Whether half a unit is added before the floor.
    fractions : tuple of int
        One for each source, below 2^64; sum_i (s_i - 1) fractions_i + 2^(f-1) < 2^128.

    Examples
    --------
    >>> RnsStep((7,), (11, 13), modulus=7, weights=(1,), excess=(1, 1)).value([5])  # 5 - 7
    [9, 11]
    """

    sources: tuple[int, ...]
    targets: tuple[int, ...]
    scale: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    factors: tuple[tuple[int, ...], ...] = ()
    offset: tuple[int, ...] = ()
    modulus: int = 0
    weights: tuple[int, ...] = ()
    limit: int = 0
    fraction_bits: int = 0
    nearest: bool = False
    fractions: tuple[int, ...] = ()
    excess: tuple[int, ...] = ()

    def digits(self, x: Sequence[int]) -> list[int]:
        """y_i."""
        scale = self.scale or [1] * len(self.sources)
        return [r * c % s for r, c, s in zip(x, scale, self.sources, strict=True)]

    def correction(self, y: Sequence[int]) -> int:
        """The integer that ``excess`` is multiplied by."""
        if self.modulus:
            return centred(_dot(self.weights, y), self.modulus)
        half = 1 << (self.fraction_bits - 1) if self.nearest else 0
        return (_dot(self.fractions, y) + half) >> self.fraction_bits if self.fractions else 0

    def exceeds(self, x: Sequence[int]) -> bool:
        """Say whether the correction passes the limit, on which no word depends."""
        return 0 < self.limit < abs(self.correction(self.digits(x)))

    def value(self, x: Sequence[int], own: Sequence[int] = ()) -> list[int]:
        """The residues modulo the targets; ``own``: x', if there are own factors."""
        y = self.digits(x)
        correction = self.correction(y)
        out = [0] * len(self.targets)
        for j, q in enumerate(self.targets):
            total = self.offset[j] if self.offset else 0
            total += self.own[j] * own[j] if self.own else 0
            total += _dot(self.factors[j], y) if self.factors else 0
            total += self.excess[j] * correction if self.excess else 0
            out[j] = total % q
        return out

    def as_json(self) -> dict[str, object]:
        """The fields that are not empty, under their names in nttforge/rns/step.hpp."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            name: [list(v) if isinstance(v, tuple) else v for v in value]
            if isinstance(value, tuple)
            else value
            for name, value in fields.items()
            if value
        }


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def then(first: RnsStep, following: RnsStep) -> tuple[RnsStep, RnsStep]:
    """Two steps with the values of both in a row, the second of which takes digits.

    Its scale is multiplied into the first, whose outputs are residues modulo the same numbers.

    Examples
    --------
    >>> double = RnsStep((7,), (11,), factors=((2,),))
    >>> triple = RnsStep((11,), (13,), scale=(3,), factors=((1,),))
    >>> [step.factors for step in then(double, triple)], triple.value(double.value([4]))
    ([((6,),), ((1,),)], [2])
    """
    if first.targets != following.sources or following.own:
        raise ValueError("the second step must take the first one's targets, and no own words")
    if not following.scale:
        return first, following
    pairs = list(zip(following.scale, first.targets, strict=True))
    scaled: dict[str, Any] = {
        name: tuple(c * v % q for v, (c, q) in zip(getattr(first, name), pairs, strict=True))
        for name in ("own", "offset", "excess")
        if getattr(first, name)
    }
    if first.factors:
        scaled["factors"] = tuple(
            tuple(c * v % q for v in row) for row, (c, q) in zip(first.factors, pairs, strict=True)
        )
    return replace(first, **scaled), replace(following, scale=())


def fixed_point_fits(f: int, fractions: Sequence[int], moduli: Sequence[int]) -> bool:
    """Whether kernels take the fractions, and sums with digits and a half stay below 2^128."""
    bits = NARROW_FRACTION_BITS if max(moduli) >> NARROW_FRACTION_BITS == 0 else WIDE_FRACTION_BITS
    largest = _dot(fractions, [q - 1 for q in moduli]) + (1 << (f - 1))
    return all(x >> bits == 0 for x in fractions) and largest >> SUM_BITS == 0


def fixed_point(moduli: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """f and floor(2^f / q_i): the largest f up to 127 that ``fixed_point_fits``.

    Examples
    --------
    >>> f, fractions = fixed_point([97])
    >>> f, fractions[0] < 2**50 <= 2 * fractions[0]
    (56, True)
    """
    f = 128
    while True:
        f -= 1
        fractions = tuple(2**f // q for q in moduli)
        if fixed_point_fits(f, fractions, moduli):
            return f, fractions


def fixed_point_error(step: RnsStep) -> Fraction:
    """Largest sum_i y_i / s_i less the fixed-point sum: at most epsilon of docs/bounds/steps.md."""
    errors = (
        (Fraction(1, s) - Fraction(x, 2**step.fraction_bits)) * (s - 1)
        for x, s in zip(step.fractions, step.sources, strict=True)
    )
    return sum(errors, Fraction(0))


def fixed_point_bound(moduli: Sequence[int]) -> Fraction:
    """Epsilon: sum_i (q_i - 1) 2^-f, which is at least ``fixed_point_error``.

    Examples
    --------
    >>> fixed_point_bound([97]) == Fraction(96, 2**56)
    True
    """
    return Fraction(sum(q - 1 for q in moduli), 2 ** fixed_point(moduli)[0])
