# SPDX-License-Identifier: Apache-2.0
"""Plaintexts into the chain of BGV and back, as steps."""

from fractions import Fraction
from math import prod

import pytest

from nttforge_oracle import bgv_steps
from nttforge_oracle.number_theory import ntt_primes
from nttforge_oracle.rns import centred, decompose
from nttforge_oracle.scale import DecryptScale

CASES = [
    ((3, 5, 7), 2, 101),
    ((97,), 8, 8191),
    ((3, 5, 7), 11, 23),
    (tuple(ntt_primes(64, 30, 3)), 65537, None),
    (tuple(ntt_primes(64, 40, 2)), 2**59 - 55, None),
]


@pytest.mark.parametrize(("q", "t", "gamma"), CASES)
def test_lift_centred(q, t, gamma):
    for factor in (1, t - 1, 3**5 % t or 1):
        step = bgv_steps.lift_centred(q, t, factor)
        for m in {0, 1, t // 2, (t + 1) // 2 % t, t - 1}:
            assert step.value([m]) == decompose(centred(factor * m, t), q)


@pytest.mark.parametrize(("q", "t", "gamma"), CASES)
def test_reduce_centred(q, t, gamma):
    """Exact in the stated interval, at both its ends; beyond it wrong; the limit where it is."""
    big_q, k = prod(q), len(q)
    gamma = gamma or DecryptScale(q, t).gamma
    low = -((big_q * (gamma - 2 * k + 1)) // (2 * gamma))
    high = (big_q - 1) // 2
    every = range(low, high + 1) if big_q < 1000 else ()
    for factor in (1, t - 1):
        step = bgv_steps.reduce_centred(q, t, gamma, factor)
        for x in {low, low + 1, -1, 0, 1, high - 1, high, *every}:
            residues = decompose(x, q)
            assert step.value(residues) == [factor * x % t]
            share = abs(Fraction(x, big_q))
            slack = Fraction(k, gamma)
            assert (share >= Fraction(9, 25) + slack) <= step.exceeds(residues)  # 2^-1.5 = .3535
            assert step.exceeds(residues) <= (share >= Fraction(7, 20) - slack)
        # Past the ends the neighbour is one of both; with a small gamma it is the wrong one.
        either = [[factor * (high + 1 - shift) % t] for shift in (0, big_q)]
        assert step.value(decompose(high + 1, q)) in either
        if gamma < 100 and k > 1:
            below = range(-high, low)
            assert any(step.value(decompose(x, q)) != [factor * x % t] for x in below)
