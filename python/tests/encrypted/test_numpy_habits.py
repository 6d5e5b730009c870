# SPDX-License-Identifier: Apache-2.0
"""What users of NumPy try: its functions, comparisons, iteration, completion, pictures."""

from __future__ import annotations

import itertools
import operator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv, bgv

V, W = np.arange(-3, 5), np.array([2, 0, -1, 3])
A = np.arange(12).reshape(3, 4) - 5


@pytest.fixture(scope="module")
def world() -> Any:
    parameters = bfv.Parameters.preset(4096, nttforge.ntt_primes(4096, 20)[0])
    context = bfv.Context(parameters)
    steps = sorted({s * 256 for s in (1, 2, 3, 4, -1, -3, -4, -5, -6, 5, 6, 7)})
    keys = context.generate_keys(rotations=[*steps, *(1 << i for i in range(8)), -255, -254, -253])
    bounds = (-7, 7)
    return SimpleNamespace(
        keys=keys,
        v=EncryptedArray.encrypt(V, keys, bounds=bounds),
        w=EncryptedArray.encrypt(W, keys, bounds=bounds, block=8),
        a=EncryptedArray.encrypt(A, keys, bounds=bounds, block=8),
        tenth=EncryptedArray.encrypt([0.1, 0.2], keys, bounds=(0, 1), scale=10, block=8),
    )


CASES: dict[str, tuple[Any, Any]] = {
    "sum": (lambda w: np.sum(w.v), V.sum()),
    "sum over rows": (lambda w: np.sum(w.a, axis=1), A.sum(1)),
    "mean": (lambda w: np.mean(w.a, axis=1, keepdims=True), A.mean(1, keepdims=True)),
    "dot": (lambda w: np.dot(w.v, V), V @ V),
    "dot on the right": (lambda w: np.dot(V, w.v), V @ V),
    "dot of a number": (lambda w: np.dot(w.v, 3), V * 3),
    "matmul": (lambda w: np.matmul(w.a, W), A @ W),
    "roll": (lambda w: np.roll(w.v, 3), np.roll(V, 3)),
    "roll rows": (lambda w: np.roll(w.a, 1, axis=-1), np.roll(A, 1, -1)),
    "convolve": (lambda w: np.convolve(w.w, [1, 2]), np.convolve(W, [1, 2])),
    "where": (lambda w: np.where(V > 0, w.v, 0), np.where(V > 0, V, 0)),
    "where else": (lambda w: np.where(V > 0, 5, w.v * 2), np.where(V > 0, 5, V * 2)),
    "where of two": (lambda w: np.where(V > 0, w.v, -w.v), np.where(V > 0, V, -V)),
    "ufuncs": (lambda w: np.add(V, np.multiply(w.v, 2)), V * 3),
    "subtract": (lambda w: V - w.v + np.negative(w.v), -V),
    "numbers of NumPy": (lambda w: np.float64(2) * w.v - np.int64(1), V * 2 - 1),
    "square": (lambda w: np.square(w.v), V * V),
    "transpose": (lambda w: w.v.T + np.transpose(w.v), V + V),
    "reshape": (lambda w: np.reshape(w.v, (1, -1)) * A[:1, :1], V[None] * A[:1, :1]),
    "reshape to a column": (lambda w: w.a.sum(axis=1).reshape(3, 1), A.sum(1)[:, None]),
    "reshape a column": (lambda w: w.a.sum(axis=1, keepdims=True).reshape(3), A.sum(1)),
    "concatenate": (lambda w: np.concatenate([w.w, w.w[:2]]), np.concatenate([W, W[:2]])),
    "concatenate numbers": (lambda w: np.concatenate([[7], w.w, [1, 2]]), [7, *W, 1, 2]),
    "concatenate scales": (lambda w: np.concatenate([w.tenth, w.w]), [0.1, 0.2, *W]),
    "concatenate rows": (
        lambda w: np.concatenate(
            [w.a.with_precision(0.1, scale=2), w.a.sum(axis=1, keepdims=True), A[:, :1] * 0.5], 1
        ),
        np.concatenate([A, A.sum(1, keepdims=True), A[:, :1] * 0.5], axis=1),
    ),
    "builtin sum": (lambda w: sum(w.w), W.sum()),
    "unpacked": (lambda w: operator.sub(*list(w.w)[:2]), W[0] - W[1]),
}


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(world: Any, name: str) -> None:
    call, want = CASES[name]
    result = call(world)
    got = result.decrypt(world.keys)
    assert result.shape == got.shape == np.shape(want) and got == pytest.approx(np.asarray(want))


def test_facts_without_numbers(world: Any) -> None:
    assert (np.shape(world.a), np.ndim(world.a), np.size(world.a)) == ((3, 4), 2, 12)
    assert len(world.a) == 3 and [x.shape for x in world.w] == [()] * 4
    assert world.v.T is world.v and world.a.reshape(3, 4) is world.a


