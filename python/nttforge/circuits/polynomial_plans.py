# SPDX-License-Identifier: Apache-2.0
"""How a polynomial is evaluated: Paterson and Stockmeyer [PS73] at the least depth, as data.

    p = low + T_at * high                      degree 7, depth 3, 5 products

    low(3)   +  T_4 * high(3)                  elements: T_2 = 2 T_1 T_1 - 1, T_4 = 2 T_2 T_2 - 1
     |                |
    (1) + T_2 (1)    (1) + T_2 * (1)           leaves (1): a constant and a multiple of T_1

The basis is Chebyshev's T_k or the powers x^k: one plan holds for both. An element T_k lies at
depth lg k = ceil(log2 k). A leaf is a sum of multiples of elements, one level below the deepest of
them; if constants cost no level (integers modulo t), it is at their depth.

**The rules.** C++ has the same ones, and none else; ``c`` is 1 if constants cost a level, else 0.

1. The depth is lg(d + 1) for c = 1 and lg d for c = 0, the least possible, unless more is allowed.
   An even polynomial of degree d is planned as one of degree d / 2 with one level less, in the
   variable T_2: every k becomes 2 k, and T_2 = T_1 T_1 comes first. The rest is of the others;
   an odd one may have a constant, which is added at the end.
2. Candidates are triples (m, g, L), in increasing order. Babies are T_1 ... T_m, of an odd
   polynomial only the odd ones; giants are T_g, T_2g, ..., T_(g 2^(L-1)), with m <= d,
   2 <= g <= m + 1 (m = 1: g = 2), giants <= d, for an odd polynomial g even, and
   m <= 2 isqrt(d) + 2.
3. A part of degree d and depth D costs nothing if d <= 0, or if d <= m and lg d + c <= D: a leaf.
   Otherwise it is split at a giant ``at`` with at <= d <= 3 at, so that high has degree d - at and
   low degree at - 1 (at if d = 3 at). It needs lg at + 1 <= D, and leaves the depth D - 1 to high
   and D to low. It costs a product, unless high has degree 0: then it adds a multiple of T_at. Of
   the possible splits the cheapest in (products, relinearizations) is taken, of equal ones that
   with the greatest ``at``.
   high is relinearized before its product if there is a product in it; a sum of products is
   relinearized once, and so is the whole.
4. Elements: beginning with the largest that is needed, T_k is made of T_a and T_b, a + b = k,
   a >= b, lg a < lg k, such that the fewest of a, b and a - b > 0 are new, of equal ones with the
   least a - b. What is new is needed too. Each costs a product and a relinearization.
5. The candidate with the least (products, relinearizations) is taken, of equal ones the first. An
   odd polynomial takes the plan of any polynomial of its degree if that costs less.
6. Coefficients c of a part become those of its halves at a split: low_i = c_i for i < at,
   high_0 = c_at, and for j = 1, 2, ... in this order high_j = 2 c_(at+j), low_|at-j| -= c_(at+j).
   (Powers: high_j = c_(at+j).) A leaf adds its terms in increasing k. Constants are carried beside
   the sum, and added to it where it becomes a factor, and at the end.

Splits with other babies or giants do not need fewer products for any degree <= 10, by exhaustion
(the tests). Chen, Chillotti and Song [CCS19] introduced such splits for Chebyshev's basis; odd
babies are due to Lee et al. [LLNK22].
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

from .. import _arguments as arguments
from ..errors import ParameterError

Parity = Literal["any", "even", "odd"]
_Cost = tuple[float, float]  # products and relinearizations
_MOST_DEGREE = 2**14


@dataclass(frozen=True)
class Element:
    """T_k = 2 T_a T_b - T_(a-b), or x^k = x^a x^b."""

    k: int
    a: int
    b: int


@dataclass(frozen=True)
class Part:
    """A polynomial of a degree: a leaf, or low + T_at high; a high of degree 0 is a constant."""

    degree: int
    at: int = 0
    high: Part | None = None
    low: Part | None = None

    @cached_property
    def products(self) -> int:
        """Products of ciphertexts in it, but for those of its elements."""
        if self.high is None or self.low is None:
            return 0
        return (self.high.degree > 0) + self.high.products + self.low.products

    @cached_property
    def relinearizations(self) -> int:
        """Factors that are relinearized in it; its own sum is not yet."""
        if self.high is None or self.low is None:
            return 0
        own = self.high.products > 0
        return own + self.high.relinearizations + self.low.relinearizations


@dataclass(frozen=True)
class PolynomialPlan:
    """What to compute for a polynomial of one degree, whatever its coefficients.

    >>> polynomial_plan(7)
    PolynomialPlan(degree=7, parity='any', depth=3, products=5, relinearizations=4)
    """

    degree: int
    parity: Parity
    depth: int
    elements: tuple[Element, ...]
    root: Part

    @property
    def products(self) -> int:
        """Products of two ciphertexts."""
        return len(self.elements) + self.root.products

    @property
    def relinearizations(self) -> int:
        """Relinearizations, where sums of products share one."""
        last = self.root.products > 0
        return len(self.elements) + last + self.root.relinearizations

    def __repr__(self) -> str:
        return (
            f"PolynomialPlan(degree={self.degree}, parity={self.parity!r}, depth={self.depth}, "
            f"products={self.products}, relinearizations={self.relinearizations})"
        )


def _lg(k: int) -> int:
    return (k - 1).bit_length()


@cache
def polynomial_plan(
    degree: int, parity: Parity = "any", constant_levels: int = 1, depth: int | None = None
) -> PolynomialPlan:
    """The plan for a degree; the module's text has the rules.

    Parameters
    ----------
    degree : int
        1 ... 2^14; odd for parity "odd", even for "even".
    parity : {"any", "even", "odd"}
        Which coefficients are not 0; the constant may be anything.
    constant_levels : {0, 1}
        Whether a product with a constant costs a level (1: real numbers; 0: integers).
    depth : int, optional
        More than the least depth, which may save products.

    Raises
    ------
    ParameterError
        The degree, the parity or the depth is not possible.

    Examples
    --------
    >>> even = polynomial_plan(30, "even")
    >>> [(e.k, e.a, e.b) for e in even.elements], even.products, even.depth
    ([(2, 1, 1), (4, 2, 2), (6, 4, 2), (8, 4, 4), (16, 8, 8)], 9, 5)
    """
    degree = arguments.integer("degree", degree, 1, _MOST_DEGREE)
    arguments.choice("parity", parity, ("any", "even", "odd"))
    if parity != "any" and degree % 2 != (parity == "odd"):
        raise ParameterError(
            f"parity = {parity!r} with degree = {degree}: need a degree of that parity; leave out "
            "zeros at the end of the coefficients"
        )
    c = arguments.integer("constant_levels", constant_levels, 0, 1)
    least = _lg(degree + c)
    more = least if depth is None else depth
    depth = arguments.integer("depth", more, least, 64, "the least is what the degree needs")
    if parity == "even":
        half = polynomial_plan(degree // 2, "any", c, depth - 1)
        doubled = (Element(2 * e.k, 2 * e.a, 2 * e.b) for e in half.elements)
        elements = (Element(2, 1, 1), *doubled)
        return PolynomialPlan(degree, parity, depth, elements, _doubled(half.root))
    step = 2 if parity == "odd" else 1
    best: tuple[_Cost, PolynomialPlan] | None = None
    for m in range(1, min(degree, 2 * math.isqrt(degree) + 2) + 1, step):
        babies = range(1, m + 1, step)
        for g in range(2, max(2, m + 1) + 1, step):
            giants: list[int] = []
            while not giants or giants[-1] <= degree:
                wanted = {*babies, *giants}
                if best is not None and len(wanted) - 1 > best[0][0]:
                    break
                root = _Splits(m, tuple(giants), c).part(degree, depth)
                if root is not None:
                    plan = PolynomialPlan(degree, parity, depth, _elements(wanted), root)
                    cost = (plan.products, plan.relinearizations)
                    if best is None or cost < best[0]:
                        best = (cost, plan)
                giants.append(giants[-1] * 2 if giants else g)
    assert best is not None  # m = 1 with all powers of two as giants is a way
    if parity == "odd":
        full = polynomial_plan(degree, "any", c, depth)
        if (full.products, full.relinearizations) < best[0]:
            return replace(full, parity=parity)
    return best[1]


def monomial_plan(degree: int, constant_levels: int = 1) -> PolynomialPlan:
    """The plan for a multiple of one element, which lies at its depth and is multiplied there."""
    depth = _lg(degree) + constant_levels
    return PolynomialPlan(degree, "any", depth, _elements((degree,)), Part(degree))


def _doubled(part: Part) -> Part:
    if part.high is None or part.low is None:
        return Part(2 * part.degree)
    return Part(2 * part.degree, 2 * part.at, _doubled(part.high), _doubled(part.low))


class _Splits:
    """The cheapest parts for babies up to m and some giants: rule 3."""

    def __init__(self, m: int, giants: tuple[int, ...], constant_levels: int) -> None:
        self._m, self._giants, self._c = m, giants, constant_levels
        self._found: dict[tuple[int, int], Part | None] = {}

    def part(self, d: int, depth: int) -> Part | None:
        """The cheapest part of a degree, or None if the depth does not suffice."""
        if d <= 0 or (d <= self._m and _lg(d) + self._c <= depth):
            return Part(max(d, 0))
        if (d, depth) not in self._found:
            self._found[d, depth] = self._split(d, depth)
        return self._found[d, depth]

    def _split(self, d: int, depth: int) -> Part | None:
        best: tuple[_Cost, Part] | None = None
        for at in reversed(self._giants):
            if not at <= d <= 3 * at or _lg(at) + 1 > depth:
                continue
            high, low = self.part(d - at, depth - 1), self.part(at - (d < 3 * at), depth)
            if high is None or low is None:
                continue
            part = Part(d, at, high, low)
            cost = (part.products, part.relinearizations)
            if best is None or cost < best[0]:
                best = (cost, part)
        return None if best is None else best[1]


def _elements(needed: Iterable[int]) -> tuple[Element, ...]:
    """How the needed elements are made, in increasing order: rule 4."""
    there = {1, *needed}
    made: list[Element] = []
    while left := there - {1} - {e.k for e in made}:
        k = max(left)
        pairs = [(k - b, b) for b in range(1, k // 2 + 1) if _lg(k - b) < _lg(k)]
        a, b = min(pairs, key=lambda p: (len({*p, p[0] - p[1]} - there - {0}), p[0] - p[1]))
        there |= {a, b, a - b} - {0}
        made.append(Element(k, a, b))
    return tuple(sorted(made, key=lambda e: e.k))
