# SPDX-License-Identifier: Apache-2.0
"""What encrypted arrays refuse, with the whole of each message that matters."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv

encrypt = EncryptedArray.encrypt


@pytest.fixture(scope="module")
def world() -> Any:
    context = bfv.Context(bfv.Parameters.preset(4096))
    keys, bare = context.generate_keys(), context.generate_keys(relinearization=False)
    return SimpleNamespace(
        context=context,
        keys=keys,
        bare=bare,
        x=encrypt([1, 2, 3], keys),
        y=encrypt([1, 2, 3, 4, 5], keys),
        four=encrypt([1, 2, 3, 4], keys),
        rows=encrypt(np.ones((3, 4), dtype=int), keys),
        large=encrypt([200], keys),
    )


RANGE = (
    "integers in [{}, {}] may pass the signed range [-32768, 32768] of t = 65537: take a larger t, "
    "a smaller scale, or say narrower bounds when encrypting"
)
CASES: list[tuple[str, Any, str, str]] = [
    ("range", lambda w: w.large * w.large, "ParameterError", "*: " + RANGE.format(0, 65025)),
    (
        "sum range",
        lambda w: w.large * 120 + w.large * 120,
        "ParameterError",
        "+: " + RANGE.format(0, 61200),
    ),
    ("encrypt range", lambda w: encrypt([40000], w.keys), "ParameterError", "encrypt: integers in"),
    ("constant", lambda w: w.x * 20000, "ParameterError", "*: integers in [0, 60000] may pass"),
    ("power", lambda w: w.large**2, "ParameterError", "polynomial of degree 2: integers in [0,"),
    (
        "real numbers",
        lambda w: encrypt([0.5], w.keys),
        "ArgumentTypeError",
        "values has real numbers and scale = 1 would round them to integers: give a scale, for "
        "example scale=1000 for three decimal digits",
    ),
    ("constant polynomial", lambda w: w.x.polynomial([3]), "SizeError", "coefficients have deg"),
    ("shapes", lambda w: w.x + w.four, "SizeError", "+: shapes (3,) and (4,) do not broadcast"),
    (
        "blocks",
        lambda w: w.x + w.y,
        "SizeError",
        "+: operands have blocks of 4 and 8 positions: encrypt both with block=8",
    ),
    (
        "plain",
        lambda w: w.x + np.array([1, 2]),
        "SizeError",
        "+: shapes (3,) and (2,) do not broadcast",
    ),
    ("rows", lambda w: w.rows * w.rows[:, 0], "MissingKeyError", "entry 0 lacks rotation keys"),
    ("text", lambda w: w.x + "a", "ArgumentTypeError", "+: an operand is a str: need an Encrypt"),
    ("bool", lambda w: w.x * True, "ArgumentTypeError", "*: an operand is a bool: need an Encr"),
    ("if", lambda w: bool(w.x), "ArgumentTypeError", "bool(): EncryptedArray is encrypted, so"),
    ("numpy", lambda w: np.asarray(w.x), "ArgumentTypeError", "is no NumPy array: decrypt it"),
    (
        "roll keys",
        lambda w: w.four.roll(1),
        "MissingKeyError",
        "roll by 1 lacks rotation keys for the steps: -512; make them with "
        "generate_keys(rotations=[...], swap_columns=...), or let nttforge.choose name all",
    ),
    ("sum keys", lambda w: w.x.sum(), "MissingKeyError", "sum over 3 entries lacks rotation"),
    ("sum rows", lambda w: w.rows.sum(axis=0), "MissingKeyError", "256, column swap; make"),
    ("axis", lambda w: w.rows.sum(axis=2), "ParameterError", "axis = 2 is not in [-2, 1]"),
    ("keepdims", lambda w: w.x.sum(keepdims=True), "UnsupportedError", "keepdims needs axis = 1"),
    ("step", lambda w: w.four[::2], "UnsupportedError", "a slice with step 2 moves every entry"),
    ("empty slice", lambda w: w.four[3:3], "SizeError", "the slice 3:3 of 4 entries is empty"),
    ("index", lambda w: w.four[4], "ParameterError", "index = 4 is not in [-4, 3]"),
    ("too many", lambda w: w.four[0, 0], "SizeError", "index has 2 parts, and shape (4,) 1 axes"),
    ("list", lambda w: w.four[[0, 1]], "UnsupportedError", "x.where(mask) keeps the chosen"),
    ("ellipsis", lambda w: w.four[...], "ArgumentTypeError", "neither ... nor None"),
    ("rows slice", lambda w: w.rows[0:2], "UnsupportedError", "rows 0:2 of 3 would move to other"),
    ("mask", lambda w: w.x.where([0, 1, 0]), "ArgumentTypeError", "mask has dtype int64: need bo"),
    ("left", lambda w: np.ones((2, 3), int) @ w.rows, "UnsupportedError", "encrypt the transpose"),
    ("matmul", lambda w: w.x @ [1, 2], "SizeError", "@: shapes (3,) and (2,) do not go together"),
    (
        "tall",
        lambda w: np.ones((9, 3), int) @ w.x,
        "SizeError",
        "@: the result has 9 entries and the blocks 4 positions: encrypt with block=16",
    ),
    (
        "convolve",
        lambda w: w.x.convolve([1, 2, 3]),
        "SizeError",
        "convolve: the result has 5 entries and the blocks 4 positions: encrypt with block=8",
    ),
    ("three axes", lambda w: encrypt(np.ones((2, 2, 2), int), w.keys), "SizeError", "not empty"),
    (
        "long",
        lambda w: encrypt(np.ones(3000, int), w.keys),
        "SizeError",
        "a vector of 3000 entries does not fit a row of n/2 = 2048 slots: make several rows of it, "
        "an array of two axes, or take a larger n",
    ),
    (
        "block",
        lambda w: encrypt([1, 2, 3], w.keys, block=6),
        "ParameterError",
        "block = 6 is not allowed: need a power of two from 4 to n/2 = 2048",
    ),
    (
        "bounds",
        lambda w: encrypt([5], w.keys, bounds=(0, 4)),
        "ParameterError",
        "bounds = (0, 4) do not hold all values and 0, which lie in [0, 5]",
    ),
    ("spec", lambda w: ArraySpec((2,), 3, 1), "ParameterError", "low = 3, high = 1: need the"),
    ("magic", lambda w: EncryptedArray.from_bytes(w.context, b"abc"), "FormatError", "NTTFARR"),
    (
        "version",
        lambda w: EncryptedArray.from_bytes(w.context, b"NTTFARR7" + b"0" * 20),
        "FormatError",
        "and this release reads version 1: update nttforge",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_refused(world: Any, case: tuple[str, Any, str, str]) -> None:
    _, call, error, text = case
    with pytest.raises(getattr(nttforge, error)) as caught:
        call(world)
    message = str(caught.value)
    assert message == text if text.endswith(("encrypting", "digits", "all")) else text in message


def test_products_need_the_relinearization_key(world: Any) -> None:
    a = encrypt([3], world.bare)
    product = a * a
    with pytest.raises(nttforge.MissingKeyError, match="there is no relinearization key"):
        product * a
    assert product.decrypt(world.bare).tolist() == [9]


def test_noise_is_refused_before_it_is_too_much() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096))
    keys = context.generate_keys()
    x = encrypt([1, 0, 1], keys, bounds=(0, 1))
    with pytest.raises(nttforge.NoiseError, match=r"polynomial of degree 9: the result would have"):
        x**9
    assert x.decrypt(keys).tolist() == [1, 0, 1]


def test_altered_bytes(world: Any) -> None:
    data = world.x.to_bytes()
    head = data.index(b"}") + 1
    for old, new in (
        (b'"rows":null', b'"rows":4999'),
        (b'"scale":1', b'"scale":0'),
        (b'"high":3', b'"high":x'),
        (b'"clean":true', b'"clean":1234'),
        (b'"kept":', b'"kepz":'),
        (b'"length":3', b'"length":9'),
    ):
        assert old in data[:head]
        altered = data.replace(old, new, 1)
        altered = (
            altered[:8]
            + (len(data[12:head]) + len(new) - len(old)).to_bytes(4, "little")
            + altered[12:]
        )
        with pytest.raises(nttforge.FormatError, match=r"data is altered"):
            EncryptedArray.from_bytes(world.context, altered)
    for length in (0, 7, 10, 20, head, len(data) - 1):
        with pytest.raises(nttforge.FormatError):
            EncryptedArray.from_bytes(world.context, data[:length])
