# SPDX-License-Identifier: Apache-2.0
"""Parameters chosen for a given t, arithmetic modulo t, and the keys of what comes last."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv

V, W = np.arange(8), np.arange(8) - 4
SPECS = {"x": ArraySpec((8,), 0, 7), "y": ArraySpec((8,), -4, 3)}


def test_a_product_that_comes_last_can_be_written_and_shrunk() -> None:
    choice = nttforge.choose(lambda x, y: x * y, SPECS)
    assert choice.relinearization
    assert [step.name for step in choice.steps[-2:]] == ["multiply", "relinearize"]
    keys = choice.generate_keys(bfv.Context(choice.parameters))
    result = SPECS["x"].encrypt(V, keys) * SPECS["y"].encrypt(W, keys)
    data = result.shrink().to_bytes()
    again = EncryptedArray.from_bytes(keys.context, data, keys.evaluation)
    assert (again.decrypt(keys) == V * W).all() and len(data) < len(result.to_bytes())
    # A ciphertext of three parts decrypts without the key.
    assert not nttforge.choose(lambda x, y: x * y, [(0, 7), (-4, 3)]).relinearization


def test_further_keys_are_made_by_name() -> None:
    choice = nttforge.choose(lambda x: x.rotate_rows(1), [(0, 1)])
    context = bfv.Context(choice.parameters)
    assert choice.generate_keys(context).relinearization is None
    keys = choice.generate_keys(context, relinearization=True, rotations=[2], swap_columns=True)
    assert keys.relinearization is not None and keys.rotations is not None
    assert keys.rotations.steps == (1, 2) and keys.rotations.has_swap_columns
    seeded = [choice.generate_keys(context, seed=bytes(32)).secret.to_bytes() for _ in range(2)]
    assert seeded[0] == seeded[1]


def test_t_is_the_callers() -> None:
    free = nttforge.choose(lambda x: x * 3, [(0, 5)])
    given = nttforge.choose(lambda x: x * 3, [(0, 5)], t=786433)
    assert free.parameters.t < given.parameters.t == 786433
    # 65537 has slots for every n, 12289 up to n = 2048 alone.
    deep = nttforge.choose(lambda x: (x * x).relinearize(), [(0, 5)], t=65537)
    assert deep.parameters.t == 65537 and deep.parameters.n == 4096
    with pytest.raises(nttforge.ParameterError, match="n = 32768: t = 12289 has no slots"):
        nttforge.choose(lambda x: (x * x).relinearize(), [(0, 5)], t=12289)
    for t, text in ((15, "t = 15 has no slots: need a prime = 1"), (2, "t = 2 has no slots")):
        with pytest.raises(nttforge.ParameterError, match=text):
            nttforge.choose(lambda x: x, [(0, 1)], t=t)
    with pytest.raises(
        nttforge.ParameterError,
        match=r"step 2 \(multiply\) has values up to 90000, and t = 65537 holds values up to "
        "32768: leave t out, take a larger one, .*; modular=True if arithmetic modulo t is meant",
    ):
        nttforge.choose(lambda x: x * x, [(0, 300)], t=65537)
    # Our own remedy, followed.
    assert nttforge.choose(lambda x: x * x, [(0, 300)], t=65537, modular=True).parameters.t == 65537


def test_arithmetic_modulo_t_wraps_on_purpose() -> None:
    t = 65537

    def power(x: Any, keys: Any) -> Any:
        for _ in range(4):
            x = (x * x).relinearize(keys)
        return x * 3 - 1

    choice = nttforge.choose(power, {"x": (-(t // 2), t // 2)}, t=t, modular=True)
    assert all(abs(b) <= t // 2 for step in choice.steps for b in (step.low, step.high))
    keys = choice.generate_keys(bfv.Context(choice.parameters))
    values = np.array([0, 1, 2, 300, t - 1], dtype=np.uint64)
    result = power(keys.encrypt(values, signed=False), keys)
    expected = [(pow(int(v), 16, t) * 3 - 1) % t for v in values]
    assert keys.decrypt(result, signed=False)[: len(values)].tolist() == expected
    for arguments in (
        {"modular": True},
        {"modular": True, "t": t, "inputs": [ArraySpec((4,), 0, 1)]},
    ):
        with pytest.raises(
            nttforge.ParameterError, match="modular = True is for ciphertexts modulo"
        ):
            nttforge.choose(lambda x: x, **{"inputs": [(0, 1)], **arguments})
    with pytest.raises(nttforge.ParameterError, match="has values up to 40000, and t = 65537"):
        nttforge.choose(lambda x: x * 40000, [(0, 1)], t=t, modular=True)


def test_values_beyond_every_t_name_their_step() -> None:
    spec = ArraySpec((4,), -10, 10, scale=1000)
    with pytest.raises(
        nttforge.ParameterError,
        match=r"polynomial of degree 7.*: with scale = 1000 a value of degree 7 may need \d+ bits",
    ):
        nttforge.choose(lambda x: x.polynomial([0.5, 0, 0, 0, 0, 0, 0, 2.5]), [spec])
    with pytest.raises(
        nttforge.ParameterError, match=r"step \d \(multiply\) has values up to \d+, and t of"
    ):
        nttforge.choose(lambda x: x * x * x * x, [ArraySpec((4,), 0, 30000)])
    with pytest.raises(
        nttforge.ParameterError, match="a constant has values up to 2305843009213693952"
    ):
        nttforge.choose(lambda x: (x - x) * 0 + (x * 0) * 2**61, [(0, 1)])


def test_a_block_of_more_than_the_smallest_row_takes_a_larger_n() -> None:
    specs = [ArraySpec((400,), 0, 1, block=1024)] * 2
    choice = nttforge.choose(lambda x, y: x + y, specs)
    assert choice.parameters.n == 2048
    assert choice.refused[0].startswith("n = 1024: block = 1024 is more than a row of n/2 = 512")
    assert nttforge.choose(lambda x: x.convolve([1] * 200), specs[:1]).parameters.n >= 2048


def test_a_spec_encrypts_with_its_own_bounds() -> None:
    spec = ArraySpec((2, 3), -1, 2.5, scale=10, block=8)
    choice = nttforge.choose(lambda x: x.sum(axis=1), [spec])
    keys = choice.generate_keys(bfv.Context(choice.parameters))
    values = np.array([[0, 1, 2.5], [-1, 0.1, 0.2]])
    x = spec.encrypt(values, keys.public)
    assert x.bounds == (-1, 2.5) and x.layout.block == 8 and x.scale == 10
    assert x.with_keys(keys).sum(axis=1).decrypt(keys) == pytest.approx(values.sum(axis=1))
    with pytest.raises(
        nttforge.SizeError, match=r"values has shape \(3,\): need \(2, 3\), for which"
    ):
        spec.encrypt(values[0], keys)
    with pytest.raises(nttforge.ParameterError, match=r"bounds = \(-1, 2.5\) do not hold"):
        spec.encrypt(values + 1, keys)
