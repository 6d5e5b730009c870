# SPDX-License-Identifier: Apache-2.0
"""The textbook scheme, slots and automorphisms."""

from fractions import Fraction
from math import prod

import flint
import pytest
from draws import ERROR, Draw

from nttforge.spec import transform
from nttforge.spec.fast import negacyclic_product
from nttforge.spec.transform import polynomial_product
from nttforge_oracle import behz, fv, hybrid, rns, slots
from nttforge_oracle.number_theory import ntt_primes
from nttforge_oracle.secrets import BINARY, Secret
from nttforge_oracle.seeded_bfv import SeededBfv
from nttforge_oracle.seeded_keys import derive_seed, limbs, transformed_limbs

N = 16
MODULI = tuple(ntt_primes(N, 40, 3))
SPECIAL = ntt_primes(N, 40, 4)[3]


def setup(t, seed=1, n=N, moduli=MODULI):
    scheme, draw = fv.Scheme(n, moduli, t), Draw(seed, n)
    secret = draw.ternary()
    public = scheme.public_key(secret, draw.below(scheme.q), draw.error())

    def encrypt(m):
        return scheme.encrypt(public, m, draw.ternary(), draw.error(), draw.error())

    return scheme, draw, secret, encrypt


@pytest.mark.parametrize("t", [2, 97, 65537])
def test_fresh_ciphertexts(t):
    scheme, draw, secret, encrypt = setup(t)
    for _ in range(5):
        m = draw.below(t)
        x = encrypt(m)
        assert scheme.decrypt(secret, x) == m
        # t (e u + e0 + e1 s + rounding) is what stands in front of decryption.
        assert scheme.noise(secret, x) <= t * (ERROR * (2 * N + 1) + 1)
        assert scheme.noise_budget_bits(secret, x) > 60
        y = scheme.encrypt_symmetric(secret, m, draw.below(scheme.q), draw.error())
        assert scheme.decrypt(secret, y) == m
        assert scheme.noise(secret, y) <= t * (ERROR + 1)


def test_noise_is_what_was_put_in():
    """A symmetric ciphertext of 0 with error e has noise exactly t max|e|."""
    scheme, draw, secret, _ = setup(97)
    error = draw.error()
    x = scheme.encrypt_symmetric(secret, [0] * N, draw.below(scheme.q), error)
    assert scheme.noise(secret, x) == 97 * max(map(abs, error))


@pytest.mark.parametrize("t", [2, 97, 65537])
def test_operations(t):
    scheme, draw, secret, encrypt = setup(t)
    m0, m1 = draw.below(t), draw.below(t)
    x, y = encrypt(m0), encrypt(m1)
    m01 = polynomial_product(m0, m1, t)
    assert scheme.decrypt(secret, scheme.add(x, y)) == [
        (a + b) % t for a, b in zip(m0, m1, strict=True)
    ]
    assert scheme.decrypt(secret, scheme.multiply_plain(x, m1)) == m01
    product = scheme.multiply(x, y)
    assert len(product) == 3
    assert scheme.decrypt(secret, product) == m01
    digits = scheme.digits()
    assert scheme.w ** (digits - 1) < scheme.q <= scheme.w**digits
    a = [draw.below(scheme.q) for _ in range(digits)]
    key = scheme.evaluation_key(secret, a, [draw.error() for _ in range(digits)])
    relinearized = scheme.relinearize(product, key)
    assert len(relinearized) == 2
    assert scheme.decrypt(secret, relinearized) == m01
    extra = scheme.noise(secret, relinearized) - scheme.noise(secret, product)
    assert extra <= t * digits * N * scheme.w * ERROR
    again = scheme.multiply(relinearized, y)
    assert scheme.decrypt(secret, again) == polynomial_product(m01, m1, t)


def test_decryption_turns_wrong_at_half_of_q():
    scheme, _, secret, _ = setup(97)
    limit = scheme.q // (2 * 97)
    for error, exact in ((limit, True), (limit + 1, False), (-limit, True), (-limit - 1, False)):
        x = [[error % scheme.q] + [0] * (N - 1), [0] * N]
        assert (scheme.decrypt(secret, x) == [0] * N) is exact


