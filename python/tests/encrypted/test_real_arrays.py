# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays of real numbers, of CKKS, against NumPy."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv, ckks, encrypted
from nttforge.choosing import Choice, RealChoice
from nttforge.choosing.real import choose_real
from nttforge.ckks import functions
from nttforge.errors import (
    ArgumentTypeError,
    FormatError,
    MissingKeyError,
    ParameterError,
    PrecisionError,
    SizeError,
    UnsupportedError,
)

RNG = np.random.default_rng(7)
V, W, ODD = RNG.uniform(-1, 1, 16), RNG.uniform(-1, 1, 16), RNG.uniform(-1, 1, 11)
A, MANY = RNG.uniform(-1, 1, (20, 16)), RNG.uniform(-1, 1, (1100, 16))
SMALL = RNG.uniform(-1, 1, (4, 4))
MATRIX = RNG.uniform(-1, 1, (16, 5))


def polynomial(x: Any, c: list[float]) -> Any:
    if isinstance(x, EncryptedArray):
        return x.polynomial(c)
    return sum(a * x**k for k, a in enumerate(c))


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "sums and constants": (lambda x, y: 1.5 - (x + y * 3 - V) + 2, (V, W)),
    "negative": (lambda x: -x - x, (V,)),
    "products": (lambda x, y: x * y * 0.3 - x, (V, W)),
    "plain rows": (lambda x: x * A + A, (V,)),
    "sum": (lambda x: x.sum(), (V,)),
    "sum of odd length": (lambda x: (x + 1).sum(), (ODD,)),
    "roll": (lambda x: np.roll(x, 3, -1), (A,)),
    "roll of odd length": (lambda x: np.roll(x + 1, 4).sum(), (ODD,)),
    "sum of rows": (lambda x: x.sum(axis=0), (A,)),
    "sum of all": (lambda x: x.sum(), (A,)),
    "sum of ciphertexts": (lambda x: x.sum(axis=0), (MANY,)),
    "row of many": (lambda x: x[1050] + x[2], (MANY,)),
    "matrix by vector": (lambda x, y: x @ y, (A, V)),
    "rows by plain matrix": (lambda x: x @ MATRIX, (A,)),
    "plain matrix by vector": (lambda x: MATRIX.T @ x, (V,)),
    "plain vector by matrix": (lambda x: np.arange(20) @ x, (A,)),
    "matrix by matrix": (lambda x, y: x @ y, (SMALL, SMALL.T)),
    "entry of a row": (lambda x: x[5, 7], (A,)),
    "slice of columns": (lambda x: x[:, 1:4], (A,)),
    "where": (lambda x: np.where(V > 0, x, 0.5), (A,)),
    "less its mean": (lambda x: x - x.mean(axis=1, keepdims=True), (A,)),
    "variance": (lambda x: np.var(x), (V,)),
    "variance of columns": (lambda x: np.var(x, axis=0, ddof=1), (A,)),
    "polynomial": (lambda x: polynomial(x, [0.5, -1, 0.2, 0.7]), (ODD,)),
    "polynomial of a mean": (lambda x: polynomial(x.mean(axis=1), [0.5, -1, 2]), (A,)),
    "power": (lambda x: x**3, (V,)),
    "parts": (lambda x, y: np.concatenate([x[:4], y[:5], V[:3]]), (V, W)),
    "convolution": (lambda x: np.convolve(x[:9], [0.5, 0, -1]), (V,)),
}


@pytest.fixture(scope="module")
def keys() -> ckks.Keys:
    context = ckks.Context(ckks.Parameters.preset(2**14, 40))
    steps = {s * 2**k for k in range(13) for s in (1, -1)}
    return context.generate_keys(rotations=steps)


def every_step(keys: ckks.Keys, function: Any, arrays: tuple[Any, ...]) -> ckks.EvaluationKeys:
    """The keys that choosing for the function finds, in the fixture's context."""
    specs = [ArraySpec(x.shape, -1, 1) for x in arrays]
    found = choose_real(function, specs, 8, "classical128", 1, 64, [keys.context.n])
    rotations = ckks.KeyGenerator(keys.secret).rotation_keys(found.rotations)
    return ckks.EvaluationKeys(keys.relinearization, rotations)


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(keys: ckks.Keys, name: str) -> None:
    function, arrays = CASES[name]
    evaluation = every_step(keys, function, arrays)
    inputs = [EncryptedArray.encrypt(x, keys).with_keys(evaluation) for x in arrays]
    result, expected = function(*inputs), function(*arrays)
    got = result.decrypt(keys)
    assert got.shape == result.shape == np.shape(expected)
    assert np.abs(got - expected).max() <= min(result.error, 1e-5) and result.error < 0.2
    low, high = result.bounds
    assert low - result.error <= got.min() and got.max() <= high + result.error


