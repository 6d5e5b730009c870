# SPDX-License-Identifier: Apache-2.0
"""The textbook BGV scheme, its levels and correction factors, and its words from seeds."""

from math import gcd, prod

import pytest
from draws import ERROR, Draw

from nttforge.spec.fast import negacyclic_product
from nttforge.spec.transform import polynomial_product
from nttforge_oracle import bgv, slots
from nttforge_oracle.number_theory import ntt_primes
from nttforge_oracle.rns import centred
from nttforge_oracle.secrets import BINARY, Secret
from nttforge_oracle.seeded_bgv import SeededBgv

N = 16
PRIMES = ntt_primes(N, 40, 5)
MODULI, SPECIAL = tuple(PRIMES[:4]), PRIMES[4]
MESSAGES = [2, 97, 255, 65537]


class Setup:
    def __init__(self, t, seed=1):
        self.scheme, self.draw = bgv.Scheme(N, MODULI, t), Draw(seed, N)
        self.q = self.scheme.modulus(self.scheme.top)
        self.secret = self.draw.ternary()
        a = self.draw.below(self.q * SPECIAL)
        self.public = self.scheme.public_key(self.secret, a, self.draw.error(), self.q * SPECIAL)

    def encrypt(self, m):
        masks = self.draw.ternary(), self.draw.error(), self.draw.error()
        return self.scheme.encrypt_with_special_primes(self.public, (SPECIAL,), m, *masks)

    def switch_key(self, other):
        a = [self.draw.below(self.q * SPECIAL) for _ in MODULI]
        errors = [self.draw.error() for _ in MODULI]
        return self.scheme.switch_key(self.secret, other, SPECIAL, a, errors)


@pytest.mark.parametrize("t", [2, 3, 8, 97])
def test_divide(t):
    for d in (5, 7, 101):
        for x in range(-3 * d, 3 * d):
            y = bgv.divide(x, d, t)
            assert (d * y - x) % t == 0
            assert abs(x - d * y) * 2 <= t * d


@pytest.mark.parametrize("t", [2, 9, 97, 256, 65537])
def test_balance(t):
    """The scalars do what they say, and are as short as a lattice of determinant t has them."""
    units = [a for a in range(1, min(t, 300)) if gcd(a, t) == 1]
    for a in units[:20]:
        for b in units[-20:]:
            f, g = bgv.balance(a, b, t)
            assert (f * a - g * b) % t == 0
            assert gcd(f, t) == gcd(g, t) == 1
            if t == 65537:
                assert abs(f) + abs(g) < 4 * t**0.5


@pytest.mark.parametrize("t", MESSAGES)
def test_fresh_ciphertexts(t):
    setup = Setup(t)
    scheme, draw = setup.scheme, setup.draw
    m = draw.below(t)
    x = setup.encrypt(m)
    assert scheme.decrypt(setup.secret, x) == m
    # The mask's noise is divided by p; rounding to multiples of t leaves t / 2 (1 + N).
    assert scheme.noise(setup.secret, x) <= t * (N + 2)
    y = scheme.encrypt_symmetric(setup.secret, m, draw.below(setup.q), draw.error())
    assert scheme.decrypt(setup.secret, y) == m
    assert scheme.noise(setup.secret, y) <= t * (ERROR + 1)
    public = scheme.public_key(setup.secret, draw.below(setup.q), draw.error())
    z = scheme.encrypt(public, m, draw.ternary(), draw.error(), draw.error())
    assert scheme.decrypt(setup.secret, z) == m
    assert scheme.noise(setup.secret, z) <= t * (ERROR * (2 * N + 1) + 1)


def test_decryption_turns_wrong_at_half_of_q():
    scheme = Setup(97).scheme
    half = scheme.modulus(2) // 2
    for phase, exact in ((half, True), (half + 1, False), (-half, True), (-half - 1, False)):
        x = bgv.Ciphertext([[phase % scheme.modulus(2)] + [0] * (N - 1), [0] * N], 2)
        assert (scheme.decrypt([0] * N, x)[0] == phase % 97) is exact


