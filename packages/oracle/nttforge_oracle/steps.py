# SPDX-License-Identifier: Apache-2.0
"""Steps between bases: one builder for every operation.

Bounds: docs/bounds/steps.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isqrt, prod

from .behz import M_TILDE
from .rns import inverse_punctured, punctured
from .step import RnsStep, fixed_point


def conversion(q: Sequence[int], targets: Sequence[int], factor: int = 1) -> RnsStep:
    """Fast base conversion of factor x: [factor x]_Q + u Q, 0 <= u <= k - 1, [Bad18b] (3).

    Examples
    --------
    >>> conversion((3, 5, 7), (11,)).value([2, 3, 2])  # 128 mod 11
    [7]
    """
    scale = [factor * i % m for i, m in zip(inverse_punctured(q), q, strict=True)]
    factors = tuple(tuple(p % m for p in punctured(q)) for m in targets)
    return RnsStep(tuple(q), tuple(targets), scale=tuple(scale), factors=factors)


def digits(q: Sequence[int], targets: Sequence[int], primes: int) -> list[RnsStep]:
    """Digits of key switching: [x]_{D_i} + u D_i, 0 <= u < primes, D_i ``primes`` primes of q.

    The last digit may have fewer primes. Modulo the primes of D_i the digit is x.

    Examples
    --------
    >>> [step.value([2, 3][: len(step.sources)]) for step in digits((3, 5, 7), (3, 5, 7, 11), 2)]
    [[2, 3, 1, 8], [2, 2, 2, 2]]
    """
    if primes < 1:
        raise ValueError(f"primes = {primes}: a digit has at least 1 prime")
    return [conversion(q[i : i + primes], targets) for i in range(0, len(q), primes)]


def behz_extend(q: Sequence[int], bsk: Sequence[int]) -> RnsStep:
    """S0 and S1 of BEHZ: ``extend_definition(x, q)``."""
    base, big_q = conversion(q, bsk, M_TILDE), prod(q)
    inverse = [pow(M_TILDE, -1, m) for m in bsk]
    return replace(
        base,
        factors=tuple(
            tuple(f * i % m for f in row)
            for row, i, m in zip(base.factors, inverse, bsk, strict=True)
        ),
        modulus=M_TILDE,
        weights=tuple(-pow(m, -1, M_TILDE) % M_TILDE for m in q),
        excess=tuple(big_q * i % m for i, m in zip(inverse, bsk, strict=True)),
    )


def behz_floor(q: Sequence[int], bsk: Sequence[int], t: int) -> RnsStep:
    """S3 of BEHZ: ``floor_definition(x, t, q)``; own words are x modulo B_sk."""
    return replace(
        conversion(q, bsk, t),
        own=tuple(t * pow(prod(q), -1, m) % m for m in bsk),
        factors=tuple(tuple(-pow(s, -1, m) % m for s in q) for m in bsk),
    )


def behz_to_q(bsk: Sequence[int], q: Sequence[int]) -> RnsStep:
    """S4 of BEHZ, Shenoy and Kumaresan: x itself for every x with abs(x) <= F.

    The correction is minus the excess alpha, so its weights have small factors: for m_sk, the last
    source, 1 and a scale of 1 / M.
    """
    *b, m_sk = bsk
    big_m = prod(b)
    return RnsStep(
        tuple(bsk),
        tuple(q),
        scale=(*inverse_punctured(b), pow(big_m, -1, m_sk)),
        factors=tuple((*(p % m for p in punctured(b)), 0) for m in q),
        modulus=m_sk,
        weights=(*(-pow(m, -1, m_sk) % m_sk for m in b), 1),
        excess=tuple(big_m % m for m in q),
    )


def mod_down(moduli: Sequence[int]) -> RnsStep:
    """``mod_down_definition(x, moduli)``: x / p rounded, p the last modulus, halves upwards.

    The source is x modulo p, own words are x modulo the others.

    Examples
    --------
    >>> mod_down((11, 13, 5)).value([52 % 5], [52 % 11, 52 % 13])
    [10, 10]
    """
    *q, p = moduli
    inverse = [pow(p, -1, m) for m in q]
    return RnsStep(
        (p,),
        tuple(q),
        own=tuple(inverse),
        modulus=p,
        weights=(1,),
        excess=tuple(-i % m for i, m in zip(inverse, q, strict=True)),
    )


def mod_down_fast(q: Sequence[int], special: Sequence[int]) -> RnsStep:
    """floor(x / P) - u + floor(a / 2), P the product of a special primes, 0 <= u <= a - 1.

    abs(value - x / P) <= (a + 1) / 2, by fast base conversion without a correction.
    """
    big_p = prod(special)
    return RnsStep(
        tuple(special),
        tuple(q),
        scale=tuple(inverse_punctured(special)),
        own=tuple(pow(big_p, -1, m) for m in q),
        factors=tuple(tuple(-pow(p, -1, m) % m for p in special) for m in q),
        offset=tuple(len(special) // 2 % m for m in q),
    )


def mod_down_nearest(q: Sequence[int], special: Sequence[int]) -> RnsStep:
    """floor(x / P + 1/2 - delta), 0 <= delta <= epsilon: x / P rounded but at near halves."""
    f, fractions = fixed_point(special)
    return replace(
        mod_down_fast(q, special),
        offset=(),
        fraction_bits=f,
        nearest=True,
        fractions=fractions,
        excess=(1,) * len(q),
    )


def switch_modulus(moduli: Sequence[int], t: int) -> RnsStep:
    """BGV: (x - t r) / p with r = x / t modulo p, centred, p the last modulus.

    It is p^-1 x modulo t and within t / 2 of x / p.

    Examples
    --------
    >>> switch_modulus((11, 13, 5), 3).value([4], [4, 4])  # 4 + 6 = 10
    [2, 2]
    """
    *q, p = moduli
    return replace(
        mod_down(moduli),
        weights=(pow(t, -1, p),),
        excess=tuple(-t * pow(p, -1, m) % m for m in q),
    )


def switch_modulus_fast(q: Sequence[int], special: Sequence[int], t: int) -> RnsStep:
    """BGV: (x - t r) / P + t floor(a / 2), r = [x / t]_P + u P by fast base conversion, u < a.

    P is the product of a primes. It is P^-1 x modulo t and within t (a + 1) / 2 of x / P.
    """
    fast = mod_down_fast(q, special)
    return replace(
        fast,
        scale=tuple(s * pow(t, -1, p) % p for s, p in zip(fast.scale, special, strict=True)),
        factors=tuple(
            tuple(t * f % m for f in row) for row, m in zip(fast.factors, q, strict=True)
        ),
        offset=tuple(t * c % m for c, m in zip(fast.offset, q, strict=True)),
    )


def rescale(start: Sequence[int], target: Sequence[int], t: int = 1) -> RnsStep:
    """(x T - t r) / D, r = x T / t modulo D, centred: x T / D with one rounding.

    D is the product of the primes that only ``start`` has (the sources), T of those that only
    ``target`` has; own words are x modulo ``target``, of which added primes take none. One prime is
    divided by exactly, several as by ``mod_down_nearest``.

    Examples
    --------
    >>> rescale((7, 11, 13), (3, 7, 11)).value([52 % 13], [0, 52 % 7, 52 % 11])  # 52 * 3 / 13
    [0, 5, 1]
    """
    dropped = [p for p in start if p not in target]
    added = [q for q in target if q not in start]
    if not dropped or len(added) == len(target):
        raise ValueError("rescaling drops one prime at least and keeps one at least")
    big_d, big_t = prod(dropped), prod(added)
    digit = [big_t * pow(t, -1, p) % p for p in dropped]
    step = RnsStep(
        tuple(dropped),
        tuple(target),
        own=tuple(big_t * pow(big_d, -1, q) % q for q in target),
        excess=tuple(t % q for q in target),
    )
    if len(dropped) == 1:
        return replace(
            step,
            modulus=big_d,
            weights=tuple(digit),
            excess=tuple(-t * pow(big_d, -1, q) % q for q in target),
        )
    f, fractions = fixed_point(dropped)
    return replace(
        step,
        scale=tuple(
            d * i % p for d, i, p in zip(digit, inverse_punctured(dropped), dropped, strict=True)
        ),
        factors=tuple(tuple(-t * pow(p, -1, q) % q for p in dropped) for q in target),
        fraction_bits=f,
        nearest=True,
        fractions=fractions,
    )


def decrypt(q: Sequence[int], t: int, gamma: int) -> RnsStep:
    """[Bad18b] Alg. 2: round(t x / Q) modulo t inside ``DecryptScale.exact_interval``.

    The correction is the distance to the middle of the rounding, in parts of gamma; it passes the
    limit where ``DecryptScale.exhausted``.
    """
    inverse = pow(gamma, -1, t)
    return replace(
        conversion(q, (t,), gamma * t),
        factors=(tuple(-inverse * pow(m, -1, t) % t for m in q),),
        modulus=gamma,
        weights=tuple(-pow(m, -1, gamma) % gamma for m in q),
        limit=isqrt(gamma**2 // 8) - 1,
        excess=(-inverse % t,),
    )


def encrypt(q: Sequence[int], t: int) -> RnsStep:
    """``encrypt_definition(m, t, q)``: Q m / t rounded, halves upwards, of the source m modulo t.

    Q m vanishes modulo every q_i, so what is left of (Q m - r) / t is -r / t, r = Q m modulo t.
    """
    return RnsStep(
        (t,),
        tuple(q),
        modulus=t,
        weights=(prod(q) % t,),
        excess=tuple(-pow(t, -1, m) % m for m in q),
    )


def hps_extend(q: Sequence[int], targets: Sequence[int], nearest: bool = True) -> RnsStep:
    """x' = x (mod Q), [HPS19]: -Q / 2 <= x' < Q / 2 + epsilon Q, or 0 <= x' < Q + epsilon Q.

    Exact but for the x that lie less than epsilon Q below the upper end.
    """
    f, fractions = fixed_point(q)
    return replace(
        conversion(q, targets),
        fraction_bits=f,
        nearest=nearest,
        fractions=fractions,
        excess=tuple(-prod(q) % m for m in targets),
    )


def hps_scale(q: Sequence[int], targets: Sequence[int], factor: int, multiple: int = 1) -> RnsStep:
    """``multiple`` times floor(factor x / Q + 1/2 - delta), 0 <= delta <= epsilon, x any integer.

    Own words are x modulo the targets; there are none if every target divides ``factor``.
    """
    f, fractions = fixed_point(q)
    own = tuple(multiple * factor * pow(prod(q), -1, m) % m for m in targets)
    return replace(
        conversion(q, targets, factor),
        own=own if any(own) else (),
        factors=tuple(tuple(-multiple * pow(s, -1, m) % m for s in q) for m in targets),
        fraction_bits=f,
        nearest=True,
        fractions=fractions,
        excess=tuple(multiple % m for m in targets),
    )


def hps_decrypt(q: Sequence[int], t: int) -> RnsStep:
    """floor(t x / Q + 1/2 - delta) modulo t, 0 <= delta <= epsilon."""
    return hps_scale(q, (t,), t)
