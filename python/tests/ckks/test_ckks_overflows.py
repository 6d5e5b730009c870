# SPDX-License-Identifier: Apache-2.0
"""Multiples of q_0 that the sine has to remove: how large they are, and how often."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from overflows import WEIGHT, chance, distance, measured, probability

from nttforge import ckks


def test_they_occur_as_often_as_derived() -> None:
    multiples = measured(2**10, 2**10)  # 2^20 coefficients
    statistic, kinds = distance(multiples)
    assert kinds == 11
    assert chance(statistic, kinds, len(multiples)) > -30, statistic  # fails once in 10^9
    # It tells a secret with one coefficient more or less apart.
    for weight in (WEIGHT - 1, WEIGHT + 1):
        statistic, kinds = distance(multiples, weight)
        assert chance(statistic, kinds, len(multiples)) < -100
    # One of 13 or more is met in one run of 10^11.
    most = int(np.abs(multiples).max())
    assert 6 <= most <= 12
    assert float(2 * 2**20 * sum(probability(i) for i in range(13, 17))) < 1e-9


def test_chances_of_statistics_are_those_of_normal_counts() -> None:
    rng = np.random.default_rng(1)
    means = rng.normal(size=(2000, 60, 4)).cumsum(axis=2)  # 60 dependent groups of 4 counts
    centre = means.mean(axis=1)
    covariances = [np.cov(group.T) for group in means]
    found = [60 * m @ np.linalg.solve(c, m) for m, c in zip(centre, covariances, strict=True)]
    for share in (0.5, 0.1, 0.02):
        limit = float(np.quantile(found, 1 - share))
        assert 2.0 ** chance(limit, 4, 60) == pytest.approx(share, rel=0.35)


def test_the_probability_of_a_failure_is_exact() -> None:
    for n in (2**7, 2**8):
        machine = ckks.Bootstrapper.of("boot16_40", insecure_n=n)
        # Messages are at most 2^-5 q_0, and the fit is for |I| < 16.
        lost = 2 * n * sum(probability(i, Fraction(-1, 32)) for i in (16, 17))
        assert machine.failure_bits == pytest.approx(-np.log2(float(lost)), abs=1e-6)
