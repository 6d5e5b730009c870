# SPDX-License-Identifier: Apache-2.0
"""Multiples of q_0 that a ciphertext of a sparse secret has beside its message, counted.

python python/tests/helpers/overflows.py --log-count 20
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from math import comb, factorial, log

import numpy as np
from numpy.typing import NDArray
from small_ckks import small_set, uniform

from nttforge import ckks

WEIGHT = 32


def probability(i: int, message: Fraction = Fraction(0), weight: int = WEIGHT) -> Fraction:
    """That a coefficient is i q_0 and the message, which is in units of q_0, exactly.

    It is so where a sum of ``weight`` uniform numbers is within 1/2 of that, and how often it is so
    is the density of the sum of one more.
    """
    order = weight + 1
    at = i + message + Fraction(order, 2)
    terms = (
        (-1) ** k * comb(order, k) * (at - k) ** (order - 1) for k in range(order + 1) if at > k
    )
    return sum(terms, Fraction(0)) / factorial(order - 1)


def small_coefficients(secret: ckks.SecretKey) -> NDArray[np.int64]:
    """A ternary secret, of the two bits for each coefficient that its bytes are."""
    codes = np.frombuffer(secret.to_bytes()[32:-8], dtype=np.uint8)
    pairs = np.stack([codes >> shift & 3 for shift in (0, 2, 4, 6)], axis=1).ravel()
    return np.array([0, 1, 0, -1])[pairs[: secret.context.n]]


def measured(n: int, count: int, seed: int = 1) -> NDArray[np.int64]:
    """The multiples of q_0 in each coefficient of so many ciphertexts, shape (count, n)."""
    context = ckks.Context(small_set(n, 2, special=2))
    keys = context.generate_keys(relinearization=False)
    ephemeral = ckks.KeyGenerator(context, secret="sparse", secret_weight=WEIGHT)
    sparse = ephemeral.secret_key()
    key = ephemeral.key_switch_key(keys.secret, sparse, index=0, level=1, special=1)
    small = small_coefficients(sparse)
    assert np.count_nonzero(small) == WEIGHT
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        x = keys.encrypt(uniform(rng, n // 2)).mod_switch(1).switch_secret(key)
        parts = x.residues[:, 0].astype(np.float64) / float(context.parameters.q[0])
        parts -= np.rint(parts)  # in [-1/2, 1/2], as raising takes them
        total = parts[0].copy()
        for shift in np.flatnonzero(small):
            turned = np.roll(parts[1], shift)
            turned[:shift] *= -1
            total += small[shift] * turned
        multiples = np.rint(total)
        assert np.abs(total - multiples).max() < 2**-15  # the message
        found.append(multiples.astype(np.int64))
    return np.array(found)


def distance(multiples: NDArray[np.int64], weight: int = WEIGHT) -> tuple[float, int]:
    """Hotelling's statistic of the counts, and how many there are.

    Coefficients of one ciphertext depend on each other, so that counts vary more than independent
    ones: by how much is measured, over ciphertexts.
    """
    groups, n = multiples.shape
    last = 1
    while groups * n * probability(last + 1, weight=weight) > 1000:
        last += 1
    kinds = np.arange(-last, last + 1)  # what is beyond is the rest
    counts = np.array([(multiples == kind).sum(axis=1) for kind in kinds], dtype=np.float64).T
    expected = np.array([n * float(probability(int(kind), weight=weight)) for kind in kinds])
    means, covariance = counts.mean(axis=0) - expected, np.cov(counts.T)
    return float(groups * means @ np.linalg.solve(covariance, means)), len(kinds)


def chance(statistic: float, kinds: int, groups: int) -> float:
    """log2 of a bound on how often such a statistic is as large: that of its F distribution."""
    # statistic / (groups - 1) is a ratio of sums of squares; B its beta distribution's complement.
    share = statistic / (statistic + groups - 1)
    points = np.linspace(share, 1, 200_001)[:-1]
    logs = (kinds / 2 - 1) * np.log(points) + ((groups - kinds) / 2 - 1) * np.log1p(-points)
    every = np.linspace(0, 1, 200_001)[1:-1]
    whole = (kinds / 2 - 1) * np.log(every) + ((groups - kinds) / 2 - 1) * np.log1p(-every)
    top = whole.max()
    tail = np.exp(logs - top).sum() * (1 - share) / 200_000
    return float(log(tail + 1e-300) - log(np.exp(whole - top).sum() / 200_000)) / log(2)


def main() -> None:
    """Counts and compares."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--log-count", type=int, default=20)
    parser.add_argument("--log-n", type=int, default=10)
    options = parser.parse_args()
    n = 1 << options.log_n
    multiples = measured(n, 1 << options.log_count - options.log_n)
    values, counts = np.unique(np.abs(multiples), return_counts=True)
    for i, count in zip(values.tolist(), counts.tolist(), strict=True):
        expected = multiples.size * probability(i) * (1 if i == 0 else 2)
        print(f"|I| = {i}: {count}, expected {float(expected):.1f}")
    for weight in (WEIGHT - 1, WEIGHT, WEIGHT + 1):
        statistic, kinds = distance(multiples, weight)
        bits = chance(statistic, kinds, len(multiples))
        print(f"weight {weight}: {statistic:.1f} of {kinds} kinds, by chance 2^{bits:.1f}")


if __name__ == "__main__":
    main()
