# SPDX-License-Identifier: Apache-2.0
"""Steps between bases: every builder against the big-integer definition of its operation."""

from dataclasses import replace
from fractions import Fraction
from math import floor, isqrt, prod

import pytest
from bases import BASES, some

from nttforge_oracle import behz, bgv, rns, scale, steps
from nttforge_oracle.step import (
    RnsStep,
    fixed_point,
    fixed_point_bound,
    fixed_point_error,
    fixed_point_fits,
    then,
)

ELSEWHERE = (11, 13, 65537, 2**50 - 27, 2**61 - 1)


@pytest.mark.parametrize("q", BASES)
def test_conversion_and_behz(q):
    for t in (2, 65537):
        big_q, b = prod(q), behz.Behz(q, t, 64)
        extend, to_q = steps.behz_extend(q, b.bsk), steps.behz_to_q(b.bsk, q)
        down = steps.behz_floor(q, b.bsk, t)
        convert = steps.conversion(q, ELSEWHERE, t)
        reach = big_q * big_q * 32
        for x in [*some(big_q), *(-x for x in some(reach)), *some(reach)]:
            x_q, x_bsk = rns.decompose(x, q), rns.decompose(x, b.bsk)
            total = rns.fast_conversion_sum(rns.decompose(t * x, q), q)
            assert convert.value(x_q) == rns.decompose(total, ELSEWHERE)
            extended = behz.extend_definition(x % big_q, q)
            assert extend.value(x_q) == rns.decompose(extended, b.bsk) == b.extend(x_q)
            value = behz.floor_definition(x, t, q)
            assert down.value(x_q, x_bsk) == rns.decompose(value, b.bsk) == b.floor(x_q, x_bsk)
            assert to_q.value(down.value(x_q, x_bsk)) == rns.decompose(value, q)
            assert to_q.value(x_bsk) == b.to_q(x_bsk)  # also where it wraps
            # Two in a row, with the second one's digits made by the first.
            first, second = then(down, to_q)
            assert second.scale == ()
            assert second.value(first.value(x_q, x_bsk)) == rns.decompose(value, q)


