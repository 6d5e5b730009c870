# SPDX-License-Identifier: Apache-2.0
"""HPS products: against the textbook product, and the size of their bases."""

import random
from fractions import Fraction
from math import prod

import pytest

from nttforge.spec.fast import negacyclic_product
from nttforge_oracle import fv, hps, rns, step
from nttforge_oracle.number_theory import ntt_primes

SETS = [  # n, t, primes, auxiliary bits
    (8, 97, ntt_primes(8, 30, 3), 30),
    (16, 2, ntt_primes(16, 50, 2), 50),
    (8, 65537, [*ntt_primes(8, 45, 1), *ntt_primes(8, 36, 2)], 50),
    (4, 2**40 + 15, ntt_primes(4, 62, 3), 50),
    (8, 257, ntt_primes(8, 40, 1), 30),
]


def of(parts, q):
    return [hps.residues_of(part, q) for part in parts]


def back(parts, q):
    return [hps.polynomial_of(part, q) for part in parts]


def far(a, b, q):
    """Largest distance of coefficients modulo Q."""
    return max(
        abs(rns.centred(x - y, q))
        for u, v in zip(a, b, strict=True)
        for x, y in zip(u, v, strict=True)
    )


@pytest.mark.parametrize(("n", "t", "q", "bits"), SETS)
def test_plain_products_are_the_textbook_ones(n, t, q, bits):
    draw = random.Random(n * t)
    q = tuple(q)
    product, scheme = hps.HpsPlain(q, t, n, prime_bits=bits), fv.Scheme(n, q, t)
    same = True
    for _ in range(4):
        x, y = ([[draw.randrange(scheme.q) for _ in range(n)] for _ in "01"] for _ in "01")
        out = back(product.multiply(of(x, q), of(y, q)), q)
        exact = scheme.multiply(x, y)
        assert far(out, exact, scheme.q) <= 1
        same = same and out == exact
    assert same  # within epsilon of a half is rare


@pytest.mark.parametrize(("n", "t", "q", "bits"), SETS)
def test_products_over_q_and_at_levels_have_the_noise_that_is_proved(n, t, q, bits):
    """|t c(s) / Q - m| of the product: what docs/bounds/hps.md says of the two factors' phases."""
    draw = random.Random(n * t + 1)
    q, scheme = tuple(q), fv.Scheme(n, tuple(q), t)
    secret = [draw.randrange(-1, 2) for _ in range(n)]
    square = negacyclic_product(secret, secret)
    norm, norm2 = sum(map(abs, secret)), sum(map(abs, square))
    for level in range(1, len(q) + 1):
        product = hps.HpsOverQ(q, t, n, level=level, prime_bits=bits)
        big_d = prod(q[level:])
        half = Fraction(1, 2) + max(
            step.fixed_point_bound(base) for base in (q, q[:level], product.p, q[level:] or (3,))
        )
        for _ in range(3):
            x, y = ([[draw.randrange(scheme.q) for _ in range(n)] for _ in "01"] for _ in "01")
            parts = product.multiply(of(x, q), of(y, q))
            assert all(row == [0] * n for part in parts for row in part[level:])
            z = scheme.phase(secret, back(parts, q))
            # The textbook product of the same factors, as a phase, differs by what is divided away.
            exact = scheme.phase(secret, scheme.multiply(x, y))
            rounding = half * (1 + norm)
            largest = (half + 1) * (1 + norm)  # a factor's phase divided by its modulus
            first = rounding * big_d if big_d > 1 else 0
            second = rounding * Fraction(scheme.q, prod(product.p))
            small = 1 + first * second / scheme.q
            allowed = n * t * largest * (first + second + small)
            allowed += half * (1 + norm + norm2) * (big_d + 1)
            assert far([z], [exact], scheme.q) <= allowed


def test_the_factors_over_q_are_not_treated_alike():
    draw, q = random.Random(7), tuple(ntt_primes(8, 30, 2))
    product = hps.HpsOverQ(q, 17, 8, prime_bits=30)
    x, y = (of([[draw.randrange(prod(q)) for _ in range(8)] for _ in "01"], q) for _ in "01")
    assert product.multiply(x, y) != product.multiply(y, x)
    with pytest.raises(ValueError, match="level = 3"):
        hps.HpsOverQ(q, 17, 8, level=3)


@pytest.mark.parametrize(("n", "t", "q", "bits"), SETS)
def test_the_smallest_base(n, t, q, bits):
    for terms in (1, 16):
        p = hps.plain_base(q, t, n, (), terms, bits)
        assert hps.plain_base_is_large_enough(p, q, t, n, terms)
        assert len(p) == 1 or not hps.plain_base_is_large_enough(p[:-1], q, t, n, terms)
    p = hps.over_q_base(q, n, (), bits)
    assert 2 * prod(p) >= prod(q)
    assert len(p) == 1 or 2 * prod(p[:-1]) < prod(q)


def test_values_come_back_from_p_up_to_its_limit_and_not_beyond():
    q, p = (101, 103), (97, 89)
    extend, big_p = hps.hps_extend(p, q), prod(p)
    epsilon = step.fixed_point_bound(p)
    low, high = -(big_p // 2), (big_p - 1) // 2
    assert epsilon * big_p < 1
    for x in (low, low + 1, -1, 0, high):
        assert extend.value(rns.decompose(x, p)) == rns.decompose(x, q)
    for x in (low - 1, high + 1):
        assert extend.value(rns.decompose(x, p)) != rns.decompose(x, q)
