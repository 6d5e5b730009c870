# SPDX-License-Identifier: Apache-2.0
"""Answers that travel: levels of BFV, shrink and gather, on every device and in both schemes."""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from nttforge import bfv, bgv
from nttforge.errors import (
    ArgumentTypeError,
    FormatError,
    MissingKeyError,
    NoiseError,
    ParameterError,
    SizeError,
)

SCHEMES = [bfv, bgv]


@pytest.fixture(scope="module", params=SCHEMES, ids=["bfv", "bgv"])
def scheme(request: pytest.FixtureRequest) -> ModuleType:
    return request.param


@pytest.fixture(scope="module")
def context(scheme: Any) -> Any:
    return scheme.Context(scheme.Parameters.preset(8192), threads=1)


@pytest.fixture(scope="module")
def keys(context: Any) -> Any:
    return context.generate_keys(rotations=[1], inner_sum=4, seed=bytes(32))


def test_levels_of_bfv() -> None:
    context = bfv.Context(bfv.Parameters.preset(8192), threads=1)
    keys = context.generate_keys(rotations=[1], seed=bytes(32))
    a, b = keys.encrypt([1, 2, 3]), keys.encrypt([4, 5, 6])
    top = len(context.parameters.q)
    assert (a.level, context.lowest_level) == (top, 1)
    low = a.mod_switch(2)
    assert low.level == 2
    assert f"level 2 of {top}" in repr(low)
    assert low.residues.shape == (2, 2, context.n)
    assert keys.decrypt(low + b)[:3].tolist() == [5, 7, 9]
    assert (low * b).level == 2
    assert keys.decrypt((low * b).relinearize(keys.relinearization))[:3].tolist() == [4, 10, 18]
    assert keys.decrypt(low.rotate_rows(1, keys.rotations) - [1, 1])[:2].tolist() == [1, 2]
    assert keys.decrypt(a.mod_switch(1) * 5)[:3].tolist() == [5, 10, 15]
    assert bfv.Ciphertext.from_bytes(context, low.to_bytes()).same_words(low)
    built = bfv.Ciphertext.from_residues(context, low.residues, encoding="slots")
    assert keys.decrypt(built)[:3].tolist() == [1, 2, 3]
    for level in (0, top + 1):
        with pytest.raises(ParameterError, match=f"level = {level} is not in"):
            a.mod_switch(level)
    with pytest.raises(ParameterError, match="a is at level 1, the lowest"):
        a.mod_switch(1).mod_switch()


def test_shrink(scheme: Any, context: Any, keys: Any) -> None:
    answer = (keys.encrypt([1, 2, 3]) * keys.encrypt([4, 5, 6])).relinearize(keys.relinearization)
    small = answer.shrink()
    assert keys.decrypt(small)[:3].tolist() == [4, 10, 18]
    assert small.predicted_noise_budget_bits >= 10
    assert answer.stored_bits == ()
    assert small.level == (1 if scheme is bfv else 2)
    bits = small.stored_bits
    assert len(bits) == 2
    assert bits[0] < bits[1] < 40
    data = small.to_bytes()
    assert len(data) == 72 + context.n * sum(bits) // 8
    assert len(data) < len(answer.to_bytes()) / 4
    read = scheme.Ciphertext.from_bytes(context, data)
    assert read.same_words(small)
    assert read.stored_bits == bits
    assert keys.decrypt(read)[:3].tolist() == [4, 10, 18]
    again = pickle.loads(pickle.dumps(small))
    assert again.same_words(small)
    assert (again.stored_bits, again.noise_log2) == (bits, small.noise_log2)
    assert (small + small).stored_bits == ()
    sure = answer.shrink(40, bound="proved")
    assert sure.proved_noise_budget_bits >= 40
    assert len(data) < len(sure.to_bytes())


def test_shrink_refuses(scheme: Any, context: Any, keys: Any) -> None:
    a = keys.encrypt([1])
    with pytest.raises(ParameterError, match=r"min_budget_bits = -1 is not in \[0, 1000\] bits"):
        a.shrink(-1)
    with pytest.raises(ArgumentTypeError, match="min_budget_bits = '1': need a number"):
        a.shrink("1")
    with pytest.raises(ParameterError, match="bound = 'sure' is not one of"):
        a.shrink(bound="sure")
    with pytest.raises(NoiseError, match=r"less than min_budget_bits = 500\.0 already"):
        a.shrink(500)
    unknown = scheme.Ciphertext.from_residues(context, a.residues, encoding="slots")
    with pytest.raises(NoiseError, match="nothing is known of its noise"):
        unknown.shrink()
    data = bytearray(a.shrink().to_bytes())
    data[8] = 4
    with pytest.raises(FormatError, match="a newer release wrote these bytes, so update"):
        scheme.Ciphertext.from_bytes(context, bytes(data))


def test_gather(scheme: Any, context: Any, keys: Any) -> None:
    rows = [keys.encrypt(np.arange(context.n) % 100 + k) for k in range(3)]
    together = scheme.gather(rows, [5, [7, 8], range(10, 13)])
    plain = keys.decrypt(together)
    expected = np.zeros(context.n, dtype=int)
    expected[[5, 7, 8, 10, 11, 12]] = [5, 8, 9, 12, 13, 14]
    assert plain.tolist() == expected.tolist()
    assert keys.decrypt(scheme.gather(rows).shrink(2))[:4].tolist() == [0, 2, 4, 0]
    with pytest.raises(ParameterError, match=r"slots\[1\] = 5 is given twice"):
        scheme.gather(rows[:2], [5, [4, 5]])
    with pytest.raises(SizeError, match="terms has 3 ciphertexts and slots 2 entries"):
        scheme.gather(rows, [1, 2])
    with pytest.raises(SizeError, match="terms has 0 ciphertexts"):
        scheme.gather([])
    with pytest.raises(ParameterError, match=r"slots\[0\]\[0\] = 8192 is not in"):
        scheme.gather(rows[:1], [8192])


def test_sizes_of_the_examples(keys: Any, context: Any, scheme: Any) -> None:
    """55 covariances in 2 MiB and 39 looked-up numbers in 0.4 MB, for a t of 17 bits."""
    sums = [keys.encrypt([k] * context.n) for k in range(55)]
    one = scheme.gather(sums).shrink()
    assert keys.decrypt(one)[:56].tolist() == [*range(55), 0]
    assert len(one.to_bytes()) < 80_000


def test_composed_rotations(scheme: Any, context: Any) -> None:
    keys = context.generate_keys(rotations=[1, 2, 4, -8], seed=bytes(32))
    a = keys.encrypt(np.arange(100))
    assert keys.rotations.composed(7) == (1, 2, 4)
    turned = a.rotate_rows(7, keys, compose=True)
    assert keys.decrypt(turned)[:3].tolist() == [7, 8, 9]
    assert keys.decrypt(a.rotate_rows(-7, keys, compose=True))[7:10].tolist() == [0, 1, 2]
    assert a.rotate_rows(4, keys, compose=True).same_words(a.rotate_rows(4, keys))
    with pytest.raises(MissingKeyError, match="7"):
        a.rotate_rows(7, keys)
    few = context.generate_keys(rotations=[2], seed=bytes(32))
    with pytest.raises(MissingKeyError, match="rotation step 3 is no sum of steps with a key: 2;"):
        a.rotate_rows(3, few.rotations, compose=True)
