# SPDX-License-Identifier: Apache-2.0
"""Exact results of any size by transforms modulo several primes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _arguments as arguments
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..number_theory import ntt_primes
from .plan import NttPlan

__all__ = ["convolve", "crt"]

_PRIME_BITS = 60
_LEAST_SIZE, _MOST_SIZE = 8, 2**24


def crt(residues: Any, q: Iterable[int], *, signed: bool = False) -> int | NDArray[np.object_]:
    """The integers with these residues, by Garner's mixed radix [Gar59].

    Parameters
    ----------
    residues : sequence of int, or array of integers, shape (..., limbs, n)
        One for each modulus: of a single integer, or as transforms and ciphertexts have them.
        Any integers; they are reduced.
    q : iterable of int
        Moduli, at least 2, each prime to all others.
    signed : bool
        Take the representative in [-Q/2, Q/2), Q the product of the moduli, in place of the one in
        [0, Q).

    Returns
    -------
    int, or array of Python integers, shape (..., n)

    Raises
    ------
    ParameterError
        Two moduli have a common divisor, or one is below 2.
    SizeError
        The number of residues is not that of the moduli.

    Examples
    --------
    >>> crt([2, 3, 2], [3, 5, 7])
    23
    >>> crt([[1, 2], [4, 1]], [3, 5], signed=True)
    array([4, -4], dtype=object)
    """
    moduli = arguments.integers("q", q, 2, 2**4096)
    if not moduli:
        raise SizeError("q is empty: need one modulus at least")
    rows = np.asarray(residues, dtype=object)
    single = rows.ndim == 1
    if rows.ndim == 0 or rows.shape[-1 if single else -2] != len(moduli):
        raise SizeError(
            f"residues has shape {rows.shape}: need {len(moduli)} integers, one for each modulus, "
            f"or an array of shape (..., {len(moduli)}, n)"
        )
    if single:
        rows = rows[:, None]
    for value in rows.flat:
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise ArgumentTypeError(f"residues has the value {value!r}: need integers")
    product = 1
    result: Any = np.zeros(rows.shape[:-2] + rows.shape[-1:], dtype=object)
    for i, modulus in enumerate(moduli):
        if math.gcd(product, modulus) != 1:
            other = next(m for m in moduli if math.gcd(m, modulus) != 1)
            raise ParameterError(
                f"q[{i}] = {arguments.number_text(modulus)} and {arguments.number_text(other)} "
                "have a common divisor: moduli must be prime to each other"
            )
        inverse = pow(product, -1, modulus)
        result = result + (rows[..., i, :] - result) * inverse % modulus * product
        product *= modulus
    if signed:
        result = np.where(2 * result >= product, result - product, result)
    return int(result[0]) if single else result


def convolve(
    a: Sequence[int] | NDArray[Any], b: Sequence[int] | NDArray[Any]
) -> NDArray[np.int64] | NDArray[np.object_]:
    """``numpy.convolve(a, b)`` of integers of any size, exactly.

    By cyclic transforms modulo as many primes as the result needs.

    Parameters
    ----------
    a, b : sequence of int, or array of integers, shapes (m,) and (k,)
        At least one integer each, and m + k - 1 <= 2^24.

    Returns
    -------
    array, shape (m + k - 1,)
        int64 where every result surely fits, else Python integers (dtype object).

    Raises
    ------
    SizeError, ArgumentTypeError
        An operand is empty, too long, or no row of integers.

    Examples
    --------
    >>> convolve([1, 2, 3], [4, 5])
    array([ 4, 13, 22, 15])
    >>> convolve([10**30, 1], [10**30, -1])[0] == 10**60
    True
    """
    left, most_left = _row("a", a)
    right, most_right = _row("b", b)
    length = left.size + right.size - 1
    if length > _MOST_SIZE:
        raise SizeError(f"a and b give {length} sums: need at most 2^24")
    bound = min(left.size, right.size) * most_left * most_right
    size = max(_LEAST_SIZE, 1 << (length - 1).bit_length())
    count = (2 * bound).bit_length() // (_PRIME_BITS - 1) + 1
    primes = ntt_primes(size, _PRIME_BITS, count)
    plan = NttPlan(n=size, moduli=primes, ring="cyclic")
    sums = plan.polynomial_product(_residues(left, primes, size), _residues(right, primes, size))
    if count == 1:
        q = primes[0]
        words = np.asarray(sums)[0, :length]
        return np.where(words > q // 2, words - np.uint64(q), words).astype(np.int64)
    result = np.asarray(crt(np.asarray(sums)[:, :length], primes, signed=True))
    return result.astype(np.int64) if bound < 2**63 else result


def _row(name: str, values: Any) -> tuple[NDArray[Any], int]:
    """A row of integers and the largest absolute value."""
    array = np.asarray(values)
    if array.dtype.kind in "iu":
        array = array.astype(np.int64 if array.dtype.kind == "i" else np.uint64)
    else:
        array = np.asarray(values, dtype=object)
    if array.ndim != 1 or not array.size:
        raise SizeError(f"{name} has shape {array.shape}: need a row of integers, one at least")
    if array.dtype == object:
        for i, value in enumerate(array):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise ArgumentTypeError(f"{name}[{i}] = {value!r}: need an integer")
    most = max(abs(int(array.min())), abs(int(array.max())), 1)
    return array, most


def _residues(values: NDArray[Any], primes: list[int], size: int) -> NDArray[np.uint64]:
    out = np.zeros((len(primes), size), dtype=np.uint64)
    for row, prime in zip(out, primes, strict=True):
        row[: values.size] = values % (np.uint64(prime) if values.dtype.kind == "u" else prime)
    return out
