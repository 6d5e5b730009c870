# SPDX-License-Identifier: Apache-2.0
"""Predicted noise of BGV never says more than there is; the rule; the recommended chains."""

import cmath
import math
import random
from dataclasses import replace

import pytest

from nttforge.spec.fast import negacyclic_product
from nttforge.spec.number_theory import is_prime
from nttforge_oracle import slots
from nttforge_oracle.bgv import Scheme, balance
from nttforge_oracle.bgv_noise import NOISE_STEP, UNKNOWN, Noise, NoiseModel
from nttforge_oracle.bgv_presets import GUIDELINES_2024, preset
from nttforge_oracle.gaussian import SIGMA_3_2, SIGMA_8_BOUND_48
from nttforge_oracle.number_theory import ntt_primes
from nttforge_oracle.secrets import BINARY, Secret
from nttforge_oracle.seeded_bgv import SeededBgv


class Circuit:
    """A random parameter set with keys; every result is compared with its prediction."""

    def __init__(self, seed):
        self.random = draw = random.Random(seed)
        n = self.n = draw.choice([32, 64, 128])
        t = self.t = draw.choice([2, 3, 256, 257, 65537, 2**31 - 1, 2**59 - 55])
        low = max(20, min(40, t.bit_length() - 5))
        sizes = [draw.randint(low, min(60, low + 20)) for _ in range(draw.randint(2, 5))]
        primes = []
        specials = draw.choice([1, 1, 2, 3])
        for bits in [*sizes, *(min(60, max(sizes) + draw.randint(-10, 5)),) * specials]:
            primes += ntt_primes(n, bits, 1, [*primes, t])
        q, special = primes[:-specials], tuple(primes[-specials:])
        digit_primes = min(specials, len(q))
        self.has_keys = draw.random() < 0.8
        distribution = draw.choice([Secret(), Secret(), BINARY, Secret("sparse", n // 4)])
        error = draw.choice([SIGMA_3_2, SIGMA_8_BOUND_48])
        self.scheme = scheme = Scheme(n, tuple(q), t)
        if not self.has_keys:
            special, digit_primes = (), 1
        self.keys = SeededBgv(scheme, special, distribution, error, digit_primes)
        self.model = NoiseModel(n, q, t, special, distribution, float(error.sigma), digit_primes)
        seed = draw.randbytes(32)
        self.secret = self.keys.secret(seed)
        if self.has_keys:
            self.public = self.keys.public_key(seed, self.secret)
            self.relinearization = self.keys.relinearization_key(seed, self.secret)
            self.galois = self.keys.galois_key(seed, self.secret, 3)
        else:
            # The oracle makes public keys modulo Q p: the last prime stands in for p.
            lower = replace(scheme, moduli=tuple(q[:-1]))
            upper = replace(self.keys, scheme=lower, special=(q[-1],))
            self.public = upper.public_key(seed, self.secret)
        self.margins = []
        self.pool = []
        for i in range(3):
            m = self.message()
            x = self.keys.encrypt(self.public, m, seed, i)
            self.take(x, self.model.fresh_public(), m)
        m = self.message()
        x = self.keys.encrypt_symmetric(self.secret, m, seed, 9)
        self.take(x, self.model.fresh_secret(), m)

    def message(self):
        t, kind = self.t, self.random.random()
        if kind < 0.2:
            return [self.random.choice([t // 2, (t + 1) // 2])] * self.n
        return [self.random.randrange(t) for _ in range(self.n)]

    def take(self, x, noise, m):
        """Compares with what there is; what still decrypts is computed with again."""
        noise = noise.rounded()
        predicted = self.model.budget_bits(noise, x.level)
        if predicted <= 0:
            return
        margin = self.scheme.noise_budget_bits(self.secret, x) - predicted
        assert margin >= 0
        phase = self.scheme.phase(self.secret, x)
        root = cmath.exp(1j * math.pi * (2 * self.random.randrange(self.n) + 1) / self.n)
        value = abs(sum(c * root**i for i, c in enumerate(phase)))
        assert value <= 2**noise.canonical
        assert self.scheme.decrypt(self.secret, x) == m
        self.margins.append(margin)
        self.pool.append((x, noise, m))

    def step(self):
        """One operation on operands that are there."""
        draw, scheme, model, t = self.random, self.scheme, self.model, self.t
        x, nx, mx = draw.choice(self.pool)
        y, ny, my = draw.choice([entry for entry in self.pool if len(entry[0].parts) == 2])
        m = self.message()
        if len(x.parts) == 3:
            if self.has_keys and draw.random() < 0.5:
                z = self.keys.relinearize(x, self.relinearization)
                self.take(z, model.key_switch(nx, x.level), mx)
            elif x.level > 1:
                self.take(scheme.switch_modulus(x), model.switch_modulus(nx, x.level, 3), mx)
            return
        match draw.randrange(6 if self.has_keys else 5):
            case 0:
                level = min(x.level, y.level)
                a, b = (scheme.to_level(z, level) for z in (x, y))
                f, g = balance(a.factor, b.factor, t) if a.factor != b.factor else (1, 1)
                na, nb = (model.to_level(nx, x.level, level), model.to_level(ny, y.level, level))
                total = [(u + v) % t for u, v in zip(mx, my, strict=True)]
                self.take(scheme.add(x, y), model.add(na, nb, f, g), total)
            case 1:
                total = [(u + v) % t for u, v in zip(mx, m, strict=True)]
                self.take(scheme.add_plain(x, m), model.add_plain(nx), total)
            case 2:
                norm = sum(map(abs, scheme.lift(m)))
                product = negacyclic_product(mx, m, t)
                self.take(scheme.multiply_plain(x, m), model.multiply_plain(nx, norm), product)
            case 3 | 4:
                level, na, nb = model.product_level(nx, x.level, ny, y.level)
                z = scheme.multiply(scheme.to_level(x, level), scheme.to_level(y, level))
                self.take(z, model.multiply(na, nb), negacyclic_product(mx, my, t))
            case 5:
                z = self.keys.apply_galois(x, 3, self.galois)
                self.take(z, model.key_switch(nx, x.level), slots.automorphism(mx, 3, t))


@pytest.mark.parametrize("seed", range(20))
def test_random_circuits_have_at_least_the_predicted_budget(seed):
    circuit = Circuit(seed)
    for _ in range(12):
        circuit.step()
    assert len(circuit.margins) >= 4
    assert min(circuit.margins) < 3  # the prediction is not idle either


def test_a_preset_keeps_its_promise():
    """The chain's levels, with its own primes, at a dimension that is quick."""
    n, t = 128, 65537
    model = preset(8192, t, 214)
    scheme = Scheme(n, model.moduli, t)
    keys, seed = SeededBgv(scheme, model.special), bytes(range(32))
    secret = keys.secret(seed)
    relinearization = keys.relinearization_key(seed, secret)
    galois = keys.galois_key(seed, secret, 3)
    prediction = NoiseModel(n, model.moduli, t, model.special)
    m = [i * i % t for i in range(n)]
    x = keys.encrypt(keys.public_key(seed, secret), m, seed, 0)
    noise, level, expected = prediction.fresh_public().rounded(), x.level, m
    for _ in range(model.depth):
        operand = keys.apply_galois(scheme.add_plain(scheme.add(x, x), m), 3, galois)
        doubled = [(2 * a + b) % t for a, b in zip(expected, m, strict=True)]
        expected = slots.automorphism(doubled, 3, t)
        expected = negacyclic_product(expected, expected, t)
        noise, level = prediction.next_level(noise, level)
        operand = scheme.to_level(operand, level)
        x = keys.relinearize(scheme.multiply(operand, operand), relinearization)
        assert scheme.noise_budget_bits(secret, x) >= prediction.budget_bits(noise, level) > 0
        assert scheme.decrypt(secret, x) == expected
    assert level < scheme.top


def test_the_rule():
    chain = preset(8192, 65537, 214)
    model = NoiseModel(8192, chain.moduli, 65537, chain.special)
    fresh = model.fresh_public()
    assert model.product_level(fresh, model.top, fresh, model.top)[0] == model.top
    # A fresh factor follows one that has noise to divide.
    noisy = fresh.times(40.0)
    level, a, b = model.product_level(noisy, model.top, fresh, model.top)
    here = model.product_budget(noisy.rounded(), fresh.rounded(), model.top)
    assert model.product_budget(a, b, level) >= here
    very = fresh.times(75.0)
    level, a, b = model.product_level(very, model.top, very, model.top)
    assert level == model.top - 2
    assert a == b == model.to_level(very, model.top, level)
    assert model.product_level(very, 4, fresh, 2)[0] <= 2
    assert model.product_level(UNKNOWN, 3, very, 5) == (3, UNKNOWN, model.to_level(very, 5, 3))
    assert model.product_level(fresh, 1, fresh, 1)[0] == 1


def test_the_rule_is_at_least_as_good_as_any_level_above():
    chain = preset(16384, 2**32 - 5, 430)
    model = NoiseModel(16384, chain.moduli, 2**32 - 5, chain.special)
    for extra in range(0, 200, 7):
        noisy = model.fresh_public().times(float(extra))
        level, a, b = model.product_level(noisy, model.top, noisy, model.top)
        best = model.product_budget(a, b, level)
        for other in range(1, model.top + 1):
            c = model.to_level(noisy, model.top, other)
            assert model.product_budget(c, c, other) <= best + 4 * NOISE_STEP


def test_unknown_stays_unknown_and_rounding_goes_up():
    model = NoiseModel(64, (12289, 40961), 17, (65537,))
    known = model.fresh_secret()
    for noise in (
        model.add(known, UNKNOWN),
        model.multiply(UNKNOWN, known),
        model.key_switch(UNKNOWN, 2),
        model.switch_modulus(UNKNOWN, 2),
        model.add_plain(UNKNOWN),
        UNKNOWN.rounded(),
    ):
        assert not noise.known
    assert Noise(1.0, 2.0).rounded() == Noise(1.0, 2.0)
    rounded = known.rounded()
    assert 0 <= rounded.coefficient - known.coefficient < NOISE_STEP
    assert 0 <= rounded.canonical - known.canonical < NOISE_STEP


@pytest.mark.parametrize(
    ("n", "t", "depth"), [(4096, 65537, 1), (8192, 65537, 4), (16384, 65537, 9), (8192, 257, 5)]
)
def test_presets(n, t, depth):
    chain = preset(n, t, GUIDELINES_2024[n])
    primes = [*chain.moduli, *chain.special]
    assert chain.depth == depth
    assert chain.left > 0
    assert math.prod(primes).bit_length() <= GUIDELINES_2024[n]
    assert len(set(primes)) == len(primes)
    assert all(is_prime(q) and q % (2 * n) == 1 and q < 2**50 and q != t for q in primes)


def test_presets_without_special_prime():
    assert [preset(n, 2, GUIDELINES_2024[n]).depth for n in (1024, 2048)] == [0, 1]
    assert preset(2048, 65537, 53).special == ()
    with pytest.raises(ValueError, match="t = 65537 is too large for n = 1024 and 26 bits"):
        preset(1024, 65537, 26)
