# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays against NumPy, and with the parameters that are chosen for them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv, integer_encoding
from nttforge.choosing.recording import record
from nttforge.choosing.traced import Recorder, rotation_steps
from nttforge.integer_encoding import Keys
from nttforge.rlwe import KeyGenerator

RNG = np.random.default_rng(5)
V, W = RNG.integers(-9, 10, 16), RNG.integers(-9, 10, 16)
ODD = RNG.integers(-9, 10, 11)
A, B = RNG.integers(-9, 10, (20, 16)), RNG.integers(-9, 10, (20, 16))
MANY = RNG.integers(-9, 10, (700, 16))
SMALL = RNG.integers(-3, 4, (4, 4))
MATRIX = RNG.integers(-5, 6, (16, 5))


def roll(x: Any, shift: int) -> Any:
    return x.roll(shift) if isinstance(x, EncryptedArray) else np.roll(x, shift, -1)


def where(x: Any, mask: Any) -> Any:
    return x.where(mask) if isinstance(x, EncryptedArray) else np.where(mask, x, 0)


def convolve(x: Any, y: Any) -> Any:
    return x.convolve(y) if isinstance(x, EncryptedArray) else np.convolve(x, y)


def polynomial(x: Any, c: list[int]) -> Any:
    if isinstance(x, EncryptedArray):
        return x.polynomial(c)
    return sum(a * x**k for k, a in enumerate(c))


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "sums and constants": (lambda x, y: 1 - (x + y * 3 - V) + 2, (V, W)),
    "negative": (lambda x: -x - x, (V,)),
    "products": (lambda x, y: x * y * 2 - x, (V, W)),
    "plain rows": (lambda x: x * A + A, (V,)),
    "square": (lambda x: x * x, (A,)),
    "sum": (lambda x: x.sum(), (V,)),
    "sum of odd length": (lambda x: (x + 1).sum(), (ODD,)),
    "roll": (lambda x: roll(x, 3), (V,)),
    "roll rows": (lambda x: roll(x, -5), (A,)),
    "roll of odd length": (lambda x: roll(x + 1, 4).sum(), (ODD,)),
    "roll by nothing": (lambda x: roll(x, 22), (ODD,)),
    "sum of rows": (lambda x: x.sum(axis=0), (A,)),
    "sum of columns": (lambda x: x.sum(axis=1) * 2, (A,)),
    "sum of all": (lambda x: x.sum(), (A,)),
    "sum of ciphertexts": (lambda x: x.sum(axis=0), (MANY,)),
    "broadcast, then sum": (lambda x, y: (x + y).sum(axis=0), (A, V)),
    "matrix by vector": (lambda x, y: x @ y, (A, V)),
    "matrix by plain vector": (lambda x: x @ V, (A,)),
    "rows by plain matrix": (lambda x: x @ MATRIX, (A,)),
    "plain matrix by vector": (lambda x: MATRIX.T @ x, (V,)),
    "plain vector by matrix": (lambda x: np.arange(20) @ x, (A,)),
    "plain vector by vector": (lambda x: V @ x, (W,)),
    "matrix by matrix": (lambda x, y: x @ y, (SMALL, SMALL.T)),
    "vector by matrix": (lambda x, y: x @ y, (SMALL[0], SMALL)),
    "entry": (lambda x: x[3] * x, (V,)),
    "last entry": (lambda x: x[-1], (ODD,)),
    "row": (lambda x: x[3], (A,)),
    "row of many": (lambda x: x[600] + x[2], (MANY,)),
    "column": (lambda x: x[:, 2], (A,)),
    "entry of a row": (lambda x: x[5, 7], (A,)),
    "slice": (lambda x: x[2:9].sum() + x.sum(), (ODD,)),
    "slice of columns": (lambda x: x[:, 1:4], (A,)),
    "whole": (lambda x: x[:], (V,)),
    "where": (lambda x: where(x, V > 0), (A,)),
    "mean": (lambda x: x.mean(axis=1), (A,)),
    "less its mean": (lambda x: x - x.mean(axis=1, keepdims=True), (A,)),
    "polynomial": (lambda x: polynomial(x, [3, -1, 2, 5]), (V,)),
    "polynomial of degree 6": (lambda x: polynomial(x, [1, 0, 0, 2, 1, 0, -1]), (SMALL[0],)),
    "power": (lambda x: x**3, (V,)),
    "sum of a sum": (lambda x: x.sum(axis=1, keepdims=True).sum(), (A,)),
}


@pytest.fixture(scope="module")
def keys() -> Keys:
    parameters = bfv.Parameters.preset(8192, nttforge.ntt_primes(8192, 24)[0])
    return bfv.Context(parameters).generate_keys()


def with_steps(keys: Keys, function: Any, specs: list[ArraySpec]) -> bfv.EvaluationKeys:
    """The keys that recording the function at the context's n asks for, and no more."""
    recorder = Recorder()
    record(function, specs, recorder, keys.context.n)
    steps = rotation_steps(recorder, keys.context.n)
    rotations = KeyGenerator(keys.secret).rotation_keys(steps, bool(recorder.swaps))
    return bfv.EvaluationKeys(keys.relinearization, rotations)


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(keys: Keys, name: str) -> None:
    function, arrays = CASES[name]
    specs = [ArraySpec(x.shape, int(x.min()), int(x.max())) for x in arrays]
    evaluation = with_steps(keys, function, specs)
    inputs = [EncryptedArray.encrypt(x, keys).with_keys(evaluation) for x in arrays]
    before = [x.decrypt(keys) for x in inputs]
    result, expected = function(*inputs), function(*arrays)
    got = result.decrypt(keys)
    assert got.shape == result.shape == np.shape(expected) and np.array_equal(got, expected)
    low, high = result.bounds
    assert low <= got.min() and got.max() <= high
    assert all(np.array_equal(x.decrypt(keys), y) for x, y in zip(inputs, before, strict=True))


