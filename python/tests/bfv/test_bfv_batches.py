# SPDX-License-Identifier: Apache-2.0
"""Batches: arrays in and out, operators, elements, bytes, bad input."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from devices import gpu_devices

import nttforge
from nttforge import bfv, bgv

BATCH = 3


@pytest.fixture(
    scope="module",
    params=[(scheme, device) for device in ["cpu", *gpu_devices()] for scheme in (bfv, bgv)],
    ids=lambda given: f"{given[0].__name__.rpartition('.')[2]} on {given[1]}",
)
def w(request: pytest.FixtureRequest) -> SimpleNamespace:
    """A context with keys, arrays (BATCH, n), and what they encrypt."""
    scheme, device = request.param
    context = scheme.Context(scheme.Parameters.preset(4096), device)
    keys = context.generate_keys(rotations=[1], inner_sum=2)
    rng = np.random.default_rng(5)
    x, y = rng.integers(-30, 30, size=(2, BATCH, context.n))
    return SimpleNamespace(
        scheme=scheme,
        context=context,
        keys=keys,
        n=context.n,
        x=x,
        y=y,
        a=keys.encrypt(x),
        b=keys.encrypt(y),
        encoder=scheme.BatchEncoder(context),
    )


def test_arrays_in_and_out(w: SimpleNamespace) -> None:
    assert w.a.batch == len(w.a) == BATCH
    assert w.keys.decrypt(w.a).shape == (BATCH, w.n)
    assert (w.keys.decrypt(w.a) == w.x).all()
    plain = w.encoder.encode(w.x)
    assert plain.batch == len(plain) == BATCH and plain.coefficients.shape == (BATCH, w.n)
    assert (w.encoder.decode(plain) == w.x).all()
    assert (w.encoder.decode(plain, signed=False) == w.x % w.context.t).all()
    short = w.encoder.encode([[1, 2], [3, 4]])
    assert w.encoder.decode(short, signed=False)[:, :3].tolist() == [[1, 2, 0], [3, 4, 0]]
    transposed = w.encoder.encode(np.asfortranarray(w.x))
    assert transposed == plain
    coefficients = w.keys.encrypt(w.x, encoding="coefficients")
    assert (w.keys.decrypt(coefficients) == w.x).all()
    single = w.keys.encrypt(w.x[:1])
    assert single.batch == 1 and w.keys.decrypt(single).shape == (w.n,)
    zero = w.scheme.Encryptor(w.keys.secret).encrypt_zero(batch=2)
    assert zero.batch == 2 and not w.keys.decrypt(zero).any()
    assert w.keys.noise_budget_bits(w.a) == min(w.keys.noise_budget_bits(c) for c in w.a)
    assert "batch 3" in repr(w.a) and "batch 1" in repr(single)


def test_operators(w: SimpleNamespace) -> None:
    a, b, x, y, keys = w.a, w.b, w.x, w.y, w.keys

    def check(result: Any, expected: Any) -> None:
        t = w.context.t
        values = (np.asarray(expected) + t // 2) % t - t // 2
        assert result.batch == BATCH and (keys.decrypt(result) == values).all()

    check(a + b, x + y)
    check(a - b, x - y)
    check(-a, -x)
    check((a * b).relinearize(keys.relinearization), x * y)
    check(a.square(), x * x)
    check(a * 3 - 1, 3 * x - 1)
    check(a + y, x + y)
    check(y * a, x * y)
    check(a * w.encoder.encode(y).prepare(), x * y)
    check(a * w.encoder.encode(y[1]).prepare(), x * y[1])
    half = w.n // 2
    rolled = np.roll(x.reshape(BATCH, 2, half), -1, axis=2).reshape(BATCH, w.n)
    check(a.rotate_rows(1, keys.rotations), rolled)
    check(a.inner_sum(2, keys.rotations), x + rolled)
    single = keys.encrypt(y[0])
    check(a + single, x + y[0])
    check(single - a, y[0] - x)
    check(single * b, y[0] * y)
    check(single * w.encoder.encode(x), x * y[0])
    check(w.scheme.add_many([a, single, b]), x + y[0] + y)
    check(w.scheme.sum_of_products([a, single], [b, a]), x * y + y[0] * x)
    prepared = w.encoder.encode(y).prepare()
    assert prepared.batch == BATCH
    check(w.scheme.sum_of_products([a, single], [prepared, prepared]), x * y + y[0] * y)


def test_elements(w: SimpleNamespace) -> None:
    elements = list(w.a)
    assert [c.batch for c in elements] == [1] * BATCH
    for i, c in enumerate(elements):
        assert all(c.same_words(w.a[j]) for j in (i, i - BATCH, np.int64(i)))
        assert (w.keys.decrypt(c) == w.x[i]).all()
        assert (c.residues == w.a.residues[i]).all()
    for whole, parts in ((w.a, elements), (elements[0], elements[:1])):
        apart = w.scheme.unstack(whole)
        assert all(x.same_words(y) for x, y in zip(apart, parts, strict=True))
    assert w.scheme.stack(elements).same_words(w.a) and not w.a.same_words(elements[0])
    assert w.scheme.stack([w.a, elements[0]])[BATCH].same_words(elements[0])
    assert w.a[1:].same_words(w.scheme.stack(elements[1:]))
    assert w.a[::-1][0].same_words(elements[-1]) and w.a[:1].same_words(elements[0])
    plain = w.encoder.encode(w.x)
    assert w.scheme.stack(list(plain)) == plain and plain[1] == w.encoder.encode(w.x[1])
    assert (w.encoder.decode(plain[2]) == w.x[2]).all()
    # A single one is a scalar: NumPy makes arrays of objects of it.
    assert np.array(elements, dtype=object).shape == (BATCH,)
    back = w.scheme.Ciphertext.from_residues(
        w.context, w.a.residues, w.a.noise_log2, encoding="slots"
    )
    assert back.same_words(w.a) and back.noise_log2 == w.a.noise_log2


def test_bytes(w: SimpleNamespace) -> None:
    sizes = w.context.parameters.serialized_sizes(BATCH)
    seeded = w.scheme.Encryptor(w.keys.secret).encrypt(w.encoder.encode(w.x))
    assert len(w.a.to_bytes()) == sizes["ciphertext"]
    assert len(seeded.to_bytes()) == sizes["ciphertext_seeded"] and seeded.seeded
    assert len(w.encoder.encode(w.x).to_bytes()) == sizes["plaintext"]
    memory = w.context.parameters.memory_sizes
    assert memory(BATCH)["ciphertext"] == BATCH * memory()["ciphertext"] == w.a.residues.nbytes
    for c in (w.a, seeded, w.a * w.b):
        assert w.scheme.Ciphertext.from_bytes(w.context, c.to_bytes()).same_words(c)
        assert pickle.loads(pickle.dumps(c)).same_words(c)
    plain = w.encoder.encode(w.x)
    assert w.scheme.Plaintext.from_bytes(w.context, plain.to_bytes()) == plain
    prepared = w.scheme.PreparedPlaintext.from_bytes(w.context, plain.to_bytes())
    assert (w.keys.decrypt(w.b * prepared) == w.keys.decrypt(w.b * plain)).all()
    seed = bytes(range(32))
    public = w.scheme.Encryptor(w.keys.public)
    batch = public.encrypt(plain, seed=seed, index=5)
    assert batch[2].same_words(public.encrypt(plain[2], seed=seed, index=7))


BAD: list[tuple[str, Callable[[SimpleNamespace], Any], str, list[str]]] = [
    ("sizes", lambda w: w.a + w.a[:2], "SizeError", ["batch of 3", "batch of 2"]),
    ("products", lambda w: w.a * w.b[1:], "SizeError", ["batch of 3", "batch of 2"]),
    ("arrays", lambda w: w.a * w.x[:2], "SizeError", ["batch of 3", "batch of 2"]),
    ("range", lambda w: w.encoder.encode([[1, 2], [3, 10**6]]), "ParameterError", ["values[1, 1]"]),
    ("long", lambda w: w.encoder.encode(np.ones((2, w.n + 1), int)), "SizeError", ["a row"]),
    ("three axes", lambda w: w.encoder.encode(np.ones((2, 2, 2), int)), "SizeError", ["(2, 2, 2)"]),
    ("no rows", lambda w: w.encoder.encode(np.ones((0, 4), int)), "SizeError", ["(0, 4)"]),
    ("ragged", lambda w: w.encoder.encode([[1, 2], [3]]), "SizeError", ["different lengths"]),
    ("index", lambda w: w.a[3], "IndexError", ["index = 3", "batch of 3"]),
    ("negative", lambda w: w.a[-4], "IndexError", ["index = -4"]),
    ("no index", lambda w: w.a["1"], "ArgumentTypeError", ["index = '1'"]),
    ("no slice", lambda w: w.a[3:], "SizeError", ["empty"]),
    ("single", lambda w: len(w.a[0]), "ArgumentTypeError", ["single Ciphertext", "unstack"]),
    ("single index", lambda w: w.a[0][0], "ArgumentTypeError", ["single Ciphertext"]),
    ("stack none", lambda w: w.scheme.stack([]), "SizeError", ["texts is empty"]),
    ("stack parts", lambda w: w.scheme.stack([w.a, w.a * w.b]), "ParameterError", ["terms[1]"]),
    (
        "stack kinds",
        lambda w: w.scheme.stack([w.a, w.encoder.encode([1])]),
        "ArgumentTypeError",
        ["texts[1] is a Plaintext: need a Ciphertext"],
    ),
    ("stack other", lambda w: w.scheme.stack([1]), "ArgumentTypeError", ["texts[0] is a int"]),
    ("unstack", lambda w: w.scheme.unstack(1), "ArgumentTypeError", ["text is a int"]),
    (
        "zeros",
        lambda w: w.scheme.Encryptor(w.keys.public).encrypt_zero(batch=0),
        "ParameterError",
        ["batch = 0"],
    ),
    (
        "sizes of",
        lambda w: w.context.parameters.serialized_sizes(2**20 + 1),
        "ParameterError",
        ["batch"],
    ),
    (
        "index past",
        lambda w: w.scheme.Encryptor(w.keys.public).encrypt(
            w.encoder.encode(w.x), seed=bytes(32), index=2**32 - 2
        ),
        "ParameterError",
        ["index = 4294967294", "batch = 3"],
    ),
    (
        "residues",
        lambda w: w.scheme.Ciphertext.from_residues(
            w.context, np.zeros((2, 2, 2, 2, w.n), np.uint64), encoding="slots"
        ),
        "SizeError",
        ["residues has shape"],
    ),
]


@pytest.mark.parametrize(("make", "error", "parts"), [c[1:] for c in BAD], ids=[c[0] for c in BAD])
def test_bad_input(
    w: SimpleNamespace, make: Callable[[SimpleNamespace], Any], error: str, parts: list[str]
) -> None:
    expected = IndexError if error == "IndexError" else getattr(nttforge, error)
    with pytest.raises(expected) as caught:
        make(w)
    for part in parts:
        assert part in str(caught.value), str(caught.value)


def test_contexts_do_not_mix_in_a_batch() -> None:
    contexts = [bfv.Context(bfv.Parameters.preset(4096, t)) for t in (65537, 786433)]
    plain = [bfv.CoefficientEncoder(c).encode([1]) for c in contexts]
    with pytest.raises(nttforge.ContextError, match=r"texts\[1\]"):
        bfv.stack(plain)
