# SPDX-License-Identifier: Apache-2.0
"""The plaintext modulus of a recorded computation: given, or the smallest that holds its values."""

from __future__ import annotations

from .. import _arguments as arguments
from ..errors import ParameterError
from ..number_theory import is_prime
from .traced import Recorder, Traced

_LEAST_N = 2**10
_MOST_T_BITS = 59
_MOST_VALUE = 2**58 - 2**32  # there is a prime t of 59 bits with slots above twice that


def largest_of(recorder: Recorder, results: list[Traced]) -> int:
    """What t has to hold."""
    bounds = [abs(x) for result in results for x in (result.low, result.high)]
    return max(recorder.largest, *bounds)


def plain_modulus_argument(t: object) -> int:
    """A prime with slots at some n."""
    found = arguments.integer("t", t, 2, 2**_MOST_T_BITS - 1)
    if not is_prime(found) or (found - 1) % (2 * _LEAST_N):
        raise ParameterError(
            f"t = {found} has no slots: need a prime = 1 (mod 2n), such as 65537 or "
            "nttforge.ntt_primes(n, bits)[0]; a recorded function computes in slots"
        )
    return found


def plain_modulus(n: int, largest: int) -> int:
    """The smallest prime t = 1 (mod 2n) with -largest and largest in its signed range."""
    t = 2 * largest + 1
    t += -(t - 1) % (2 * n)
    while t == 1 or not is_prime(t):
        t += 2 * n
    return t


def require_t(t: int | None, largest: int, recorder: Recorder, modular: bool) -> None:
    """Some t, or the given one, holds the values."""
    most = _MOST_VALUE if t is None else (t - 1) // 2
    if largest <= most:
        return
    for i, step in enumerate(recorder.steps):
        if max(-step.low, step.high) >= largest:
            where = f"step {i + 1} ({step.name})"
            break
    else:
        where = "a constant"
    limit = "t of at most 59 bits holds" if t is None else f"t = {t} holds"
    remedy = "take a smaller scale, narrower ranges of the inputs, or fewer products"
    if t is not None:
        remedy = "leave t out, take a larger one, or " + remedy
        if not modular:
            remedy += "; modular=True if arithmetic modulo t is meant"
    raise ParameterError(
        f"{where} has values up to {arguments.number_text(largest)}, and {limit} values up to "
        f"{most}: {remedy}"
    )
