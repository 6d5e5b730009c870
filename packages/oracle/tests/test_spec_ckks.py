# SPDX-License-Identifier: Apache-2.0
"""The textbook CKKS scheme: what it computes, its levels and scales."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from draws import Draw

from nttforge.spec.fast import negacyclic_product
from nttforge_oracle import ckks
from nttforge_oracle.double_double import Pair
from nttforge_oracle.number_theory import ntt_primes
from nttforge_oracle.slots import automorphism

N = 16
PRIMES = ntt_primes(N, 40, 4)
SPECIAL = tuple(ntt_primes(N, 50, 2))
MODULI = (ntt_primes(N, 52, 1)[0], *PRIMES)


class Setup:
    def __init__(self, primes: int = 1, seed: int = 1) -> None:
        self.scheme, self.draw = ckks.Scheme(N, MODULI, Pair(2.0**40)), Draw(seed, N)
        self.special, self.primes = SPECIAL[:primes], primes
        self.q = self.scheme.modulus(self.scheme.top)
        self.secret = self.draw.ternary()
        self.public = self.scheme.public_key(
            self.secret, self.draw.below(self.q), self.draw.error()
        )
        self.rng = random.Random(seed)

    def values(self, slots: int = N // 2) -> list[complex]:
        """Below 1 in magnitude."""
        parts = [self.rng.uniform(-0.7, 0.7) for _ in range(2 * slots)]
        return [complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]

    def encrypt(self, values: list[complex]) -> ckks.Ciphertext:
        masks = self.draw.ternary(), self.draw.error(), self.draw.error()
        return self.scheme.encrypt(self.public, values, *masks)

    def key(self, other: list[int]) -> ckks.SwitchKey:
        p = 1
        for prime in self.special:
            p *= prime
        digits = -(-len(MODULI) // self.primes)
        a = [self.draw.below(self.q * p) for _ in range(digits)]
        errors = [self.draw.error() for _ in range(digits)]
        return self.scheme.switch_key(self.secret, other, p, a, errors, self.primes)

    def error(self, x: ckks.Ciphertext, wanted: list[complex]) -> float:
        found = self.scheme.decrypt(self.secret, x, len(wanted))
        return max(abs(a - b) for a, b in zip(found, wanted, strict=True))


def test_fresh_ciphertexts_and_plain_operands() -> None:
    setup = Setup()
    scheme, z, w = setup.scheme, setup.values(), setup.values()
    x = setup.encrypt(z)
    assert setup.error(x, z) < 2.0**-28
    y = scheme.encrypt_symmetric(setup.secret, z, setup.draw.below(setup.q), setup.draw.error())
    assert setup.error(y, z) < 2.0**-32
    assert (
        setup.error(scheme.add_plain(x, w), [a + b for a, b in zip(z, w, strict=True)]) < 2.0**-28
    )
    product = scheme.rescale(scheme.multiply_plain(x, w))
    assert product.scale == scheme.scale_of(product.level)
    assert setup.error(product, [a * b for a, b in zip(z, w, strict=True)]) < 2.0**-27
    assert setup.error(scheme.multiply_integer(x, -3), [-3 * a for a in z]) < 2.0**-26
    assert setup.error(scheme.multiply_by_i(x), [1j * a for a in z]) < 2.0**-28
    few = setup.values(2)
    assert setup.error(setup.encrypt(few), few) < 2.0**-28


@pytest.mark.parametrize("primes", [1, 2])
def test_products_to_the_lowest_level(primes: int) -> None:
    setup = Setup(primes)
    scheme, z = setup.scheme, setup.values()
    relinearization = setup.key(negacyclic_product(setup.secret, setup.secret))
    x, wanted = setup.encrypt(z), list(z)
    while x.level > 1:
        x = scheme.multiply(x, x)
        assert setup.error(x, [a * a for a in wanted]) < 2.0**-24
        x = scheme.relinearize(x, setup.special, relinearization, primes)
        x = scheme.rescale(x)
        wanted = [a * a for a in wanted]
        assert x.scale == scheme.scale_of(x.level)
        assert setup.error(x, wanted) < 2.0**-22
    assert abs(float(ckks.exact(x.scale)) / 2.0**40 - 1) < 2.0**-10


@pytest.mark.parametrize("primes", [1, 2])
def test_rotations_and_conjugates(primes: int) -> None:
    setup = Setup(primes)
    scheme, z = setup.scheme, setup.values()
    x = setup.encrypt(z)
    for step in (1, 3, -2, 0):
        element = scheme.rotation_element(step)
        key = setup.key(automorphism(setup.secret, element))
        rotated = scheme.apply_automorphism(x, element, setup.special, key, primes)
        wanted = [z[(i + step) % len(z)] for i in range(len(z))]
        assert setup.error(rotated, wanted) < 2.0**-27
    key = setup.key(automorphism(setup.secret, 2 * N - 1))
    conjugate = scheme.apply_automorphism(x, 2 * N - 1, setup.special, key, primes)
    assert setup.error(conjugate, [a.conjugate() for a in z]) < 2.0**-27


def test_operands_of_other_levels_are_aligned() -> None:
    """x^3 + y with no call but products and sums (SEAL issues 300, 659, 351)."""
    setup = Setup()
    scheme = setup.scheme
    relinearization = setup.key(negacyclic_product(setup.secret, setup.secret))

    def times(a: ckks.Ciphertext, b: ckks.Ciphertext) -> ckks.Ciphertext:
        product = scheme.multiply(a, b)
        return scheme.rescale(scheme.relinearize(product, setup.special, relinearization))

    x, y = setup.encrypt([2] * (N // 2)), setup.encrypt([12] * (N // 2))
    total = scheme.add(times(times(x, x), x), y)
    assert setup.error(total, [20] * (N // 2)) < 1e-5
    for level in range(1, scheme.top):
        lower = scheme.to_level(x, level)
        assert lower.scale == scheme.scale_of(level)
        assert setup.error(lower, [2] * (N // 2)) < 2.0**-26


def test_scales_stay_exact() -> None:
    scheme = ckks.Scheme(N, MODULI, Pair(2.0**40))
    for level in range(1, scheme.top):
        above, here = (ckks.exact(scheme.scale_of(k)) for k in (level + 1, level))
        assert abs(above * above / MODULI[level] / here - 1) < Fraction(1, 2**104)
