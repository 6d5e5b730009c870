# SPDX-License-Identifier: Apache-2.0
"""The transforms of ML-KEM and ML-DSA, line by line as the standards print them.

A second opinion on incomplete.py and transform.py: loops in place instead of sums.
"""

from __future__ import annotations

from collections.abc import Sequence

from nttforge.spec.transform import bit_reverse

KEM_Q, KEM_ZETA = 3329, 17
DSA_Q, DSA_ZETA = 8380417, 1753


def kem_ntt(f: Sequence[int]) -> list[int]:
    """NTT [FIPS 203, Algorithm 9] of 256 coefficients modulo 3329.

    Examples
    --------
    >>> kem_ntt([0, 1] + [0] * 254)[:6]
    [0, 1, 0, 1, 0, 1]
    """
    out, q, i = list(f), KEM_Q, 1
    length = 128
    while length >= 2:
        for start in range(0, 256, 2 * length):
            zeta = pow(KEM_ZETA, bit_reverse(i, 7), q)
            i += 1
            for j in range(start, start + length):
                t = zeta * out[j + length] % q
                out[j + length] = (out[j] - t) % q
                out[j] = (out[j] + t) % q
        length //= 2
    return out


def kem_inverse(f: Sequence[int]) -> list[int]:
    """NTT^-1 [FIPS 203, Algorithm 10].

    Examples
    --------
    >>> kem_inverse(kem_ntt(range(256))) == list(range(256))
    True
    """
    out, q, i = list(f), KEM_Q, 127
    length = 2
    while length <= 128:
        for start in range(0, 256, 2 * length):
            zeta = pow(KEM_ZETA, bit_reverse(i, 7), q)
            i -= 1
            for j in range(start, start + length):
                t = out[j]
                out[j] = (t + out[j + length]) % q
                out[j + length] = zeta * (out[j + length] - t) % q
        length *= 2
    return [x * 3303 % q for x in out]


def kem_multiply(f: Sequence[int], g: Sequence[int]) -> list[int]:
    """MultiplyNTTs with BaseCaseMultiply [FIPS 203, Algorithms 11 and 12].

    Examples
    --------
    >>> kem_multiply([0, 1] * 128, [0, 1] * 128)[:4]
    [17, 0, 3312, 0]
    """
    out, q = [], KEM_Q
    for i in range(128):
        gamma = pow(KEM_ZETA, 2 * bit_reverse(i, 7) + 1, q)
        (a0, a1), (b0, b1) = f[2 * i : 2 * i + 2], g[2 * i : 2 * i + 2]
        out += [(a0 * b0 + a1 * b1 * gamma) % q, (a0 * b1 + a1 * b0) % q]
    return out


def dsa_ntt(w: Sequence[int]) -> list[int]:
    """NTT [FIPS 204, Algorithm 41] of 256 coefficients modulo 8380417.

    Examples
    --------
    >>> dsa_ntt([0, 1] + [0] * 254)[:2]
    [1753, 8378664]
    """
    out, q, m = list(w), DSA_Q, 0
    length = 128
    while length >= 1:
        for start in range(0, 256, 2 * length):
            m += 1
            z = pow(DSA_ZETA, bit_reverse(m, 8), q)
            for j in range(start, start + length):
                t = z * out[j + length] % q
                out[j + length] = (out[j] - t) % q
                out[j] = (out[j] + t) % q
        length //= 2
    return out


def dsa_inverse(w: Sequence[int]) -> list[int]:
    """NTT^-1 [FIPS 204, Algorithm 42].

    Examples
    --------
    >>> dsa_inverse(dsa_ntt(range(256))) == list(range(256))
    True
    """
    out, q, m = list(w), DSA_Q, 256
    length = 1
    while length < 256:
        for start in range(0, 256, 2 * length):
            m -= 1
            z = -pow(DSA_ZETA, bit_reverse(m, 8), q)
            for j in range(start, start + length):
                t = out[j]
                out[j] = (t + out[j + length]) % q
                out[j + length] = z * (t - out[j + length]) % q
        length *= 2
    return [x * 8347681 % q for x in out]