REFUSED: list[tuple[Any, str, str]] = [
    (lambda w: np.median(w.v), "UnsupportedError", "numpy.median is not computed on encrypted"),
    (lambda w: np.sqrt(w.v), "UnsupportedError", "numpy.sqrt is not computed on encrypted"),
    (lambda w: np.add.reduce(w.v), "UnsupportedError", "numpy.add.reduce is not computed"),
    (lambda w: np.stack([w.v, w.v]), "UnsupportedError", "numpy.stack is not computed"),
    (lambda w: np.sum(w.v, dtype=int), "ArgumentTypeError", "numpy.sum of an encrypted array tak"),
    (lambda w: np.roll(w.a, 1), "UnsupportedError", "roll: axis = None of shape (3, 4)"),
    (lambda w: np.convolve(w.w, W, "same"), "UnsupportedError", "mode = 'same': there is 'full'"),
    (lambda w: np.concatenate([w.a, w.a]), "UnsupportedError", "rows would move to other lanes"),
    (lambda w: np.concatenate([w.v, w.w]), "SizeError", "encrypt with block=16"),
    (lambda w: w.a.T, "UnsupportedError", "write W @ x as x @ W.T"),
    (lambda w: w.a.reshape(4, 3), "UnsupportedError", "from (3, 4) to (4, 3) entries would move"),
    (lambda w: w.a.reshape(5), "SizeError", "shape (5,) does not hold the 12 entries"),
    (lambda w: np.asarray(w.v), "ArgumentTypeError", "is no NumPy array: decrypt it first"),
    (lambda w: np.array([w.v, w.v]), "ArgumentTypeError", "is no NumPy array: decrypt it first"),
    (lambda w: len(w.v[0]), "ArgumentTypeError", "an encrypted number has no length"),
    (lambda w: list(w.v[0]), "ArgumentTypeError", "an encrypted number has no length"),
]


@pytest.mark.parametrize("index", range(len(REFUSED)))
def test_refused(world: Any, index: int) -> None:
    call, error, text = REFUSED[index]
    with pytest.raises(getattr(nttforge, error)) as caught:
        call(world)
    assert text in str(caught.value)


COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("scheme", [bfv, bgv])
def test_nothing_encrypted_is_compared(world: Any, scheme: Any) -> None:
    context = scheme.Context(scheme.Parameters.preset(4096))
    c = context.generate_keys(relinearization=False).encrypt([1, 2])
    for compare, encrypted in itertools.product(COMPARISONS, (world.v, c)):
        for other in (3, None, encrypted, V, "a"):
            with pytest.raises(nttforge.ArgumentTypeError, match=r"nttforge\.encrypted\.equal"):
                compare(encrypted, other)
            with pytest.raises(nttforge.ArgumentTypeError, match=r"nttforge\.encrypted\.equal"):
                compare(other, encrypted)
    assert c.same_words(scheme.Ciphertext.from_bytes(context, c.to_bytes()))
    assert not c.same_words(-c)


def test_nothing_encrypted_is_divided_but_real_numbers_by_a_constant(world: Any) -> None:
    for quotient in (operator.truediv, operator.floordiv, operator.mod):
        for encrypted in (world.v, world.keys.encrypt([1, 2])):
            for pair in ((encrypted, 2), (2, encrypted), (encrypted, encrypted)):
                with pytest.raises(nttforge.ArgumentTypeError, match=r"multiply .* \(1 / c\)"):
                    quotient(*pair)
    choice = nttforge.choose(lambda x: x / 4, [(-1, 1)], scheme="ckks", precision=10)
    assert choice.depth == 1


def test_nothing_encrypted_is_true_or_holds(world: Any) -> None:
    c = world.keys.encrypt([1, 2])
    for encrypted in (world.v, c):
        for call in (
            lambda e=encrypted: bool(e),
            lambda e=encrypted: 3 in e,
            lambda e=encrypted: np.where(e == 3, 1, 0),
            lambda e=encrypted: [1, 2].index(e),
        ):
            with pytest.raises(nttforge.ArgumentTypeError, match="decrypt"):
                call()
        with pytest.raises(TypeError, match="unhashable"):
            hash(encrypted)
    with pytest.raises(nttforge.ArgumentTypeError, match=r"numpy\.array_equal: EncryptedArray is"):
        np.array_equal(world.v, world.v)
    with pytest.raises(nttforge.ArgumentTypeError, match="need a Ciphertext"):
        c.same_words(3)
    for function in (lambda x: x * (x == 3), lambda x: x if x > 0 else -x):
        for given in (ArraySpec((4,), 0, 3), (0, 3)):
            with pytest.raises(nttforge.ArgumentTypeError, match="encrypted, so nobody without"):
                nttforge.choose(function, [given])


def test_an_index_of_a_kept_axis_counts(world: Any) -> None:
    kept = world.a.sum(axis=1, keepdims=True)
    want = A.sum(1, keepdims=True)
    assert kept[:, 0].shape == (3,) and kept[:, 0].decrypt(world.keys).tolist() == [*want[:, 0]]
    assert kept[:, -1].shape == (3,) and kept[:, 0:1].shape == kept[:, :].shape == (3, 1)
    for index in (1, -2, 5):
        with pytest.raises(nttforge.ParameterError, match=rf"index = {index} is not in \[-1, 0\]"):
            kept[:, index]
    with pytest.raises(nttforge.SizeError, match="the slice 1:1 of 1 entries is empty"):
        kept[:, 1:]
    with pytest.raises(nttforge.UnsupportedError, match="a slice with step -1"):
        kept[:, ::-1]


def test_completion_and_pictures(world: Any) -> None:
    names = {name for name in dir(world.v) if not name.startswith("_")}
    assert {"shape", "sum", "mean", "T", "reshape", "decrypt", "scale", "with_precision"} <= names
    assert not names & {"text", "layout", "t", "low", "high", "clean", "kept", "traced"}
    assert repr(world.v).startswith(
        "<EncryptedArray: shape (8,), scale 1, range [-7, 7], ciphertexts 1, predicted budget "
    )
    c = world.keys.encrypt([1, 2])
    bits = f"{c.predicted_noise_budget_bits:.1f} bits"
    limbs = len(world.keys.context.parameters.q)
    assert repr(c) == (
        f"<Ciphertext: encoding slots, batch 1, parts 2, level {limbs} of {limbs}, predicted "
        f"budget {bits}, of {world.keys.context!r}>"
    )
    page = c._repr_html_()
    assert bits in page and "<Context" not in page and "&lt;" in page
    assert "<td>(8,)</td>" in world.v._repr_html_() and len(page) < 1000
