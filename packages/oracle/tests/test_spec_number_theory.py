# SPDX-License-Identifier: Apache-2.0
"""The oracle's number theory against FLINT and against counting."""

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nttforge.spec.number_theory import GOLDILOCKS, is_prime, smallest_root_of_unity
from nttforge_oracle import number_theory as nt


def flint_order(x: int, q: int) -> int:
    """Multiplicative order from FLINT's factorisation of q - 1."""
    order = q - 1
    for p, _ in flint.fmpz(q - 1).factor():
        while order % int(p) == 0 and pow(x, order // int(p), q) == 1:
            order //= int(p)
    return order


def test_is_prime_counts_below_20000():
    sieve = [True] * 20000
    sieve[0] = sieve[1] = False
    for i in range(2, 142):
        if sieve[i]:
            sieve[i * i :: i] = [False] * len(sieve[i * i :: i])
    assert [is_prime(v) for v in range(20000)] == sieve


@given(st.integers(0, 2**64 - 1))
def test_is_prime_agrees_with_flint(value):
    assert is_prime(value) == flint.fmpz(value).is_prime()


@given(st.integers(2, 2**32 - 1))
def test_product_of_two_numbers_is_never_prime(value):
    assert not is_prime(value * (value | 1))


@pytest.mark.parametrize(
    "value", [2047, 1373653, 3215031751, 3825123056546413051, 318665857834031151167460]
)
def test_strong_pseudoprimes(value):
    assert not is_prime(value)


def test_is_prime_refuses_what_it_cannot_prove():
    with pytest.raises(ValueError, match="too large"):
        is_prime(318665857834031151167461)


@given(st.integers(1, 2**50))
def test_prime_factors_agree_with_flint(value):
    assert nt.prime_factors(value) == sorted(int(p) for p, _ in flint.fmpz(value).factor())


@pytest.mark.parametrize("value", [(2**31 - 1) * (2**31 - 19), (2**31 - 1) ** 2, 2**62, 1009**3])
def test_prime_factors_of_hard_values(value):
    assert nt.prime_factors(value) == sorted(int(p) for p, _ in flint.fmpz(value).factor())


def test_smallest_roots_by_exhaustion():
    for q in [p for p in range(2, 300) if is_prime(p)]:
        orders = {x: flint_order(x, q) for x in range(1, q)}
        assert nt.smallest_primitive_root(q) == min(x for x in orders if orders[x] == q - 1)
        order = 1
        while (q - 1) % order == 0:
            expected = min(x for x in orders if orders[x] == order)
            assert smallest_root_of_unity(order, q) == expected
            order *= 2


@pytest.mark.parametrize(
    "q", [nt.ntt_primes(2048, 50, 1)[0], nt.ntt_primes(2048, 62, 1)[0], GOLDILOCKS]
)
def test_roots_of_large_primes(q):
    g = nt.smallest_primitive_root(q)
    assert flint_order(g, q) == q - 1
    assert all(flint_order(x, q) < q - 1 for x in range(1, g))
    for order in (2, 64, 4096):
        root = smallest_root_of_unity(order, q)
        assert flint_order(root, q) == order
        # All roots of this order, by another way: powers of g.
        step = pow(g, (q - 1) // order, q)
        roots = [1]
        for _ in range(order - 1):
            roots.append(roots[-1] * step % q)
        assert root == min(roots[1::2])


@pytest.mark.parametrize(
    ("order", "q", "message"),
    [(3, 7, "power of two"), (4, 15, "not prime"), (8, 13, r"q = 1 \(mod 8\), not 5")],
)
def test_smallest_root_errors(order, q, message):
    with pytest.raises(ValueError, match=message):
        smallest_root_of_unity(order, q)


def test_ntt_primes_are_all_there_are():
    for n, bits in ((1, 6), (4, 8), (8, 10), (64, 14)):
        expected = [
            q
            for q in range(2**bits - 1, 2 ** (bits - 1) - 1, -1)
            if q % (2 * n) == 1 and flint.fmpz(q).is_prime()
        ]
        assert nt.ntt_primes(n, bits, len(expected)) == expected
        assert nt.ntt_primes(n, bits, len(expected) - 1, expected[:1]) == expected[1:]
        with pytest.raises(ValueError, match=f"^{len(expected)} primes of {bits} bits"):
            nt.ntt_primes(n, bits, len(expected) + 1)


@pytest.mark.parametrize(
    ("n", "bits", "message"),
    [(3, 30, "n = 3"), (0, 30, "n = 0"), (8, 63, "bits = 63"), (8, 1, "bits = 1")],
)
def test_ntt_primes_errors(n, bits, message):
    with pytest.raises(ValueError, match=message):
        nt.ntt_primes(n, bits, 1)


def test_generalised_mersenne_primes_by_exhaustion():
    for bits in range(2, 13):
        forms = {
            2**i + a * 2**j + b
            for i in range(1, 20)
            for j in range(1, i)
            for a in (1, -1)
            for b in (1, -1)
        }
        expected = [v for v in forms if v.bit_length() == bits and flint.fmpz(v).is_prime()]
        found = nt.generalised_mersenne_primes(bits)
        assert [p.value for p in found] == sorted(expected, reverse=True)
        for p in found:
            assert p.value == 2**p.i + p.sign_j * 2**p.j + p.sign_0
            assert p.i <= bits
            assert eval(p.text().replace("^", "**")) == p.value


def test_transform_support_by_exhaustion():
    """Largest n found by looking for the roots themselves, in Z_q and in Z_q[i]."""
    for q in (2, 3, 5, 7, 17, 23, 31, 97):
        orders = {flint_order(x, q) for x in range(1, q)}
        negacyclic = max((n for n in (1, 2, 4, 8, 16, 32, 64) if 2 * n in orders), default=0)
        cyclic = max((n for n in (1, 2, 4, 8, 16, 32, 64) if n in orders), default=0)
        support = nt.transform_support(q)
        assert (support.max_n_negacyclic, support.max_n_cyclic) == (negacyclic, cyclic)
        if q > 2:
            assert support.max_n_dgt == largest_dgt(q)
    assert nt.transform_support(91) == nt.TransformSupport(91, False, 0, 0, 0)


def largest_dgt(q: int) -> int:
    """Largest n with an h in Z_q[i], h^(n/2) = i, by repeated square roots of i."""
    squares: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for x in range(q):
        for y in range(q):
            squares.setdefault(((x * x - y * y) % q, 2 * x * y % q), []).append((x, y))
    level, n = {(0, 1)}, 2
    while level := {root for value in level for root in squares.get(value, [])}:
        n *= 2
    return n


def test_yan22_table_3():
    """Five of the eight moduli have no transform beyond n = 2; every one carries a DGT."""
    table = nt.yan22_table_3()
    assert len(table) == 8
    assert all(s.prime and flint.fmpz(s.q).is_prime() for s in table)
    without = [s for s, (_, _, _, s0) in zip(table, nt.YAN22_TABLE_3, strict=True) if s0 == -1]
    assert len(without) == 5
    assert all(s.q % 4 == 3 and s.max_n_cyclic == 2 and s.max_n_negacyclic == 1 for s in without)
    assert all(s.max_n_dgt >= 512 for s in table)
    assert nt.transform_support(2**52 - 2**12 + 1).max_n_negacyclic == 2**11
