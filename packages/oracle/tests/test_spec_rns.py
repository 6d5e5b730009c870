# SPDX-License-Identifier: Apache-2.0
"""Residue arithmetic: word-sized steps against big integers, at both ends of every bound."""

import random
from fractions import Fraction
from math import prod

import flint
import pytest
from bases import BASES, some_of
from hypothesis import given, settings
from hypothesis import strategies as st

from nttforge_oracle import behz, rns, scale
from nttforge_oracle.number_theory import ntt_primes

RANDOM = random.Random(7)


def crt_by_flint(residues, moduli):
    """Chinese remainders two at a time, with FLINT's inverse."""
    x, m = flint.fmpz(0), flint.fmpz(1)
    for r, q in zip(residues, moduli, strict=True):
        inverse = int(flint.nmod(int(m % q), q) ** -1)
        x += m * ((r - x) * inverse % q)
        m *= q
    return int(x % m)


@pytest.mark.parametrize("q", [*BASES, (2, 9, 25, 49)])
def test_compose_and_garner(q):
    for x in some_of(q):
        residues = rns.decompose(x, q)
        assert rns.compose(residues, q) == x
        assert rns.compose_garner(residues, q) == x
        assert crt_by_flint(residues, q) == x


@pytest.mark.parametrize(
    ("moduli", "message"),
    [
        ([], "at least one"),
        ([1, 3], "modulus 1 "),
        ([2**62], "2\\^62"),
        ([7, 7], "share the factor 7"),
        ([15, 77, 35], "moduli 15 and 35 share the factor 5"),
    ],
)
def test_bad_bases(moduli, message):
    with pytest.raises(ValueError, match=message):
        rns.require_base(moduli)


@pytest.mark.parametrize("q", BASES)
def test_fast_conversion_is_exact_up_to_a_small_multiple(q):
    targets = [2**32, 11, 65537, 2**50 - 27]
    seen = set()
    for x in some_of(q):
        residues = rns.decompose(x, q)
        total = rns.fast_conversion_sum(residues, q)
        u, rest = divmod(total - x, prod(q))
        assert rest == 0
        assert 0 <= u <= len(q) - 1
        seen.add(u)
        assert rns.fast_convert(residues, q, targets) == rns.decompose(total, targets)
    assert len(seen) > 1 or len(q) == 1