@pytest.mark.parametrize("moduli", [*BASES[1:], (11, 13, 4), (3, 2), (9, 2)])
def test_division_by_the_last_modulus(moduli):
    *q, p = moduli
    step = steps.mod_down(moduli)
    around = [k * p + r for k in (0, 1, 5) for r in (p // 2 - 1, p // 2, p // 2 + 1, p - 1, p)]
    for x in [*some(prod(moduli)), *around]:
        out = step.value([x % p], rns.decompose(x, q))
        assert out == rns.mod_down_definition(x, moduli)
    for t in (2, 3, 65537):
        if p % t == 0 or t % p == 0 or rns.gcd(t, p) != 1:
            continue
        switch = steps.switch_modulus(moduli, t)
        for x in [*some(prod(moduli)), *around]:
            value = bgv.divide(x, p, t)
            assert switch.value([x % p], rns.decompose(x, q)) == rns.decompose(value, q)
            assert (p * value - x) % t == 0
            assert abs(value - Fraction(x, p)) <= Fraction(t, 2)


@pytest.mark.parametrize("special", BASES)
def test_division_by_several_primes(special):
    q, big_p, a = ELSEWHERE, prod(special), len(special)
    fast, nearest = steps.mod_down_fast(q, special), steps.mod_down_nearest(q, special)
    epsilon = fixed_point_error(nearest)
    assert 0 <= epsilon < Fraction(1, 2**20)
    for x in [*some(big_p * prod(q)), *some(2 * big_p), *(-x for x in some(big_p))]:
        x_p, x_q = rns.decompose(x, special), rns.decompose(x, q)
        u = rns.fast_conversion_sum(x_p, special) // big_p
        assert fast.value(x_p, x_q) == rns.decompose(x // big_p - u + a // 2, q)
        assert abs(x // big_p - u + a // 2 - Fraction(x, big_p)) <= Fraction(a + 1, 2)
        exact = Fraction(x, big_p) + Fraction(1, 2)
        allowed = {floor(exact), floor(exact - epsilon)}
        assert nearest.value(x_p, x_q) in [rns.decompose(v, q) for v in allowed]


@pytest.mark.parametrize("special", BASES)
def test_modulus_switching_by_several_primes(special):
    q, big_p, a = ELSEWHERE, prod(special), len(special)
    for t in (2, 3, 65537):
        if rns.gcd(t, big_p * prod(q)) != 1:
            continue
        step = steps.switch_modulus_fast(q, special, t)
        for x in some(big_p * prod(q)):
            y = [
                r * pow(t, -1, p) % p
                for r, p in zip(rns.decompose(x, special), special, strict=True)
            ]
            sum_y = rns.fast_conversion_sum(y, special)
            value = (x - t * sum_y) // big_p + t * (a // 2)
            assert step.value(rns.decompose(x, special), rns.decompose(x, q)) == rns.decompose(
                value, q
            )
            assert (big_p * value - x) % t == 0
            assert abs(value - Fraction(x, big_p)) <= Fraction(t * (a + 1), 2)


def test_digits_are_the_residues_of_their_primes():
    q, targets = (3, 5, 7, 11), (3, 5, 7, 11, 13, 2**61 - 1)
    for primes in (1, 2, 3, 4, 5):
        for i, step in enumerate(steps.digits(q, targets, primes)):
            group = q[i * primes : (i + 1) * primes]
            for x in range(prod(group)):
                value = rns.fast_conversion_sum(rns.decompose(x, group), group)
                assert step.value(rns.decompose(x, group)) == rns.decompose(value, targets)
                assert value % prod(group) == x and value < len(group) * prod(group)
    with pytest.raises(ValueError, match="primes = 0"):
        steps.digits(q, targets, 0)


@pytest.mark.parametrize(
    ("start", "target"),
    [
        ((5, 7, 11), (5, 7)),
        ((5, 7, 11), (5,)),
        ((5, 7, 11), (7, 11)),
        ((7, 11, 13), (3, 5, 7, 11)),
        ((3, 5, 7, 11), (7, 11, 13)),
        ((5, 7, 11, 13), (3, 5, 7)),
    ],
)
def test_rescaling_between_windows(start, target):
    added = prod(q for q in target if q not in start)
    dropped = prod(p for p in start if p not in target)
    for t in (1, 2, 17):
        step = steps.rescale(start, target, t)
        for x in some(prod(start)):
            r = x * added * pow(t, -1, dropped) % dropped
            centred = r - dropped if r > dropped // 2 else r
            value = (x * added - t * centred) // dropped
            sources = [x % p for p in start if p not in target]
            own = [x % q if q in start else 0 for q in target]
            assert step.value(sources, own) == rns.decompose(value, target)
            assert (dropped * value - added * x) % t == 0
            assert abs(value - Fraction(added * x, dropped)) <= Fraction(t, 2)
    with pytest.raises(ValueError, match="drops one prime"):
        steps.rescale(start, (*start, 17))


def test_one_special_prime_rounds_alike():
    for x in some(97 * prod(ELSEWHERE)):
        arguments = ([x % 97], rns.decompose(x, ELSEWHERE))
        expected = steps.mod_down((*ELSEWHERE, 97)).value(*arguments)
        assert steps.mod_down_nearest(ELSEWHERE, (97,)).value(*arguments) == expected


@pytest.mark.parametrize("q", BASES)
@pytest.mark.parametrize("t", [2, 16, 786433, 2**49 + 1, 2**60 - 1])
def test_scaling_between_plaintexts_and_q(q, t):
    if t >= prod(q) or any(rns.gcd(t, m) != 1 for m in q):
        pytest.skip("t is not below Q and coprime to it")
    s = scale.DecryptScale(q, t)
    encrypt, decrypt = steps.encrypt(q, t), steps.decrypt(q, t, s.gamma)
    for m in {m % t for m in (*some(t), (t - 1) // 2)}:
        assert encrypt.value([m]) == scale.encrypt_definition(m, t, q) == s.encrypt(m)
        assert decrypt.value(s.encrypt(m)) == [m]
    reach = isqrt(prod(q) ** 2 // 8) // t
    for x in [*some(prod(q)), *(around + d for around in (reach, -reach) for d in range(-3, 4))]:
        residues = rns.decompose(x, q)
        assert decrypt.value(residues) == [s.decrypt(residues)]
        assert decrypt.exceeds(residues) == s.exhausted(residues)


@pytest.mark.parametrize("q", BASES)
def test_hps_extension(q):
    big_q = prod(q)
    ends = [big_q - 1, big_q // 2 - 1, big_q // 2, big_q // 2 + 1]
    for nearest in (True, False):
        step = steps.hps_extend(q, ELSEWHERE, nearest)
        epsilon = fixed_point_error(step)
        assert epsilon <= fixed_point_bound(q)
        assert 0 <= epsilon < Fraction(1, 2**20)
        for x in [*some(big_q), *ends]:
            first = rns.centred(x, big_q) if nearest else x
            allowed = [first]
            end = Fraction(1, 2) if nearest else 0
            if Fraction(first, big_q) + end < epsilon:  # the lower end may come out at the upper
                allowed.append(first + big_q)
            out = step.value(rns.decompose(x, q))
            assert out in [rns.decompose(v, ELSEWHERE) for v in allowed]


def test_hps_extension_is_wrong_beyond_its_epsilon():
    """The interval is needed: with few bits some values come out one Q too large, at its end."""
    q = (7, 11, 13)
    step = steps.hps_extend(q, ELSEWHERE, nearest=False)
    short = replace(step, fraction_bits=6, fractions=tuple(64 // m for m in q))
    epsilon = fixed_point_error(short)
    wrong = []
    for x in range(prod(q)):
        assert step.value(rns.decompose(x, q)) == rns.decompose(x, ELSEWHERE)
        out = short.value(rns.decompose(x, q))
        if out != rns.decompose(x, ELSEWHERE):
            assert out == rns.decompose(x + prod(q), ELSEWHERE)
            wrong.append(x)
    assert wrong
    assert max(wrong) < epsilon * prod(q)


@pytest.mark.parametrize("q", BASES)
@pytest.mark.parametrize("t", [2, 65537, 2**59 + 55, prod(ELSEWHERE)])
@pytest.mark.parametrize("multiple", [1, 7**40])
def test_hps_scaling(q, t, multiple):
    big_q = prod(q)
    scaling = [steps.hps_scale(q, ELSEWHERE, t, multiple)]
    if multiple == 1 and t < 2**62 and rns.gcd(t, big_q) == 1:
        scaling.append(steps.hps_decrypt(q, t))
    for s in scaling:
        assert bool(s.own) == (s.targets == ELSEWHERE and t != prod(ELSEWHERE))
        epsilon = fixed_point_error(s)
        assert 0 <= epsilon <= fixed_point_bound(q) < Fraction(1, 2**18)
        for x in [*some(big_q), *some(big_q**2 * 64), *(-x for x in some(big_q**2 * 64))]:
            exact = Fraction(t * x, big_q) + Fraction(1, 2)
            allowed = {floor(exact), floor(exact - epsilon)}
            own = rns.decompose(x, s.targets) if s.own else ()
            out = s.value(rns.decompose(x, q), own)
            assert out in [rns.decompose(multiple * v, s.targets) for v in allowed]


def test_fixed_point_is_as_long_as_kernels_and_sums_allow():
    for q in BASES:
        f, fractions = fixed_point(q)
        assert fixed_point_fits(f, fractions, q)
        assert f == 127 or not fixed_point_fits(f + 1, tuple(2 ** (f + 1) // m for m in q), q)


def test_steps_that_do_not_fit_together():
    first = steps.mod_down((11, 13, 5))
    with pytest.raises(ValueError, match="must take the first one's targets"):
        then(first, RnsStep((13, 11), (3,)))
    with pytest.raises(ValueError, match="no own words"):
        then(first, RnsStep((11, 13), (3,), own=(1,)))
