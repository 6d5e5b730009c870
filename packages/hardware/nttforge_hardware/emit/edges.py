# SPDX-License-Identifier: Apache-2.0
"""Polynomials whose transforms meet the edges of a core's arithmetic, in every stage.

Random words almost never make a sum that is q itself, or a product that is 0, 1 or q - 1: for wide
moduli no simulation ends with one. Here the words before a stage are chosen, butterfly by
butterfly, and the stages before it are undone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from nttforge.spec.transform import Ring
from nttforge_oracle.dgt import Pair, multiply
from nttforge_oracle.fast import twiddles

from ..plan.dgt import dgt_tree

Parts = list[list[int]]  # of all numbers their first parts, and with a DGT their second ones


class EdgeVectors:
    """Polynomials of n residues (2 n with ``parts`` = 2) for a product tree of n points.

    Parameters
    ----------
    n, q : int
    ring : {"negacyclic", "cyclic"}
    parts : int
        2: the tree of the DGT.
    """

    def __init__(self, n: int, q: int, ring: Ring = "negacyclic", parts: int = 1) -> None:
        self.n, self.q, self.parts = n, q, parts
        self.stages = n.bit_length() - 1
        self._tree: Sequence[Pair]
        self._tree = dgt_tree(n, q) if parts == 2 else [(w, 0) for w in twiddles(n, q, ring)]

    def polynomial(
        self, number: int, source: random.Random, direction: str = "forward"
    ) -> list[int]:
        """Coefficients of vector ``number``; ``direction`` is that of the transform to be tested.

        0: a quarter each with edges in the last stage, with edges in one of the others, with one
        value that is not zero, and random. 1: edges in the direction's first stage. 2: random.
        3: q - 1. 4: one to three values (inverse: coefficients) that are not zero. 5: 0, 1 and
        q - 1. Then by turns edges in one of the other stages, random, and as number 0.
        """
        inverse, x = direction == "inverse", self._random(source)
        kind = number if number < 6 else (1, 2, 0)[number % 3]
        if kind == 0:
            return self._mixed(x, source, inverse)
        if kind == 1:
            turn = number // 3 - 1 if number >= 6 else 0
            stage = (-1 - turn if inverse else turn) % self.stages
            return self._edges(x, stage, source, inverse)
        if kind == 2:
            return [v for part in x for v in part]
        if kind == 4:
            x = [[0] * self.n for _ in x]
            for _ in range(source.randint(1, 3)):
                self._put(x, source.randrange(self.n), source)
            if not inverse:
                self._undo(x, self.stages, 0, 0, self.n)
            return [v for part in x for v in part]
        values = (self.q - 1,) if kind == 3 else (0, 1, self.q - 1)
        return [source.choice(values) for part in x for _ in part]

    def _random(self, source: random.Random) -> Parts:
        return [[source.randrange(self.q) for _ in range(self.n)] for _ in range(self.parts)]

    def _put(self, x: Parts, place: int, source: random.Random) -> None:
        """An edge that is not zero, in each part."""
        for part in x:
            part[place] = self._edge(source) or 1

    def _edge(self, source: random.Random) -> int:
        q = self.q
        return source.choice((0, 1, 2, q // 2, q // 2 + 1, q - 2, q - 1, source.randrange(q)))

    def _mixed(self, x: Parts, source: random.Random, inverse: bool) -> list[int]:
        level = min(2, self.stages - 1)
        size = self.n >> level
        for block in range(1 << level):
            low, high, stage = block * size, (block + 1) * size, self.stages
            if block == 0:
                stage -= 1
                self._fill(x, stage, low, high, source, inverse)
            elif block == 1:
                stage = source.randrange(level, self.stages)
                self._fill(x, stage, low, high, source, inverse)
            elif block == 2:
                for part in x:
                    part[low:high] = [0] * size
                self._put(x, source.randrange(low, high), source)
            self._undo(x, stage, level, low, high)
        self._undo(x, level, 0, 0, self.n)
        return [v for part in x for v in part]

    def _edges(self, x: Parts, stage: int, source: random.Random, inverse: bool) -> list[int]:
        self._fill(x, stage, 0, self.n, source, inverse)
        self._undo(x, stage, 0, 0, self.n)
        return [v for part in x for v in part]

    def _fill(
        self, x: Parts, stage: int, low: int, high: int, source: random.Random, inverse: bool
    ) -> None:
        """Words before a stage, a and b, so that what its butterflies compute are edges.

        Forward: the factor b or the product p = b w, and a + p or a - p. Inverse, from
        u = a + p and v = a - p: the product (u - v) / 2w = b, and u + v or u - v.
        """
        q, half = self.q, self.n >> (stage + 1)
        for start in range(low, high, 2 * half):
            w = self._tree[(1 << stage) + start // (2 * half)]
            for i in range(start, start + half):
                ends = [[self._edge(source) for _ in x] for _ in range(2)]
                if source.randrange(2):  # the second one is the product
                    b = self._over(ends[1], w)
                    p = ends[1]
                else:
                    b, p = ends[1], list(self._times(ends[1], w))
                # A sum (forward a + p, inverse u + v = 2a) of q, or beside it; a difference of 0.
                for k, part in enumerate(x):
                    step, a = source.choice((-1, 0, 0, 1)), ends[0][k]
                    if source.randrange(4):
                        a = step if inverse else source.choice((p[k], -p[k])) + step
                    part[i], part[i + half] = a % q, b[k]

    def _times(self, a: Sequence[int], w: Pair) -> Sequence[int]:
        if self.parts == 1:
            return (a[0] * w[0] % self.q,)
        return multiply((a[0], a[1]), w, self.q)

    def _over(self, a: Sequence[int], w: Pair, factor: int = 1) -> Sequence[int]:
        """The quotient a / (factor w)."""
        q = self.q
        if self.parts == 1:
            return (a[0] * pow(factor * w[0], -1, q) % q,)
        norm = pow(factor * (w[0] * w[0] + w[1] * w[1]), -1, q)
        return multiply((a[0], a[1]), (w[0] * norm % q, -w[1] * norm % q), q)

    def _undo(self, x: Parts, after: int, before: int, low: int, high: int) -> None:
        """From the words after ``after`` stages to those after ``before`` of them."""
        q, middle = self.q, (self.q + 1) // 2
        one: Pair = (1, 0)
        for stage in reversed(range(before, after)):
            half = self.n >> (stage + 1)
            for start in range(low, high, 2 * half):
                w = self._tree[(1 << stage) + start // (2 * half)]
                back = (*self._over(one, w, 2), 0)
                turn: Pair = (back[0], back[1])
                for i in range(start, start + half):
                    rest = []
                    for part in x:
                        u, v = part[i], part[i + half]
                        part[i] = (u + v) * middle % q
                        rest.append(u - v)
                    for part, value in zip(x, self._times(rest, turn), strict=True):
                        part[i + half] = value
