# SPDX-License-Identifier: Apache-2.0
"""Small insecure sets of CKKS, in which a circuit takes milliseconds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import nttforge
from nttforge import ckks

#: A float of exact arithmetic is no nearer to the truth than this part of it.
DOUBLES = 2.0**-49


def small_set(
    n: int, levels: int, scale_bits: int = 40, special: int = 1, lowest: int = 60
) -> ckks.Parameters:
    """A lowest prime of 60 bits or another size, one of scale_bits a level, special primes."""
    first = nttforge.ntt_primes(n, lowest, 1)
    rest = [q for q in nttforge.ntt_primes(n, 60, special + 1) if q not in first][:special]
    chain = balanced_chain(n, scale_bits, levels)
    return ckks.Parameters.custom(
        n, 2.0**scale_bits, [*first, *chain], rest, security="insecure_by_request"
    )


def balanced_chain(n: int, scale_bits: int, levels: int) -> list[int]:
    """A prime for each level, the lowest first, with which scales stay near 2^scale_bits."""
    center = scale = 2.0**scale_bits
    chain: list[int] = []
    for _ in range(levels):
        k = round(scale * scale / center / (2 * n))
        near = (2 * n * (k + sign * d) + 1 for d in range(k) for sign in (1, -1))
        chain.append(next(q for q in near if q not in chain and nttforge.is_prime(q)))
        scale = scale * scale / chain[-1]
    return chain[::-1]


def windows_set(n: int, special: int = 3) -> ckks.Parameters:
    """The windows of the sets with 32-bit words."""
    q = [*nttforge.ntt_primes(n, 25, 4), *nttforge.ntt_primes(n, 30, 5)]
    return ckks.Parameters.custom(
        n,
        2.0**60,
        q,
        nttforge.ntt_primes(n, 31, special),
        security="insecure_by_request",
        word_bits=32,
        levels=[(3, 5), (4, 7), (0, 5), (2, 8), (0, 9)],
    )


def uniform(rng: np.random.Generator, shape: Any, real: bool = False) -> NDArray[Any]:
    """Numbers whose real and imaginary parts are in [-1, 1]."""
    values = rng.uniform(-1, 1, shape)
    return values if real else values + 1j * rng.uniform(-1, 1, shape)


def check(keys: ckks.Keys, x: ckks.Ciphertext, exact: Any, what: str = "") -> float:
    """The numbers are those that were meant but for the error that the ciphertext states."""
    values, bits = keys.decrypt(x, with_precision=True)
    wanted = np.broadcast_to(exact, values.shape)
    size = float(np.abs(wanted).max())
    error = float(np.abs(values - wanted).max())
    rounding = DOUBLES * max(size, x.bound)
    assert error <= x.error + rounding, (what, error, x.error)
    assert error <= x.proved_error + rounding, (what, error, x.proved_error)
    assert 2.0**-bits == x.error, what
    assert size <= x.bound * (1 + 1e-9), (what, size, x.bound)
    assert values.dtype == (np.float64 if x.real else np.complex128), what
    return error
