# SPDX-License-Identifier: Apache-2.0
"""The oracle's transforms: FLINT's polynomials, and properties that do not depend on the sum."""

import random

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nttforge.spec import transform
from nttforge.spec.fast import negacyclic_product
from nttforge.spec.number_theory import GOLDILOCKS
from nttforge_oracle import dgt, fast
from nttforge_oracle.number_theory import YAN22_TABLE_3, ntt_primes, transform_support

PRIMES = [257, 7681, *(ntt_primes(64, b, 1)[0] for b in (30, 50, 62)), GOLDILOCKS]


def some(n: int, q: int, seed: int = 1) -> list[int]:
    return [random.Random(seed * 1000 + i).randrange(q) for i in range(n)]


def flint_product(a, b, q, ring):
    n = len(a)
    product = flint.nmod_poly(a, q) * flint.nmod_poly(b, q)
    modulus = flint.nmod_poly([1 if ring == "negacyclic" else q - 1] + [0] * (n - 1) + [1], q)
    reduced = product % modulus
    return [int(reduced[i]) for i in range(n)]


@pytest.mark.parametrize("ring", transform.RINGS)
@pytest.mark.parametrize("q", PRIMES)
def test_forward_is_evaluation_by_flint(q, ring):
    for n in (1, 2, 4, 16, 64):
        a = some(n, q)
        root = transform.default_root(n, q, ring)
        polynomial = flint.nmod_poly(a, q)
        points = [pow(root, 2 * k + 1 if ring == "negacyclic" else k, q) for k in range(n)]
        natural = [int(polynomial(x)) for x in points]
        assert transform.forward(a, q, ring, output_order="natural") == natural
        reversed_ = transform.forward(a, q, ring)
        bits = n.bit_length() - 1
        for k in range(n):
            assert reversed_[transform.bit_reverse(k, bits)] == natural[k]


@pytest.mark.parametrize("ring", transform.RINGS)
@pytest.mark.parametrize("q", PRIMES)
def test_product_is_flints_and_the_convolution_theorem_holds(q, ring):
    for n in (1, 2, 8, 32):
        a, b = some(n, q, 2), some(n, q, 3)
        product = transform.polynomial_product(a, b, q, ring)
        assert product == flint_product(a, b, q, ring)
        x, y = transform.forward(a, q, ring), transform.forward(b, q, ring)
        pointwise = [u * v % q for u, v in zip(x, y, strict=True)]
        assert transform.inverse(pointwise, q, ring) == product


@pytest.mark.parametrize("ring", transform.RINGS)
@pytest.mark.parametrize("input_order", transform.ORDERS)
@pytest.mark.parametrize("output_order", transform.ORDERS)
def test_round_trip_in_every_order(ring, input_order, output_order):
    q = PRIMES[4]
    for n in (1, 2, 8, 32):
        a = some(n, q)
        x = transform.forward(a, q, ring, input_order, output_order)
        assert transform.inverse(x, q, ring, input_order, output_order) == a
        natural = transform.reorder(a, input_order)
        assert x == transform.forward(natural, q, ring, output_order=output_order)


def test_multiplication_by_x_shifts():
    """Negacyclic: X a has transform psi^(2k+1) X[k]."""
    q, n = PRIMES[2], 16
    a = some(n, q)
    psi = transform.default_root(n, q, "negacyclic")
    shifted = [-a[-1] % q, *a[:-1]]
    x = transform.forward(a, q, output_order="natural")
    expected = [v * pow(psi, 2 * k + 1, q) % q for k, v in enumerate(x)]
    assert transform.forward(shifted, q, output_order="natural") == expected