def switching(scheme, draw, secret, other):
    modulus = scheme.q * SPECIAL
    a = [draw.below(modulus) for _ in scheme.moduli]
    return scheme.switch_key(secret, other, SPECIAL, a, [draw.error() for _ in scheme.moduli])


def test_switch_gadget():
    for i, g in enumerate(hybrid.switch_gadget(MODULI, SPECIAL, 1)):
        full = (*MODULI, SPECIAL)
        assert rns.decompose(g, full) == [SPECIAL % q if j == i else 0 for j, q in enumerate(full)]
    with pytest.raises(ValueError, match="coprime"):
        hybrid.switch_gadget(MODULI, MODULI[0], 1)


@pytest.mark.parametrize("primes", [2, 3])
def test_digits_of_several_primes(primes):
    """Digits are c modulo their primes, gadgets are p there and 0 elsewhere; errors stay small."""
    scheme, draw, secret, _ = setup(97)
    special = ntt_primes(N, 40, 6)[3 : 3 + primes]
    p = prod(special)
    other, c = draw.ternary(), draw.below(scheme.q)
    groups = hybrid.digit_groups(MODULI, primes)
    gadget = hybrid.switch_gadget(MODULI, p, primes)
    for g, group, digit in zip(gadget, groups, hybrid.digits_of(c, MODULI, primes), strict=True):
        assert [g % q for q in MODULI] == [p % q if q in group else 0 for q in MODULI]
        assert all((x - y) % prod(group) == 0 for x, y in zip(c, digit, strict=True))
        assert all(0 <= x < len(group) * prod(group) for x in digit)
    a = [draw.below(scheme.q * p) for _ in groups]
    key = scheme.switch_key(secret, other, p, a, [draw.error() for _ in groups], primes)
    got = scheme.phase(secret, scheme.switch(c, special, key, primes))
    difference = [x - y for x, y in zip(got, negacyclic_product(c, other), strict=True)]
    bound = primes * sum(N * prod(group) * ERROR for group in groups) // p + 1
    bound += (primes + 1) * (1 + N) // 2  # the division, within (a + 1) / 2 of each part
    assert 0 < fv.largest_coefficient(difference, scheme.q) <= bound


def test_key_switching_noise():
    scheme, draw, secret, _ = setup(97)
    other, c = draw.ternary(), draw.below(scheme.q)
    d0, d1 = scheme.switch(c, (SPECIAL,), switching(scheme, draw, secret, other))
    wanted = negacyclic_product(c, other)
    got = scheme.phase(secret, [d0, d1])
    difference = [a - b for a, b in zip(got, wanted, strict=True)]
    # sum_i n q_i |e| / p, and two roundings, the second times s.
    bound = len(MODULI) * N * max(MODULI) * ERROR // SPECIAL + 1 + (1 + N) // 2
    assert 0 < fv.largest_coefficient(difference, scheme.q) <= bound


@pytest.mark.parametrize("t", [2, 97])
def test_rotation_of_ciphertexts(t):
    scheme, draw, secret, encrypt = setup(t)
    m = draw.below(t)
    x = encrypt(m)
    for element in (3, 9, slots.rotation_element(-1, N), slots.column_swap_element(N)):
        c0, c1 = ([c % scheme.q for c in slots.automorphism(part, element)] for part in x)
        key = switching(scheme, draw, secret, slots.automorphism(secret, element))
        turned = scheme.add([c0, [0] * N], scheme.switch(c1, (SPECIAL,), key))
        assert scheme.decrypt(secret, turned) == slots.automorphism(m, element, t)


