# SPDX-License-Identifier: Apache-2.0
"""Reproducible polynomials for tests of the textbook schemes."""

import random

ERROR = 20


class Draw:
    """Polynomials of n coefficients; errors are at most ERROR in magnitude."""

    def __init__(self, seed: int, n: int) -> None:
        self.random, self.n = random.Random(seed), n

    def below(self, bound):
        return [self.random.randrange(bound) for _ in range(self.n)]

    def ternary(self):
        return [self.random.randint(-1, 1) for _ in range(self.n)]

    def error(self):
        return [self.random.randint(-ERROR, ERROR) for _ in range(self.n)]