def test_a_given_root_is_used():
    q, n = 257, 8
    a = some(n, q)
    psi = transform.default_root(n, q, "negacyclic")
    other = transform.forward(a, q, output_order="natural", root=pow(psi, 3, q))
    natural = transform.forward(a, q, output_order="natural")
    # psi^3 in place of psi: (2k + 1) becomes 3 (2k + 1) = 2 (3k + 1) + 1.
    assert other == [natural[(3 * k + 1) % n] for k in range(n)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: transform.forward([1, 2, 3], 257), "n = 3 must be a power of two"),
        (lambda: transform.forward([1, 2], 257, "linear"), "ring = 'linear'"),
        (lambda: transform.forward([1, 2], 257, input_order="random"), "order = 'random'"),
        (lambda: transform.forward([1] * 64, 97), r"q = 1 \(mod 128\), not 97"),
        (lambda: transform.polynomial_product([1], [1, 2], 7), "one length"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("ring", transform.RINGS)
@pytest.mark.parametrize("q", PRIMES)
def test_fast_is_the_definition(q, ring):
    for n in (1, 2, 4, 8, 64):
        a = some(n, q)
        assert fast.forward_fast(a, q, ring) == transform.forward(a, q, ring)
        assert fast.forward_fast([q - 1] * n, q, ring) == transform.forward([q - 1] * n, q, ring)
        natural = transform.forward(a, q, ring, output_order="natural")
        assert fast.forward_fast(a, q, ring, "natural") == natural
        assert fast.inverse_fast(a, q, ring) == transform.inverse(a, q, ring)
        assert fast.inverse_fast(natural, q, ring, "natural") == a


@pytest.mark.parametrize("ring", transform.RINGS)
def test_fast_at_1024_and_sampled_points_above(ring):
    q = ntt_primes(1 << 14, 60, 1)[0]
    a = some(512, q)
    assert fast.forward_fast(a, q, ring) == transform.forward(a, q, ring)
    a = some(1 << 14, q)
    x = fast.forward_fast(a, q, ring, "natural")
    points = [0, 1, 2, 8191, 8192, 16383]
    assert [x[k] for k in points] == transform.forward_at(a, points, q, ring)


def test_twiddles_follow_the_product_tree():
    """W[1]^2 is -1 (negacyclic) or 1 (cyclic); W[2i]^2 = W[i], W[2i + 1]^2 = -W[i]."""
    q, n = PRIMES[3], 32
    for ring, first in (("negacyclic", q - 1), ("cyclic", 1)):
        w = fast.twiddles(n, q, ring)
        assert w[1] * w[1] % q == first
        for node in range(1, n // 2):
            assert w[2 * node] ** 2 % q == w[node]
            assert w[2 * node + 1] ** 2 % q == q - w[node]


@settings(deadline=None)
@given(st.data())
def test_kronecker_product_is_the_schoolbook(data):
    n = 2 ** data.draw(st.integers(0, 4))
    size = 2 ** data.draw(st.integers(0, 200))
    coefficients = st.lists(st.integers(-size, size), min_size=n, max_size=n)
    a, b = data.draw(coefficients), data.draw(coefficients)
    assert negacyclic_product(a, b) == transform.polynomial_product(a, b, None)
    assert negacyclic_product(a, b, 97) == transform.polynomial_product(a, b, 97)


def test_kronecker_product_at_the_largest_coefficients():
    for bits in (1, 7, 8, 9, 62, 64, 65):
        for n in (1, 2, 4, 8):
            for sign in (1, -1):
                a, b = [2**bits - 1] * n, [sign * (2**bits - 1)] * n
                expected = transform.polynomial_product(a, b, None)
                assert negacyclic_product(a, b) == expected


DGT_PRIMES = [7, 31, 17, 97, 2**61 - 1, *(2**i + a * 2**j + b for i, a, j, b in YAN22_TABLE_3)]


@pytest.mark.parametrize("q", DGT_PRIMES)
def test_dgt_product_for_gaussian_and_other_primes(q):
    for n in (2, 4, 8, 16):
        if n > transform_support(q).max_n_dgt:
            with pytest.raises(ValueError, match="carries DGTs"):
                dgt.twist_root(n, q)
            continue
        h = dgt.twist_root(n, q)
        assert dgt.power(h, n // 2, q) == (0, 1)
        assert dgt.power(h, n, q) == (q - 1, 0)
        a, b = some(n, q, 4), some(n, q, 5)
        assert dgt.inverse(dgt.forward(a, q), q) == a
        assert dgt.product(a, b, q) == flint_product(a, b, q, "negacyclic")


def test_dgt_root_is_the_smallest_for_a_gaussian_prime():
    q, n = 31, 8
    roots = [(x, y) for x in range(q) for y in range(q) if dgt.power((x, y), n // 2, q) == (0, 1)]
    assert len(roots) == n // 2
    assert dgt.twist_root(n, q) == min(roots)
