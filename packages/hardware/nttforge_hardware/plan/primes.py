# SPDX-License-Identifier: Apache-2.0
"""Moduli for designs, and what their cores cost."""

from __future__ import annotations

from typing import Any

from nttforge.errors import ParameterError
from nttforge.spec.number_theory import is_prime
from nttforge.spec.transform import Ring
from nttforge_oracle.number_theory import generalised_mersenne_primes, ntt_primes, transform_support

from .cores import CoreDesign, choose_cores
from .parameters import MAX_BITS, MAX_LOG_N, MIN_BITS, check_power_of_two
from .pipeline import Pipeline
from .solinas import solinas_form


def usable_primes(
    n: int, bits: int, count: int, ring: Ring = "negacyclic", core: str = "auto"
) -> tuple[int, ...]:
    """The ``count`` largest primes of ``bits`` bits for a design.

    With core "solinas" only primes 2^i +- 2^j +- 1 that carry the transform.

    Raises
    ------
    ParameterError
        If there are fewer.

    Examples
    --------
    >>> usable_primes(1024, 28, 1, core="solinas")
    (268369921,)
    """
    if n < 2 or n & (n - 1) or n > 1 << MAX_LOG_N:
        raise ParameterError(f"n = {n} must be a power of two in 8 ... {1 << MAX_LOG_N}")
    if not MIN_BITS <= bits <= MAX_BITS:
        raise ParameterError(f"bits = {bits} must be in {MIN_BITS} ... {MAX_BITS}")
    if count < 1:
        raise ParameterError(f"the number of primes = {count} must be at least 1")
    order = 2 * n if ring == "negacyclic" else n
    if core == "solinas":
        forms = generalised_mersenne_primes(bits)
        found = [f.value for f in forms if (f.value - 1) % order == 0 and solinas_form(f.value)]
        if len(found) < count:
            raise ParameterError(
                f"bits = {bits}: {len(found)} primes 2^i +- 2^j +- 1 have q = 1 (mod {order}), "
                f"{count} wanted; use another size or core = 'montgomery'"
            )
        return tuple(found[:count])
    try:
        return tuple(ntt_primes(order // 2, bits, count))
    except ValueError as error:
        raise ParameterError(f"bits = {bits}: {error}; use more bits") from None


def usable_dgt_primes(n: int, bits: int, count: int, core: str = "auto") -> tuple[int, ...]:
    """The ``count`` largest primes of ``bits`` bits for a DGT of n coefficients, q = 3 (mod 4).

    With core "solinas" only primes 2^i +- 2^j +- 1. Raises as ``usable_primes``.

    Examples
    --------
    >>> usable_dgt_primes(512, 30, 1, core="solinas")
    (1073741311,)
    """
    check_power_of_two("n", n, 16, 2 << MAX_LOG_N, "")
    if not MIN_BITS <= bits <= MAX_BITS:
        raise ParameterError(f"bits = {bits} must be in {MIN_BITS} ... {MAX_BITS}")
    if count < 1:
        raise ParameterError(f"the number of primes = {count} must be at least 1")
    found: list[int] = []
    if core == "solinas":
        for form in generalised_mersenne_primes(bits):
            if (form.value + 1) % n == 0 and form.value % 4 == 3 and solinas_form(form.value):
                found.append(form.value)
    else:
        q = 2**bits - 1  # = -1 (mod n)
        while len(found) < count and q >= 2 ** (bits - 1):
            if is_prime(q):
                found.append(q)
            q -= n
    if len(found) < count:
        raise ParameterError(
            f"{len(found)} primes of {bits} bits carry a DGT of n = {n}, {count} wanted; "
            "use more bits"
        )
    return tuple(found[:count])


def describe_prime(q: int) -> dict[str, Any]:
    """Form, largest transform, and the cores that take ``q`` with DSPs and cycles."""
    form = solinas_form(q)
    kinds = ("solinas", "montgomery", "barrett") if form else ("montgomery", "barrett")
    cores: list[CoreDesign] = [choose_cores(kind, (q,), Pipeline())[0] for kind in kinds]
    signs = {1: "+", -1: "-"}
    text = f"2^{form.i} {signs[form.sign_j]} 2^{form.j} {signs[form.sign_0]} 1" if form else None
    return {
        "q": q,
        "form": text,
        "max_n_negacyclic": transform_support(q).max_n_negacyclic,
        "cores": [{"core": c.kind, "dsps": c.dsps, "cycles": c.latency()} for c in cores],
    }