def test_functions_of_every_entry(keys: ckks.Keys) -> None:
    x = EncryptedArray.encrypt(ODD * 4, keys, bounds=(-4, 4))
    got = (x.apply(functions.sigmoid((-4, 4))) * 2).decrypt(keys)
    assert np.abs(got - 2 / (1 + np.exp(-4 * ODD))).max() < 2**-9
    # 0 is in no interval of an inverse, and other slots hold it
    y = EncryptedArray.encrypt(np.abs(ODD) + 0.2, keys, bounds=(0, 1.3))
    inverse = y.apply(functions.inverse((0.2, 1.3), bits=8, method="polynomial"))
    assert np.abs(inverse.decrypt(keys) - 1 / (np.abs(ODD) + 0.2)).max() <= inverse.error < 0.05
    larger = EncryptedArray.encrypt(np.abs(V), keys).apply(
        functions.maximum(4), EncryptedArray.encrypt(np.abs(W), keys)
    )
    assert np.abs(larger.decrypt(keys) - np.maximum(np.abs(V), np.abs(W))).max() < 2**-4
    # what is no entry is no 0 afterwards, and sums know
    total = x.apply(functions.approximate(np.cosh, (-4, 4), error=0.01)).sum()
    assert abs(total.decrypt(keys) - np.cosh(4 * ODD).sum()) < 0.11


def test_scales_are_those_of_means(keys: ckks.Keys) -> None:
    x = EncryptedArray.encrypt(A, keys)
    mean = x.mean(axis=1)
    assert mean.scale == 16 and mean.levels_left == x.levels_left == 7
    assert mean.unscaled().scale == 1 and mean.unscaled().levels_left == 6
    got = (mean + 0.5 - x.mean(axis=1) * 2).decrypt(keys)
    assert np.abs(got - 0.5 + A.mean(axis=1)).max() < 1e-5
    assert mean.error < x.error * 8


def test_bytes_and_pickles(keys: ckks.Keys) -> None:
    x = EncryptedArray.encrypt(ODD, keys, bounds=(-1.5, 2))
    again = EncryptedArray.from_bytes(keys.context, x.to_bytes(), keys.evaluation)
    assert again.shape == x.shape and again.bounds == x.bounds == (-1.5, 2)
    assert np.array_equal(again.decrypt(keys), x.decrypt(keys))
    product = (again * again).shrink()
    assert len(product.to_bytes()) < len(x.to_bytes()) / 5 and product.levels_left == 0
    told = EncryptedArray.from_bytes(keys.context, product.to_bytes())
    assert told.bounds == (-product.text.bound, product.text.bound)
    assert np.abs(told.decrypt(keys) - ODD**2).max() < 1e-6
    copy = pickle.loads(pickle.dumps(x))
    assert np.abs((copy * 2).decrypt(keys) - 2 * ODD).max() < 1e-6
    integers = bfv.Context(bfv.Parameters.preset(8192)).generate_keys()
    whole = EncryptedArray.encrypt([1, 2], integers)
    with pytest.raises(FormatError, match=r"low, high = \(-1.5, 2.0\) of integers"):
        EncryptedArray.from_bytes(integers.context, x.to_bytes())
    with pytest.raises(FormatError, match="object of BFV, this context is of CKKS"):
        EncryptedArray.from_bytes(keys.context, whole.to_bytes())


def test_ranges(keys: ckks.Keys) -> None:
    x = EncryptedArray.encrypt([0.25, 5], keys)
    assert x.bounds == (0, 8) and EncryptedArray.encrypt([-0.2], keys).bounds == (-1, 1)
    assert (x * -0.5).bounds == (-4, 0) and (x - 10).bounds == (-10, 8)
    known, off = x.within(0, 5), x.within(0, 5, error=2**-6)
    assert known.error < 2**-10 and 2**-6 <= off.error < 2**-5 and off.bounds == known.bounds
    assert known.bounds == (0, 5) and (known * known).bounds == (0, 25)
    assert (known * known).error < (x * x).error


def test_similarities_and_look_ups(keys: ckks.Keys) -> None:
    vectors, query = RNG.normal(size=(3000, 16)), RNG.normal(size=16)
    code = encrypted.UnitVectors(16)
    call = lambda q: encrypted.similarities(q, vectors)  # noqa: E731
    found = choose_real(call, [code.spec()], 10, "classical128", 1, 64, [keys.context.n])
    rotations = ckks.KeyGenerator(keys.secret).rotation_keys(found.rotations)
    mine = ckks.EvaluationKeys(keys.relinearization, rotations)
    scores = call(code.encrypt(query, keys).with_keys(mine))
    cosines = vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
    assert np.abs(scores.decrypt(keys).ravel()[:3000] - cosines).max() <= scores.error < 1e-3
    places, _ = code.top(scores, 3, 3000, keys)
    assert places.tolist() == np.argsort(-cosines)[:3].tolist()
    table = RNG.uniform(-5, 5, 8)
    place = encrypted.OneHot(8).encrypt(3, keys)
    steps = ckks.KeyGenerator(keys.secret).rotation_keys([1024, 2048, 4096])
    ready = place.with_keys(ckks.EvaluationKeys(keys.relinearization, steps))
    assert abs(encrypted.look_up(ready, table).decrypt(keys) - table[3]) < 1e-4


