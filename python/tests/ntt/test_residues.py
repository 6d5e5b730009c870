# SPDX-License-Identifier: Apache-2.0
"""What a plan takes as residues: signed integers are what they are, and remedies are right."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import ArgumentTypeError, NttPlan, ParameterError

Q = 8380417
SIGNED = (np.int8, np.int16, np.int32, np.int64, ">i4", object)


def _values(q: int, dtype: Any) -> list[int]:
    low = -(q - 1) if dtype is object else max(-(q - 1), int(np.iinfo(dtype).min))
    high = q - 1 if dtype is object else min(q - 1, int(np.iinfo(dtype).max))
    return [low, -2, -1, 0, 1, 2, high - 1, high]


@pytest.mark.parametrize("dtype", SIGNED)
@pytest.mark.parametrize("word_bits", [32, 64])
def test_signed_integers_are_residues(dtype: Any, word_bits: Any) -> None:
    plan = NttPlan(8, Q, word_bits=word_bits)
    values = _values(Q, dtype)
    want = plan.forward([v % Q for v in values])
    x = np.array(values, dtype=dtype)
    before = x.copy()
    for given in (x, x[::1], values, tuple(values), [np.int64(v) for v in values]):
        for check in (None, False):
            assert (plan.forward(given, check=check) == want).all()
    assert (x == before).all()
    assert (plan.forward(np.stack([x, x]).T.copy().T)[1] == want).all()  # need not be contiguous
    out = nttforge.empty(8, plan.dtype)
    assert plan.forward(x, out=out) is out and (out == want).all()


def test_the_whole_of_int64_is_compared_with_q() -> None:
    q = 2**64 - 2**32 + 1  # above every int64
    values = [-(2**63), 2**63 - 1, -1, 0]
    plan = NttPlan(4, q)
    want = plan.forward([v % q for v in values])
    assert (plan.forward(np.array(values)) == want).all()
    with pytest.raises(ParameterError, match=r"x\[0\] = -9223372036854775808 is not in \(-q, q\)"):
        NttPlan(4, nttforge.ntt_primes(4, 62)[0]).forward(np.array(values))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
def test_the_remedy_for_a_residue_outside_is_right(dtype: Any) -> None:
    x = np.array([1, 2, 3, 3 * Q + 5], dtype=dtype)
    if dtype is not np.uint64:
        x[0] = -2 * Q - 7
    plan = NttPlan(4, Q)
    with pytest.raises(ParameterError) as caught:
        plan.forward(x)
    remedy = str(caught.value).split(": pass ")[1]
    want = plan.forward([int(v) % Q for v in x])
    assert (plan.forward(eval(remedy, {"x": x})) == want).all()

    moduli = [Q, 97]
    limbs = NttPlan(4, moduli)
    y = np.array([[1, 2, 3, 4], [5, 98, 6, 7]], dtype=dtype)
    with pytest.raises(ParameterError, match=r"x\[1, 1\] = 98 .* with q = 97") as caught:
        limbs.forward(y)
    exec(str(caught.value).split(": reduce the limb, ")[1], {"x": y})
    want = limbs.forward([[1, 2, 3, 4], [5, 1, 6, 7]])
    assert (limbs.forward(y) == want).all()


@pytest.mark.parametrize(
    ("dtype", "word_bits"), [(np.float64, 64), (np.uint32, 64), (np.uint64, 32), (bool, 64)]
)
def test_the_remedy_for_a_dtype_is_right(dtype: Any, word_bits: Any) -> None:
    plan = NttPlan(4, Q, word_bits=word_bits)
    x = np.array([0, 1, 1, 0] if dtype is bool else [1, 2, 3, 5], dtype=dtype)
    if dtype is np.float64:
        x[0] = -128
    if dtype is np.uint64:
        x[0] = 2**32 + 5  # a conversion alone would make it 5
    with pytest.raises(ArgumentTypeError) as caught:
        plan.forward(x)
    found = re.search(r"\S*\(?x\b.*?\.astype\(numpy\.\w+\)", str(caught.value).split("; ", 1)[1])
    assert found is not None, str(caught.value)
    expression = found[0].removeprefix("residues are integers; ")
    converted = eval(expression, {"x": x, "q": Q, "numpy": np})
    assert (plan.forward(converted) == plan.forward([int(v) % Q for v in x])).all()


def test_signed_arrays_of_a_product_and_an_accumulator() -> None:
    plan = NttPlan(4, Q)
    a, b = np.array([-1, 2, -3, 4]), np.array([5, -6, 7, -8], dtype=np.int16)
    unsigned = [plan.forward([int(v) % Q for v in row]) for row in (a, b)]
    product = plan.polynomial_product(a, b)
    assert (product == plan.inverse(plan.multiply(*unsigned))).all()
    total = np.zeros(4, dtype=np.uint64)
    assert (plan.multiply_accumulate(a, b, total) == plan.multiply(a, b)).all()
    with pytest.raises(ArgumentTypeError, match="accumulator has dtype int64: need uint64; make"):
        plan.multiply_accumulate(a, b, np.zeros(4, dtype=np.int64))
