# SPDX-License-Identifier: Apache-2.0
"""Primes, roots and support of transforms, against the definitions."""

from __future__ import annotations

import pytest
from flint import fmpz

import nttforge

GOLDILOCKS = 2**64 - 2**32 + 1


def test_is_prime_against_flint() -> None:
    values = [
        *range(2000),
        *(2**64 - k for k in range(1, 300)),
        *(2**61 - 1, 3215031751, GOLDILOCKS),
    ]
    values += [341, 561, 3825123056546413051, 318665857834031151167461 % 2**64]
    assert [v for v in values if nttforge.is_prime(v) != bool(fmpz(v).is_prime())] == []


@pytest.mark.parametrize(
    "value", [1, 2, 12, 2**32 - 1, 2**61 - 1, (2**31 - 1) * (2**31 - 19), 2**63]
)
def test_prime_factors(value: int) -> None:
    assert nttforge.prime_factors(value) == sorted(int(p) for p, _ in fmpz(value).factor())


@pytest.mark.parametrize(
    ("n", "bits", "count"), [(1, 10, 3), (1024, 30, 4), (4096, 50, 3), (2**16, 62, 2)]
)
def test_ntt_primes_are_the_largest(n: int, bits: int, count: int) -> None:
    found = nttforge.ntt_primes(n, bits, count)
    start = (2**bits - 1) // (2 * n) * 2 * n + 1
    candidates = (q for q in range(start, 2 ** (bits - 1), -2 * n) if q < 2**bits)
    want = []
    for q in candidates:
        if fmpz(q).is_prime():
            want.append(q)
        if len(want) == count:
            break
    assert found == want


def test_ntt_primes_leaves_out() -> None:
    a, b, c = nttforge.ntt_primes(1024, 40, 3)
    assert nttforge.ntt_primes(1024, 40, 2, exclude=[b]) == [a, c]


@pytest.mark.parametrize("bits", [5, 16, 30, 52])
def test_generalised_mersenne_primes(bits: int) -> None:
    want = set()
    for i in range(2, bits + 1):
        for j in range(1, i):
            for sj in (1, -1):
                for s0 in (1, -1):
                    v = 2**i + sj * 2**j + s0
                    if v > 1 and v.bit_length() == bits and fmpz(v).is_prime():
                        want.add(v)
    found = nttforge.generalised_mersenne_primes(bits)
    assert [p.value for p in found] == sorted(want, reverse=True)
    for p in found:
        assert p.value == 2**p.i + p.sign_j * 2**p.j + p.sign_0
        sign = {1: "+", -1: "-"}
        assert str(p) == f"2^{p.i} {sign[p.sign_j]} 2^{p.j} {sign[p.sign_0]} 1"


@pytest.mark.parametrize(("order", "q"), [(2, 5), (16, 17), (256, 7681), (8192, 1073692673)])
def test_smallest_root(order: int, q: int) -> None:
    root = nttforge.smallest_root_of_unity(order, q)
    assert pow(root, order // 2, q) == q - 1
    powers = {pow(root, k, q) for k in range(1, order, 2)}
    assert root == min(powers)


def test_smallest_root_of_goldilocks() -> None:
    root = nttforge.smallest_root_of_unity(2**10, GOLDILOCKS)
    assert root == min(pow(root, k, GOLDILOCKS) for k in range(1, 2**10, 2))


def test_smallest_primitive_root() -> None:
    for q in (3, 17, 257, 7681, 65537):
        g = nttforge.smallest_primitive_root(q)
        orders = [
            all(pow(x, (q - 1) // p, q) != 1 for p in nttforge.prime_factors(q - 1))
            for x in range(2, g + 1)
        ]
        assert orders.index(True) == g - 2


@pytest.mark.parametrize(
    ("q", "negacyclic", "cyclic"),
    [(2**52 - 2**12 + 1, 2048, 4096), (GOLDILOCKS, 2**31, 2**32), (2**31 - 1, 1, 2), (15, 0, 0)],
)
def test_transform_support(q: int, negacyclic: int, cyclic: int) -> None:
    s = nttforge.transform_support(q)
    assert (s.max_n_negacyclic, s.max_n_cyclic) == (negacyclic, cyclic)
    assert s.prime == bool(fmpz(q).is_prime()) and str(q) in s.explanation


def test_mersenne_forms_of_yang2022_carry_only_a_dgt() -> None:
    s = nttforge.transform_support(2**31 - 1)
    assert s.max_n_negacyclic == 1 and s.max_n_dgt == 2**31


BAD = [
    (lambda: nttforge.is_prime(-1), "ParameterError", ["value = -1", "[0, 2^64 - 1]"]),
    (lambda: nttforge.is_prime(2**64), "ParameterError", ["value = 18446744073709551616"]),
    (lambda: nttforge.is_prime(7.0), "ArgumentTypeError", ["value = 7.0", "need an integer"]),
    (lambda: nttforge.prime_factors(0), "ParameterError", ["value = 0", "[1,"]),
    (lambda: nttforge.ntt_primes(4096, 63), "ParameterError", ["bits = 63", "[2, 62]"]),
    (lambda: nttforge.ntt_primes(1000, 30), "ParameterError", ["n", "1000", "power of two"]),
    (
        lambda: nttforge.ntt_primes(4096, 14, 5),
        "ParameterError",
        ["count = 5", "14 bits", "8192", "bits = 20 has enough", "n = 256 has enough"],
    ),
    (lambda: nttforge.ntt_primes(8, 20, 1, exclude=3), "ArgumentTypeError", ["exclude = 3"]),
    (lambda: nttforge.generalised_mersenne_primes(1), "ParameterError", ["bits = 1", "[2, 62]"]),
    (lambda: nttforge.smallest_root_of_unity(128, 97), "ParameterError", ["97", "128"]),
    (lambda: nttforge.smallest_root_of_unity(4, 15), "ParameterError", ["15", "prime"]),
    (lambda: nttforge.smallest_root_of_unity(3, 17), "ParameterError", ["order", "3"]),
    (lambda: nttforge.smallest_primitive_root(21), "ParameterError", ["21", "prime"]),
    (lambda: nttforge.transform_support(1), "ParameterError", ["q = 1", "[2,"]),
]


@pytest.mark.parametrize(("call", "error", "parts"), BAD)
def test_bad_input(call: object, error: str, parts: list[str]) -> None:
    with pytest.raises(getattr(nttforge, error)) as caught:
        call()  # type: ignore[operator]
    for part in parts:
        assert part in str(caught.value)