def test_what_is_refused(keys: ckks.Keys) -> None:
    x = EncryptedArray.encrypt(V, keys)
    integers = bfv.Context(bfv.Parameters.preset(8192)).generate_keys()
    whole = EncryptedArray.encrypt([1, 2], integers)
    logistic = functions.sigmoid((-1, 1))
    bits = encrypted.IntegerBits(4)
    alone = x.with_keys(ckks.EvaluationKeys(keys.relinearization, None))
    rows: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: x == x, ArgumentTypeError, "decrypt"),
        (lambda: x < 1, ArgumentTypeError, "decrypt"),
        (lambda: encrypted.equal(bits.encrypt([1], keys), bits.encode(1)), UnsupportedError,
         "comparing bits is for integers.*functions.compare"),
        (lambda: x.predicted_noise_budget_bits, UnsupportedError, "x.error says how far"),
        (lambda: x.to_bytes(noise=False), UnsupportedError, "leave it out"),
        (lambda: x.decrypt_shared(keys), PrecisionError, "flooding|fewer security_bits"),
        (lambda: x.decrypt_shared(keys, proved_bits=9), UnsupportedError, "give proved_error to"),
        (lambda: x.to_bytes(bounds=(-1, 1)), UnsupportedError, "within"),
        (lambda: EncryptedArray.encrypt(V, keys, scale=10), UnsupportedError, "not rounded to"),
        (lambda: EncryptedArray.encrypt([1, np.nan], keys), ParameterError, "NaN or infinity"),
        (lambda: EncryptedArray.encrypt([3], keys, bounds=(0, 2)), ParameterError, "do not hold"),
        (lambda: EncryptedArray.encrypt([1j], keys), ArgumentTypeError, "need real numbers"),
        (lambda: EncryptedArray.encrypt(np.ones(9000), keys), SizeError, "does not fit a row"),
        (lambda: x + whole, ParameterError, "operands have n = 16384"),
        (lambda: x * np.inf, ParameterError, "not finite"),
        (lambda: (x * 3).apply(logistic), ParameterError, r"in \[-3, 3\] and its domain in"),
        (lambda: whole.apply(logistic), UnsupportedError, "scheme='ckks'"),
        (lambda: whole.levels_left, UnsupportedError, "predicted_noise_budget_bits"),
        (lambda: x.apply(functions.compare(), whole), UnsupportedError, "no array of CKKS"),
        (lambda: x.apply(functions.compare()), ArgumentTypeError, "2 arguments"),
        (lambda: x.within(-2, 1), ParameterError, "not in"),
        (lambda: whole.within(*whole.bounds, error=0.5), ParameterError, "is for real numbers"),
        (lambda: alone.sum(), MissingKeyError, "lacks rotation keys"),
        (lambda: x**200, ParameterError, "needs 8 levels, 7 left"),
    ]  # fmt: skip
    for call, kind, message in rows:
        with pytest.raises(kind, match=message):
            call()


def _measured(
    circuit: Callable[..., Any], specs: list[Any], exact: Callable[..., Any], precision: float
) -> tuple[Any, float]:
    """The choice for a circuit, and the bits that its results have."""
    choice = nttforge.choose(circuit, specs, scheme="ckks", precision=precision)
    context, draw, worst = ckks.Context(choice.parameters), np.random.default_rng(8), 0.0
    for _ in range(3):  # with one special prime the keys' errors in two slots are what is seen
        mine = choice.generate_keys(context)
        values: list[Any] = []
        texts: list[Any] = []
        for spec in specs:
            if isinstance(spec, ArraySpec):
                values.append(draw.uniform(spec.low, spec.high, spec.shape))
                texts.append(spec.encrypt(values[-1], mine))
            else:
                values.append(draw.uniform(*spec, context.slots))
                texts.append(mine.encrypt(values[-1], bound=max(map(abs, spec))))
        found = circuit(*texts) if isinstance(specs[0], ArraySpec) else circuit(*texts, keys=mine)
        got = found.decrypt(mine) if isinstance(found, EncryptedArray) else mine.decrypt(found)
        worst = max(worst, float(np.abs(got - exact(*values)).max()))
    return choice, -math.log2(worst)


