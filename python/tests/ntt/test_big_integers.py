# SPDX-License-Identifier: Apache-2.0
"""Convolutions of integers of any size, and integers from their residues."""

from __future__ import annotations

import random
from math import prod

import numpy as np
import pytest

import nttforge


@pytest.mark.parametrize("lengths", [(1, 1), (1, 9), (5, 3), (200, 77)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.uint64])
def test_convolve_is_numpys(lengths: tuple[int, int], dtype: type) -> None:
    rng = np.random.default_rng(1)
    limits = np.iinfo(dtype)
    a, b = (rng.integers(limits.min, limits.max, m, dtype=dtype, endpoint=True) for m in lengths)
    a[0], b[-1] = limits.min, limits.max
    got = nttforge.convolve(a, b)
    assert (got == np.convolve(a.astype(object), b.astype(object))).all()
    assert got.dtype == (np.int64 if limits.bits < 32 else object)


def test_convolve_of_big_integers() -> None:
    rng = random.Random(2)
    a = [rng.randint(-(2**500), 2**500) for _ in range(20)]
    b = [rng.randint(-(2**90), 2**90) for _ in range(7)]
    expected = [sum(a[j] * b[i - j] for j in range(20) if 0 <= i - j < 7) for i in range(26)]
    assert nttforge.convolve(a, b).tolist() == expected
    edge = nttforge.convolve([2**31, -(2**31)], [2**31, 1])
    assert edge.tolist() == [2**62, 2**31 - 2**62, -(2**31)]
    assert nttforge.convolve([0, 0], [0]).tolist() == [0, 0]


def test_crt_of_integers_and_arrays() -> None:
    primes = nttforge.ntt_primes(64, 40, 3)
    q = prod(primes)
    for value in (0, 1, q - 1, q // 2, q // 2 + 1):
        residues = [value % p for p in primes]
        assert nttforge.crt(residues, primes) == value
        signed = value - q if 2 * value >= q else value
        assert nttforge.crt(residues, primes, signed=True) == signed
    rng = random.Random(3)
    values = [[rng.randrange(q) for _ in range(5)] for _ in range(2)]
    rows = np.array([[[v % p for v in row] for p in primes] for row in values], dtype=np.uint64)
    assert nttforge.crt(rows, primes).tolist() == values
    assert nttforge.crt([5, -1], [4, 9]) == 17  # any integers are reduced


def test_bad_input_is_named() -> None:
    with pytest.raises(nttforge.ParameterError, match=r"q\[1\] = 6 and 4 have a common divisor"):
        nttforge.crt([1, 1], [4, 6])
    with pytest.raises(nttforge.SizeError, match="need 2 integers, one for each modulus"):
        nttforge.crt([1], [3, 5])
    with pytest.raises(nttforge.ParameterError, match=r"q\[0\] = 1"):
        nttforge.crt([1], [1])
    with pytest.raises(nttforge.ArgumentTypeError, match="need integers"):
        nttforge.crt([0.5], [3])
    with pytest.raises(nttforge.SizeError, match="a has shape"):
        nttforge.convolve([], [1])
    with pytest.raises(nttforge.ArgumentTypeError, match=r"b\[0\] = 0.5"):
        nttforge.convolve([1], [0.5])