def test_convolutions(keys: Keys) -> None:
    x, y = np.arange(1, 9), np.array([2, 0, -3, 1])
    specs = [ArraySpec((8,), 0, 15, block=16), ArraySpec((4,), -7, 7, block=16)]
    for function in (convolve, lambda a, _: convolve(a, y)):
        evaluation = with_steps(keys, function, specs)
        a, b = (EncryptedArray.encrypt(v, keys, block=16).with_keys(evaluation) for v in (x, y))
        assert np.array_equal(function(a, b).decrypt(keys), np.convolve(x, y))


def test_scales_are_tracked(keys: Keys) -> None:
    x = EncryptedArray.encrypt([1.25, -2.5, 0.126], keys, scale=100)
    y = EncryptedArray.encrypt([3, 4, 5], keys)
    assert x.scale == 100 and x.decrypt(keys).tolist() == [1.25, -2.5, 0.13]
    assert (x + y).scale == 100 and (x + y).decrypt(keys).tolist() == [4.25, 1.5, 5.13]
    assert (y - x * 2).decrypt(keys).tolist() == [0.5, 9, 4.74]
    assert (x * x).scale == 10000 and (x * x).decrypt(keys).tolist() == [1.5625, 6.25, 0.0169]
    assert (x * 0.5).decrypt(keys).tolist() == [0.625, -1.25, 0.065]
    assert (x + 0.5).decrypt(keys).tolist() == [1.75, -2, 0.63]
    assert (x * x + x).decrypt(keys) == pytest.approx([2.8125, 3.75, 0.1469])


def test_ranges_say_no_more_than_they_need(keys: Keys) -> None:
    x = EncryptedArray.encrypt([3, 5], keys)
    assert x.bounds == (0, 7) and (x - 10).bounds == (-10, 7)
    told = EncryptedArray.encrypt([3, 5], keys, bounds=(-2, 6))
    assert told.bounds == (-2, 6) and (told * told).bounds == (0, 36)
    assert (told * [1, -1]).bounds == (-6, 6) and (told**2).bounds == (0, 36)


def test_bytes_copies_and_pickles(keys: Keys) -> None:
    x = EncryptedArray.encrypt([[1.5, 2], [3, 4]], keys, scale=2, bounds=(0, 7.5))
    for other in (
        EncryptedArray.from_bytes(keys.context, x.to_bytes()),
        pickle.loads(pickle.dumps(x)),
        copy.deepcopy(x),
    ):
        assert other.shape == (2, 2) and other.scale == 2 and other.bounds == x.bounds
        assert other.decrypt(keys).tolist() == [[1.5, 2], [3, 4]]
    product = EncryptedArray.from_bytes(keys.context, (x * x).to_bytes(), keys)
    assert product.scale == 4 and product.decrypt(keys).tolist() == [[2.25, 4], [9, 16]]
    assert repr(x).startswith("<EncryptedArray: shape (2, 2), scale 2, range [0, 7.5], ")


def test_answers_shrink(keys: Keys) -> None:
    x = EncryptedArray.encrypt(V, keys)
    answer = (x * x + x).shrink()
    data = answer.to_bytes()
    assert len(data) < len((x * x).to_bytes()) / 4
    back = EncryptedArray.from_bytes(keys.context, data)
    assert np.array_equal(back.decrypt(keys), V * V + V)
    assert np.array_equal(((x * x).shrink(20) + 1).decrypt(keys), V * V + 1)


def test_parameters_are_chosen_for_arrays() -> None:
    def variance(x: Any) -> Any:
        deviation = x - x.mean(axis=1, keepdims=True)
        return (deviation * deviation).mean(axis=1)

    data = RNG.integers(0, 16, (40, 8))
    choice = nttforge.choose(variance, {"x": ArraySpec((40, 8), 0, 15)})
    context = bfv.Context(choice.parameters)
    keys = choice.generate_keys(context)
    result = variance(EncryptedArray.encrypt(data, keys))
    assert result.decrypt(keys) == pytest.approx(data.var(axis=1))
    assert choice.rotations and choice.relinearization and not choice.swap_columns
    large = nttforge.choose(lambda x: x + 1, [ArraySpec((3000,), 0, 1)])
    assert large.parameters.n == 8192 and "does not fit a row of n/2 = 2048" in large.refused[-1]
    with pytest.raises(nttforge.SizeError, match="does not fit a row of n/2 = 16384"):
        nttforge.choose(lambda x: x, [ArraySpec((20000,), 0, 1)])


def test_matrices_are_encoded_once(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a matrix that was changed, or another one of the same shape, is another matrix."""
    made: list[Any] = []
    encode = integer_encoding.BatchEncoder.encode

    def counted(self: Any, values: Any, *rest: Any, **options: Any) -> Any:
        made.append(np.shape(values))
        return encode(self, values, *rest, **options)

    monkeypatch.setattr(integer_encoding.BatchEncoder, "encode", counted)
    evaluation = with_steps(keys, lambda x: x @ MATRIX, [ArraySpec((16,), -9, 9)])
    x = EncryptedArray.encrypt(V, keys).with_keys(evaluation)
    matrix = MATRIX.copy()
    before = len(made)
    for _ in range(3):
        assert ((x @ matrix).decrypt(keys) == V @ matrix).all()
    assert len(made) <= before + 1
    matrix[0, 0] += 1
    before = len(made)
    assert ((x @ matrix).decrypt(keys) == V @ matrix).all()
    assert len(made) == before + 1
    for more in range(20):  # than are kept
        other = matrix + more
        assert ((x @ other).decrypt(keys) == V @ other).all()