@pytest.mark.parametrize("t", MESSAGES)
def test_every_level(t):
    """Products, key switching and sums at each level, with one key for all of them."""
    setup = Setup(t)
    scheme, secret, draw = setup.scheme, setup.secret, setup.draw
    m0, m1 = draw.below(t), draw.below(t)
    m01 = polynomial_product(m0, m1, t)
    key = setup.switch_key(negacyclic_product(secret, secret))
    x, y = setup.encrypt(m0), setup.encrypt(m1)
    for level in range(len(MODULI), 1, -1):
        x, y = scheme.to_level(x, level), scheme.to_level(y, level)
        assert x.level == level
        product = scheme.multiply(x, y)
        assert len(product.parts) == 3
        assert scheme.decrypt(secret, product) == m01
        c0, c1, c2 = product.parts
        d0, d1 = scheme.switch(c2, level, (SPECIAL,), key)
        q = scheme.modulus(level)
        parts = [[(a + b) % q for a, b in zip(*pair, strict=True)] for pair in ((c0, d0), (c1, d1))]
        relinearized = bgv.Ciphertext(parts, level, product.factor)
        assert scheme.decrypt(secret, relinearized) == m01
        added = scheme.noise(secret, relinearized) - scheme.noise(secret, product)
        assert added <= t * (level * N * ERROR * max(MODULI) // SPECIAL + N + 2)
        lower = scheme.switch_modulus(relinearized)
        assert scheme.decrypt(secret, lower) == m01
        total = scheme.add(lower, x)
        assert scheme.decrypt(secret, total) == [(a + b) % t for a, b in zip(m01, m0, strict=True)]
        assert scheme.decrypt(secret, scheme.add_plain(lower, m1)) == [
            (a + b) % t for a, b in zip(m01, m1, strict=True)
        ]
        assert scheme.decrypt(secret, scheme.multiply_plain(lower, m1)) == polynomial_product(
            m01, m1, t
        )


def test_switching_the_modulus_divides_the_noise():
    setup = Setup(97)
    scheme, secret = setup.scheme, setup.secret
    product = scheme.multiply(setup.encrypt([1] * N), setup.encrypt([2] * N))
    noise = scheme.noise(secret, product)
    square = negacyclic_product(secret, secret)
    weight = 1 + sum(map(abs, secret)) + sum(map(abs, square))
    lower = scheme.switch_modulus(product)
    assert lower.factor == pow(MODULI[-1], -1, 97)
    assert scheme.noise(secret, lower) <= noise // MODULI[-1] + 97 * weight // 2 + 1


@pytest.mark.parametrize("distribution", [Secret(), BINARY, Secret("sparse", 5)])
@pytest.mark.parametrize(("specials", "digit_primes"), [(1, 1), (2, 2), (3, 3), (3, 2)])
def test_words_from_seeds(distribution, specials, digit_primes):
    """The seeded scheme is the textbook one: every result decrypts, at two levels."""
    t = 97
    special = tuple(ntt_primes(N, 50, specials, MODULI))
    seeded = SeededBgv(bgv.Scheme(N, MODULI, t), special, distribution, digit_primes=digit_primes)
    scheme, seed, draw = seeded.scheme, bytes(range(32)), Draw(3, N)
    secret = seeded.secret(seed)
    assert set(secret) <= ({0, 1} if distribution == BINARY else {-1, 0, 1})
    assert distribution.weight in (0, sum(map(abs, secret)))
    public = seeded.public_key(seed, secret)
    modulus = scheme.modulus(4) * prod(special)
    masked = negacyclic_product(public[1], secret)
    errors = [centred(b + c, modulus) for b, c in zip(public[0], masked, strict=True)]
    assert all(e % t == 0 and abs(e) <= 20 * t for e in errors)
    m0, m1 = draw.below(t), draw.below(t)
    x = seeded.encrypt(public, m0, seed, 0)
    y = seeded.encrypt_symmetric(secret, m1, seed, 1)
    for level in (4, 3, 2):
        x, y = scheme.to_level(x, level), scheme.to_level(y, level)
        product = seeded.relinearize(
            scheme.multiply(x, y), seeded.relinearization_key(seed, secret)
        )
        assert scheme.decrypt(secret, product) == polynomial_product(m0, m1, t)
        element = slots.rotation_element(1, N)
        image = seeded.apply_galois(x, element, seeded.galois_key(seed, secret, element))
        assert scheme.decrypt(secret, image) == slots.automorphism(m0, element, t)