def behz_multiply(scheme, x, y, prime_bits=behz.BSK_PRIME_BITS):
    """Three parts by the residue steps: extend, tensor, floor, to_q."""
    steps = behz.Behz(scheme.moduli, scheme.t, scheme.n, prime_bits=prime_bits)
    full = (*scheme.moduli, *steps.bsk)

    def extended(part):
        residues = [rns.decompose(c, scheme.moduli) for c in part]
        return list(zip(*(r + steps.extend(r) for r in residues), strict=True))

    def product(a, b):
        return [polynomial_product(u, v, m) for u, v, m in zip(a, b, full, strict=True)]

    (x0, x1), (y0, y1) = ([extended(part) for part in z] for z in (x, y))
    middle = [
        [(u + v) % m for u, v in zip(a, b, strict=True)]
        for a, b, m in zip(product(x0, y1), product(x1, y0), full, strict=True)
    ]
    k = len(scheme.moduli)
    out = []
    for tensor in (product(x0, y0), middle, product(x1, y1)):
        columns = zip(*tensor, strict=True)
        out.append(
            [rns.compose(steps.to_q(steps.floor(c[:k], c[k:])), scheme.moduli) for c in columns]
        )
    return out


@pytest.mark.parametrize("t", [2, 97, 65537])
def test_behz_product_is_the_textbook_product_up_to_k(t):
    """The same rounded tensor product less 0 ... k per coefficient, and so its noise."""
    scheme, draw, secret, encrypt = setup(t)
    m0, m1 = draw.below(t), draw.below(t)
    x, y = encrypt(m0), encrypt(m1)
    ours, textbook = behz_multiply(scheme, x, y), scheme.multiply(x, y)
    assert behz_multiply(scheme, x, y, 30) == ours  # whatever primes the auxiliary base has
    k = len(scheme.moduli)
    for a, b in zip(ours, textbook, strict=True):
        assert all(0 <= (v - u) % scheme.q <= k for u, v in zip(a, b, strict=True))
    assert scheme.decrypt(secret, ours) == polynomial_product(m0, m1, t)
    difference = abs(scheme.noise(secret, ours) - scheme.noise(secret, textbook))
    assert difference <= t * k * (1 + N + N * N)


@pytest.mark.parametrize("distribution", [Secret(), BINARY, Secret("sparse", 5)])
@pytest.mark.parametrize(("specials", "digit_primes"), [(1, 1), (2, 2), (3, 2)])
def test_seeded_scheme(distribution, specials, digit_primes):
    """Its results mean what the textbook's do; its product is that of the residue steps."""
    t, seed = 97, bytes(range(32))
    special = tuple(ntt_primes(N, 40, 3 + specials)[3:])
    bfv = SeededBfv(fv.Scheme(N, MODULI, t), special, distribution, digit_primes=digit_primes)
    scheme, draw = bfv.scheme, Draw(5, N)
    secret = bfv.secret(seed)
    assert set(secret) == ({0, 1} if distribution == BINARY else {-1, 0, 1})
    assert distribution.weight in (0, sum(map(abs, secret)))
    public, key = bfv.public_key(seed, secret), bfv.relinearization_key(seed, secret)
    b, a = public
    error = fv.add_polynomials(b, negacyclic_product(a, secret))
    assert 0 < fv.largest_coefficient(error, scheme.q * prod(special)) <= 41
    m0, m1 = draw.below(t), draw.below(t)
    x = bfv.encrypt(public, m0, seed, 0)
    y = bfv.encrypt_symmetric(secret, m1, seed, 1)
    assert scheme.decrypt(secret, x) == m0
    assert scheme.decrypt(secret, y) == m1
    # Modulo Q P the noise is divided by P; the rounding of both parts remains.
    assert scheme.noise(secret, x) <= t * (2 + (specials + 1) * N)
    assert scheme.noise(secret, y) <= t * 42
    product = bfv.multiply(x, y)
    assert product == behz_multiply(scheme, x, y)
    m01 = polynomial_product(m0, m1, t)
    assert scheme.decrypt(secret, bfv.relinearize(product, key)) == m01
    dot = bfv.dot_product([x, y], [y, y])
    m11 = polynomial_product(m1, m1, t)
    assert scheme.decrypt(secret, dot) == [(u + v) % t for u, v in zip(m01, m11, strict=True)]
    for element in (3, slots.column_swap_element(N)):
        turned = bfv.apply_galois(x, element, bfv.galois_key(seed, secret, element))
        assert scheme.decrypt(secret, turned) == slots.automorphism(m0, element, t)
    assert transformed_limbs(a, MODULI)[0] == transform.forward(limbs(a, MODULI)[0], MODULI[0])
    assert bfv.encrypt(public, m0, seed, 2) != x
    assert derive_seed(seed, 2) != derive_seed(seed, 0)