@pytest.mark.parametrize("moduli", [*BASES[1:], (11, 13, 4), (2, 3), (9, 2)])
def test_mod_down_rounds(moduli):
    p = moduli[-1]
    around = [k * p + r for k in (0, 1, 5) for r in (p // 2 - 1, p // 2, p // 2 + 1, p - 1, p)]
    for x in [*some_of(moduli), *around]:
        out = rns.mod_down(rns.decompose(x, moduli), moduli)
        assert out == rns.mod_down_definition(x % prod(moduli), moduli)
        assert out == rns.mod_down_definition(x, moduli)
        nearest = (Fraction(x, p) + Fraction(1, 2)).__floor__()  # halves upwards
        assert out == rns.decompose(nearest, moduli[:-1])
        if p % 2:
            assert out == rns.decompose(round(Fraction(x, p)), moduli[:-1])


def test_lift_plain_is_centred():
    for t in (2, 3, 4, 97):
        lifted = {rns.compose(rns.lift_plain(m, t, [1009, 1013]), [1009, 1013]) for m in range(t)}
        expected = {v % (1009 * 1013) for v in range(-(t // 2), (t - 1) // 2 + 1)}
        assert lifted == expected


# BEHZ: docs/bounds/behz.md.


def test_montgomery_constants():
    assert behz.M_TILDE == 2**32


@pytest.mark.parametrize("q", BASES)
def test_extend_keeps_the_residue_and_its_interval(q):
    big_q, k = prod(q), len(q)
    steps = behz.Behz(q, 2, 64)
    low, high = Fraction(-big_q, 2), Fraction(big_q, 2) + Fraction(k * big_q, behz.M_TILDE)
    for x in some_of(q):
        value = behz.extend_definition(x, q)
        assert (value - x) % big_q == 0
        assert low <= value < high
        assert steps.extend(rns.decompose(x, q)) == rns.decompose(value, steps.bsk)


def test_extend_interval_is_nearly_reached():
    """Over a tiny base every x is seen, both ends of -Q/2 ... Q/2 too."""
    q = (7, 11, 13)
    values = [behz.extend_definition(x, q) for x in range(prod(q))]
    assert min(values) == -(prod(q) // 2)
    assert max(values) == prod(q) // 2


def test_extend_may_pass_half_of_q():
    """Values beyond Q/2 exist: x just above Q/2 with a large multiple of Q in its conversion."""
    q = BASES[4]
    big_q = prod(q)
    found = 0
    for i in range(400):
        x = big_q // 2 + 1 + RANDOM.randrange(big_q >> 32)
        value = behz.extend_definition(x + i, q)
        found += value > big_q // 2
    assert found > 0


@pytest.mark.parametrize("q", BASES)
@pytest.mark.parametrize("t", [2, 65537])
def test_floor_is_the_floor_up_to_k(q, t):
    steps = behz.Behz(q, t, 64)
    big_q = prod(q)
    numerator, denominator = behz.twice_floor_bound(q, t, 64, 16)
    largest = Fraction(numerator, 2 * denominator)
    reach = int((largest - len(q)) * big_q / t)
    for x in [*some_of(q), reach, -reach, *(RANDOM.randrange(-reach, reach) for _ in range(20))]:
        value = behz.floor_definition(x, t, q)
        assert 0 <= t * x // big_q - value <= len(q) - 1
        assert abs(value) <= largest
        out = steps.floor(rns.decompose(x, q), rns.decompose(x, steps.bsk))
        assert out == rns.decompose(value, steps.bsk)
        assert steps.to_q(out) == rns.decompose(value, q)


@pytest.mark.parametrize("q", BASES)
def test_shenoy_kumaresan_is_exact_up_to_its_limits(q):
    """Exact up to alpha = +-(m_sk - 1) / 2, wrong one step beyond."""
    steps = behz.Behz(q, 2, 64)
    *b, m_sk = steps.bsk
    big_m, half = prod(b), (m_sk - 1) // 2
    numerator, denominator = behz.twice_floor_bound(q, 2, 64, 16)
    bound = numerator // (2 * denominator)
    guaranteed = int(big_m * (Fraction(m_sk, 2) - len(b) - 1))
    assert guaranteed >= bound
    for x in (0, 1, -1, bound, -bound, guaranteed, -guaranteed):
        assert steps.to_q(rns.decompose(x, steps.bsk)) == rns.decompose(x, q)
    # With residues 0 modulo B the conversion sum is 0 and alpha = -x / M: the true limits are
    # +-half M.
    for x, exact in ((half * big_m, True), (-half * big_m, True)):
        assert (steps.to_q(rns.decompose(x, steps.bsk)) == rns.decompose(x, q)) is exact
    for x in ((half + 1) * big_m, -(half + 1) * big_m):
        wrong = x - m_sk * big_m if x > 0 else x + m_sk * big_m
        assert steps.to_q(rns.decompose(x, steps.bsk)) == rns.decompose(wrong, q)


@pytest.mark.parametrize("q", BASES)
@pytest.mark.parametrize("bits", [30, 50])
def test_auxiliary_base_is_the_smallest(q, bits):
    for t, n, terms in ((2, 64, 1), (65537, 1024, 16), (2**59 + 55, 8192, 16)):
        bsk = behz.auxiliary_base(q, t, n, terms=terms, prime_bits=bits)
        assert bsk == ntt_primes(n, bits, len(bsk), q)
        assert behz.base_is_large_enough(bsk, q, t, n, terms)
        k, *rest = len(q), *bsk
        m, m_sk = prod(bsk[:-1]), bsk[-1]
        bound = Fraction(terms * t * n * prod(q), 2) * (1 + Fraction(2 * k, 2**32)) ** 2 + k
        assert m * (Fraction(m_sk, 2) - (len(rest) - 1) - 1) >= bound
        if len(bsk) > 2:
            m, m_sk = prod(bsk[:-2]), bsk[-2]
            assert m * (Fraction(m_sk, 2) - (len(rest) - 2) - 1) < bound


@pytest.mark.parametrize("q", BASES)
def test_floor_bound_is_its_formula(q):
    for t, n, terms in ((2, 1, 1), (65537, 4096, 16)):
        numerator, denominator = behz.twice_floor_bound(q, t, n, terms)
        slack = 1 + Fraction(2 * len(q), 2**32)
        bound = Fraction(terms * t * n * prod(q), 2) * slack**2 + len(q)
        assert Fraction(numerator, 2 * denominator) == bound


def test_base_bound_at_its_limit():
    """M (m_sk / 2 - |B| - 1) = F exactly is enough, with M one less it is not."""
    # t n terms = 2^62 makes F an integer: 2 F = Q (2^31 + 1)^2 + 2.
    q, t, n, terms = (97,), 2**30, 2**31, 2
    twice_bound = 97 * (2**31 + 1) ** 2 + 2
    for m_sk, b_size in ((5, 1), (7, 2), (9, 3)):  # m_sk / 2 - |B| - 1 = 1/2
        base = [1] * (b_size - 1)
        assert behz.base_is_large_enough([*base, twice_bound, m_sk], q, t, n, terms)
        assert behz.base_is_large_enough([*base, twice_bound + 1, m_sk], q, t, n, terms)
        assert not behz.base_is_large_enough([*base, twice_bound - 1, m_sk], q, t, n, terms)


def test_auxiliary_base_avoids():
    q = tuple(ntt_primes(1024, 50, 2))
    more = ntt_primes(1024, 50, 8)
    steps = behz.Behz(q, 65537, 1024, avoid=(more[2], more[4]))
    assert not set(steps.bsk) & {*q, more[2], more[4]}
    assert steps.bsk == tuple(p for p in more if p not in (*q, more[2], more[4]))[: len(steps.bsk)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((4, 5), 2, 64), "must be odd"),
        (((97,), 1, 64), "t = 1 "),
        (((97, 97), 2, 64), "share the factor"),
        ((tuple(ntt_primes(64, 62, 12)), 2, 2**40), "must be a power of two in 1"),
    ],
)
def test_behz_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        behz.Behz(*arguments)


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_one_coefficient_through_all_steps(data):
    """extend, multiply, floor, to_q on integers: within k of floor(t x y / Q)."""
    q = data.draw(st.sampled_from(BASES))
    t = data.draw(st.sampled_from([2, 257, 786433]))
    x, y = (data.draw(st.integers(0, prod(q) - 1)) for _ in range(2))
    steps = behz.Behz(q, t, 64)
    x_q, y_q = rns.decompose(x, q), rns.decompose(y, q)
    x_bsk, y_bsk = steps.extend(x_q), steps.extend(y_q)
    product_q = [a * b % m for a, b, m in zip(x_q, y_q, q, strict=True)]
    product_bsk = [a * b % m for a, b, m in zip(x_bsk, y_bsk, steps.bsk, strict=True)]
    out = rns.compose(steps.to_q(steps.floor(product_q, product_bsk)), q)
    exact = behz.extend_definition(x, q) * behz.extend_definition(y, q)
    assert (t * exact // prod(q) - out) % prod(q) <= len(q) - 1


# Scaling: docs/bounds/decrypt.md.

SCALES = [
    (q, t)
    for q in BASES
    for t in (2, 16, 786433, 2**49 - 1, 2**49 + 1, 2**60 - 1)
    if t < prod(q) and all(t % p for p in q)
]


@pytest.mark.parametrize(("q", "t"), SCALES)
def test_decrypt_at_the_ends_of_its_interval(q, t):
    """Exact inside, at limit - 1 and at the limit; one beyond the upper end is the next m."""
    s, big_q = scale.DecryptScale(q, t), prod(q)
    low, high = s.exact_interval()
    for m in (0, 1, t // 2, t - 1):
        largest = -((-big_q * m - high) // t) - 1
        smallest = -((-big_q * m - low) // t)
        assert t * largest - big_q * m < high <= t * (largest + 1) - big_q * m
        assert t * (smallest - 1) - big_q * m < low <= t * smallest - big_q * m
        for x in (smallest, smallest + 1, (largest + smallest) // 2, largest - 1, largest):
            assert s.decrypt(rns.decompose(x, q)) == m == scale.decrypt_definition(x, t, q)
        assert scale.decrypt_definition(largest + 1, t, q) == (m + 1) % t


def test_decrypt_fails_beyond_its_interval():
    """The lower bound is needed: a small gamma gives wrong results below it, none above."""
    q, t = (7, 11, 13), 2
    s = scale.DecryptScale(q, t)
    object.__setattr__(s, "gamma", 17)
    low, high = s.exact_interval()
    wrong = []
    for x in range(prod(q)):
        v = rns.centred(t * x, prod(q))
        exact = scale.decrypt_definition(x, t, q)
        if low <= v < high:
            assert s.decrypt(rns.decompose(x, q)) == exact
        elif s.decrypt(rns.decompose(x, q)) != exact:
            wrong.append(v)
    assert wrong
    assert max(wrong) < low


def test_exhausted_says_where_half_a_bit_is_left():
    """Exactly, where gamma resolves every integer."""
    q, t = (1009, 1013), 5
    s = scale.DecryptScale(q, t)
    for x in range(0, prod(q), 7):
        assert s.exhausted(rns.decompose(x, q)) == scale.exhausted_definition(x, t, q)


@pytest.mark.parametrize(("q", "t"), SCALES)
def test_documented_noise_bound(q, t):
    """|noise| < Q/t (1/2 - k/gamma) lies inside the exact interval."""
    s = scale.DecryptScale(q, t)
    low, high = s.exact_interval()
    documented = prod(q) * (Fraction(1, 2) - Fraction(len(q), s.gamma))
    assert low < -documented
    assert documented < high


@pytest.mark.parametrize(("q", "t"), SCALES)
def test_encrypt_is_the_rounded_quotient(q, t):
    s = scale.DecryptScale(q, t)
    for m in {0, 1, t - 1, t // 2, *(RANDOM.randrange(t) for _ in range(20))}:
        assert s.encrypt(m) == scale.encrypt_definition(m, t, q)
        value = rns.compose(s.encrypt(m), q)
        assert abs(value - Fraction(prod(q) * m, t)) <= Fraction(1, 2)
        assert s.decrypt(s.encrypt(m)) == m


@settings(deadline=None)
@given(st.sampled_from(SCALES), st.data())
def test_decrypt_of_noisy_values(case, data):
    q, t = case
    s, big_q = scale.DecryptScale(q, t), prod(q)
    m = data.draw(st.integers(0, t - 1))
    limit = int(big_q * (Fraction(1, 2) - Fraction(len(q), s.gamma)) / t - 1)
    if limit > 0:
        x = rns.compose(s.encrypt(m), q) + data.draw(st.integers(-limit, limit))
        assert s.decrypt(rns.decompose(x, q)) == m


def test_gamma():
    assert flint.fmpz(2**50 - 27).is_prime()
    assert scale.redundant_modulus((2**50 - 27,), 2) < 2**50 - 27
    assert scale.redundant_modulus((97,), 2**49 - 1) == 2**50 - 27
    assert scale.redundant_modulus((97,), 2**49) == 2**61 - 1
    assert scale.redundant_modulus((2**61 - 1,), 2**60 - 1) < 2**61 - 1


@pytest.mark.parametrize(
    ("q", "t", "message"),
    [
        ((97,), 1, "t = 1 "),
        ((97,), 97, "below Q = 97"),
        ((97, 101), 97, "share the factor 97"),
        ((2**61 - 1,), 2**60, "2\\^60"),
    ],
)
def test_scale_errors(q, t, message):
    with pytest.raises(ValueError, match=message):
        scale.DecryptScale(q, t)