def _deep(x: Any, y: Any, keys: Any) -> Any:
    for _ in range(6):
        x = (x * y).relinearize(keys)
    return x


def _squares(x: Any) -> Any:
    return x * x


LOGISTIC = functions.sigmoid((-8, 8))
CHOICES: dict[str, tuple[Any, list[Any], Any, float, int]] = {
    "depth 6, range 10": (_deep, [(-10, 10), (-1, 1)], lambda x, y: x * y**6, 25, 6),
    "variances": (
        lambda x: x.var(axis=0), [ArraySpec((50, 10), -10, 10)], lambda v: v.var(axis=0), 15, 3,
    ),
    "products of rows": (
        lambda x, y: x @ y, [ArraySpec((20, 64), -1, 1), ArraySpec((64,), -1, 1)], np.matmul, 25, 1,
    ),
    "matrix": (
        lambda x: (x @ (MATRIX / 16)) ** 4, [ArraySpec((20, 16), -1, 1)],
        lambda v: (v @ (MATRIX / 16)) ** 4, 25, 3,
    ),
    "logistic": (
        lambda x: x.apply(LOGISTIC), [ArraySpec((64,), -8, 8)],
        lambda v: 1 / (1 + np.exp(-v)), 9, 5,
    ),
    "network": (  # weights of squares: what is multiplied must be relinearized first
        lambda x: _squares(x @ MATRIX + 1) @ MATRIX[0], [ArraySpec((256, 16), -1, 1)],
        lambda v: (v @ MATRIX + 1) ** 2 @ MATRIX[0], 20, 3,
    ),
    "power": (lambda x: x**8, [ArraySpec((2000,), -1, 1)], lambda v: v**8, 30, 3),
    "rotation": (
        lambda x, keys: x.rotate_rows(1, keys), [(-1, 1)], lambda v: np.roll(v, -1), 25, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
def test_precision_is_predicted_to_three_bits(name: str) -> None:
    circuit, specs, exact, precision, depth = CHOICES[name]
    choice, bits = _measured(circuit, specs, exact, precision)
    assert choice.depth == depth and choice.precision_bits >= precision
    assert abs(choice.precision_bits - bits) < 3
    assert choice.parameters.security == "classical128"


def test_the_choice_says_what_the_other_scheme_would_do() -> None:
    small = nttforge.choose(lambda x, y: x * y, [ArraySpec((8,), 0, 100)] * 2, precision=10)
    assert small.parameters.n <= 8192 and isinstance(small, Choice)
    assert f"CKKS below n = {small.parameters.n}" in small.refused[-1]
    logistic = nttforge.choose(lambda x: x.apply(LOGISTIC), [ArraySpec((8,), -8, 8)], precision=8)
    assert isinstance(logistic, RealChoice)
    assert "would not do: sigmoid is a function of real numbers" in logistic.exact
    assert logistic.operations["product"] == LOGISTIC.products
    text = logistic.explain()
    assert "bits behind the point" in text and f"n = {logistic.parameters.n}" in text
    spec = ArraySpec((8,), -3, 3, scale=1000)
    deep = nttforge.choose(lambda x: x**8, [spec], precision=15)
    assert isinstance(deep, RealChoice) and "BFV" in deep.exact


def test_choices_that_are_refused() -> None:
    real = {"scheme": "ckks"}
    rows: list[tuple[Callable[..., Any], Any, dict[str, Any], type[Exception], str]] = [
        (lambda x: x, [(0, 1)], {"scheme": "tfhe"}, ParameterError, "scheme = 'tfhe'"),
        (lambda x: x, [(0, 1)], {"scheme": "bfv", "precision": 8}, ParameterError, "leave one of"),
        (lambda x: x, [(0, 1)], {"scheme": "ckks", "t": 65537}, ParameterError, "leave one of"),
        (lambda x: x, [(0, 1)], {"precision": 99}, ParameterError, "precision = 99"),
        (
            lambda x: x**2000,
            [(0, 1)],
            real | {"precision": 50},
            ParameterError,
            "no recommended set is enough",
        ),
        (lambda x: x * x * x, [(0, 1)], real, ParameterError, "3 parts: relinearize"),
        (lambda x: 3, [(0, 1)], real, ArgumentTypeError, "returned a int"),
        (lambda x: x, [1], real, SizeError, "need the lowest"),
        (lambda x: x, [(1, 0)], real, ParameterError, "low <= high"),
        (lambda x: x, [], real, SizeError, "inputs is empty"),
        (lambda x: x, "x", real, ArgumentTypeError, "need a mapping or a list"),
        (lambda x: x == 1, [(0, 1)], real, ArgumentTypeError, "numbers are examples"),
    ]
    for circuit, inputs, options, kind, message in rows:
        with pytest.raises(kind, match=message):
            nttforge.choose(circuit, inputs, **options)