def test_product_rounds_every_coefficient_to_the_nearest():
    scheme, draw, *_ = setup(97)
    a, b, zero = draw.below(scheme.q), draw.below(scheme.q), [0] * N
    exact = polynomial_product(*([rns.centred(c, scheme.q) for c in z] for z in (a, b)), None)
    rounded = [round(Fraction(97 * c, scheme.q)) % scheme.q for c in exact]
    assert scheme.multiply([a, zero], [b, zero]) == [rounded, zero, zero]
    assert scheme.multiply([zero, a], [zero, b]) == [zero, zero, rounded]
    assert scheme.multiply([a, zero], [zero, b]) == [zero, rounded, zero]


def test_plain_factor_is_centred():
    scheme, draw, _, encrypt = setup(97)
    x = encrypt(draw.below(97))
    assert scheme.multiply_plain(x, [1] + [0] * (N - 1)) == x
    negated = [[-c % scheme.q for c in part] for part in x]
    assert scheme.multiply_plain(x, [96] + [0] * (N - 1)) == negated
    assert scheme.multiply_plain(x, [48] + [0] * (N - 1)) == [
        [48 * c % scheme.q for c in part] for part in x
    ]


def test_switch_rounds_to_the_nearest():
    scheme, _, _, _ = setup(97)
    zero = [0] * N
    for value in (SPECIAL // 2, SPECIAL // 2 + 1, SPECIAL, 5 * SPECIAL + SPECIAL // 2 + 1):
        key = [[[value] + [0] * (N - 1), zero], [zero, zero], [zero, zero]]
        d0, d1 = scheme.switch([1] + [0] * (N - 1), (SPECIAL,), key)
        assert d0[0] == round(Fraction(value, SPECIAL))
        assert d0[1:] == zero[1:]
        assert d1 == zero


def test_scale_plain_rounds():
    scheme, *_ = setup(97)
    for m, c in enumerate(scheme.scale_plain(list(range(N)))):
        assert abs(97 * c - prod(MODULI) * m) <= 97 // 2


@pytest.mark.parametrize(("t", "n"), [(5, 2), (17, 8), (257, 32), (65537, 16)])
def test_slots(t, n):
    draw = Draw(3, n)
    a, b = draw.below(t), draw.below(t)
    x, y = slots.encode(a, t), slots.encode(b, t)
    assert slots.decode(x, t) == a
    polynomial = flint.nmod_poly(x, t)
    psi = slots.smallest_root_of_unity(2 * n, t)
    row = [int(polynomial(pow(psi, pow(3, i, 2 * n), t))) for i in range(n // 2)]
    assert row == a[: n // 2]
    assert slots.decode(polynomial_product(x, y, t), t) == [
        u * v % t for u, v in zip(a, b, strict=True)
    ]
    assert sorted(slots.slot_exponents(n)) == list(range(1, 2 * n, 2))
    for step in range(-n // 2, n // 2 + 1):
        rotated = slots.automorphism(x, slots.rotation_element(step, n), t)
        assert slots.decode(rotated, t) == slots.rotate_rows(a, step)
    swapped = slots.automorphism(x, slots.column_swap_element(n), t)
    assert slots.decode(swapped, t) == slots.swap_columns(a)


def test_automorphism_is_substitution():
    n, q = 8, 97
    a = Draw(4, n).below(q)
    ring = flint.nmod_poly([1] + [0] * (n - 1) + [1], q)
    for element in range(1, 2 * n, 2):
        substituted = flint.nmod_poly(a, q)(flint.nmod_poly([0] * element + [1], q)) % ring
        assert slots.automorphism(a, element, q) == [int(substituted[i]) for i in range(n)]
    for element in (0, 2, 16, 17, -1):
        with pytest.raises(ValueError, match=f"element = {element} must be odd"):
            slots.automorphism(a, element)
    with pytest.raises(ValueError, match=r"q = 97 has no root of order 64"):
        slots.encode([0] * 32, 97)
