# SPDX-License-Identifier: Apache-2.0
"""Columns with scales of their own, beside NumPy; what would mix them is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv
from nttforge.encrypted.bytes import read_frame, sealed_header
from nttforge.encrypted.columns import ColumnScales, scale_of, scaled

#: Years, incomes, shares: integers up to 10,000 each.
SCALES = (100, 0.01, 10_000)
BOUNDS = ((0, 0, -1), (100, 1_000_000, 1))
TABLE = np.array([[42.25, 51_000, 0.5], [7.5, 0, -0.0625], [99.75, 999_900, 1.0]])
WEIGHTS = np.array([0.5, 0.0001, -2.0])


@pytest.fixture(scope="module")
def keys() -> Any:
    t = nttforge.ntt_primes(16384, 45)[0]
    context = bfv.Context(bfv.Parameters.preset(16384, t))
    steps = {s * 2**i for i in range(13) for s in (1, -1)} | {-2047, -2046, -2045, 6144}
    return context.generate_keys(rotations=sorted(steps), swap_columns=True)


@pytest.fixture(scope="module")
def x(keys: Any) -> EncryptedArray:
    return EncryptedArray.encrypt(TABLE, keys, scale=SCALES, bounds=BOUNDS)


def test_an_array_is_what_was_encrypted(keys: Any, x: EncryptedArray) -> None:
    assert x.scale == ColumnScales(SCALES) and str(x.scale) == "(100, 0.01, 10000)"
    assert (x.low, x.high) == (-10_000, 10_000) and "(100, 0.01, 10000)" in repr(x)
    assert np.array_equal(x.decrypt(keys), TABLE)
    vector = EncryptedArray.encrypt(TABLE[0], keys, scale=np.array(SCALES))
    assert np.array_equal(vector.decrypt(keys), TABLE[0])
    assert EncryptedArray.encrypt([1.5, 2], keys, scale=[4, 4]).scale == 4


@pytest.mark.parametrize(
    ("compute", "scale"),
    [
        (lambda x: x @ WEIGHTS, None),
        (lambda x: x @ np.array([[1, 0.0, 2.5], [0, 0.001, 0], [3, 0, 1]]), None),
        (lambda x: np.ones(3) @ x, SCALES),
        (lambda x: x * WEIGHTS, None),
        (lambda x: x * 3, SCALES),
        (lambda x: x * np.array([[1], [2], [3]]), SCALES),
        (lambda x: -x, SCALES),
        (lambda x: x + 200, SCALES),
        (lambda x: x + 1, (10_000, 1, 10**6)),
        (lambda x: x + np.array([0.25, 100, 0.5]), SCALES),
        (lambda x: np.array([1, 200, 3]) - x, SCALES),
        (lambda x: x + x - x * 2, SCALES),
        (lambda x: x[1], SCALES),
        (lambda x: x[:, 1], 0.01),
        (lambda x: x[:, 1:3], (0.01, 10_000)),
        (lambda x: x.sum(0), SCALES),
        (lambda x: x.mean(0), (300, 0.03, 30_000)),
        (lambda x: x * x, (10_000, 0.0001, 10**8)),
        (lambda x: x * x[:, 2:3][:, 0].reshape(3, 1), (10**6, 100, 10**8)),
        (lambda x: (x * np.ones(3)).sum(1), None),
    ],
)
def test_numpy_computes_the_same(
    keys: Any, x: EncryptedArray, compute: Callable[[Any], Any], scale: Any
) -> None:
    result, wanted = compute(x), compute(TABLE)
    assert isinstance(result, EncryptedArray) and result.shape == wanted.shape
    if scale is not None:
        assert result.scale == (ColumnScales(scale) if isinstance(scale, tuple) else scale)
    assert not isinstance(result.scale, ColumnScales) or isinstance(scale, tuple)
    np.testing.assert_allclose(result.decrypt(keys), wanted, rtol=2e-4, atol=1e-4)
    low, high = result.bounds
    assert low <= wanted.min() and wanted.max() <= high


def test_a_mask_keeps_scales(keys: Any, x: EncryptedArray) -> None:
    mask = np.array([True, False, True])
    result = x.where(mask)
    assert result.scale == x.scale and np.array_equal(result.decrypt(keys), TABLE * mask)


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x.sum(1),
        lambda x: x.sum(),
        lambda x: x[0].roll(1),
        lambda x: x[0].convolve([1, 2]),
        lambda x: x[0].polynomial([0, 0, 1]),
        lambda x: x**2,
        lambda x: np.concatenate([x[0], [1]]),
        lambda x: x[0] @ x[0],
        lambda x: nttforge.encrypted.similarities(x[0], np.eye(3)),
    ],
)
def test_what_mixes_columns_is_refused(x: EncryptedArray, compute: Callable[[Any], Any]) -> None:
    with pytest.raises(nttforge.ParameterError, match=r"or by np\.ones\(3\), which gives all one"):
        compute(x)


def test_other_scales_are_refused(keys: Any, x: EncryptedArray) -> None:
    other = EncryptedArray.encrypt(TABLE, keys, scale=(1000, 0.01, 10_000))
    for y in (other, other[:, 0:1][:, 0]):
        with pytest.raises(nttforge.ParameterError, match=r"\+: columns have the scales"):
            x + y


def test_arguments_are_checked(keys: Any) -> None:
    for scale, error, message in (
        ((10, 10, 2, 5), nttforge.SizeError, "scale has 4 numbers: need one, or one for each of 3"),
        ((10, 0, 2), nttforge.ParameterError, r"scale\[1\] = 0 is not in"),
        ((10, "a", 2), nttforge.ArgumentTypeError, r"scale\[1\] = 'a'"),
        (
            (1, 2, 3),
            nttforge.ArgumentTypeError,
            r"values\[..., 0\] has real numbers and scale\[0\]",
        ),
    ):
        with pytest.raises(error, match=message):
            EncryptedArray.encrypt(TABLE, keys, scale=scale)
    with pytest.raises(nttforge.ParameterError, match=r"column 1, which lie in \[0, 999900\]"):
        EncryptedArray.encrypt(TABLE, keys, scale=SCALES, bounds=(-1, (100, 500_000, 1)))
    with pytest.raises(nttforge.ParameterError, match="one for each of 3 columns"):
        EncryptedArray.encrypt(TABLE, keys, scale=SCALES, bounds=((0, 0), 1))
    with pytest.raises(nttforge.ParameterError, match="each a number or one for each column"):
        ArraySpec((3, 3), 0, (1, 2), SCALES)


def test_bytes_have_the_scales(keys: Any, x: EncryptedArray) -> None:
    data = x.to_bytes()
    again = EncryptedArray.from_bytes(keys.context, data, keys)
    assert again.scale == x.scale and np.array_equal(again.decrypt(keys), TABLE)
    told = EncryptedArray.from_bytes(keys.context, x.to_bytes(bounds=(-(10**6), 10**6)))
    assert (told.low, told.high) == (-(10**10), 10**10)
    with pytest.raises(nttforge.ParameterError, match="do not hold all values and 0"):
        x.to_bytes(bounds=(0, (100, 10**6, 1)))
    header, rest = read_frame(data)
    for scale in ([100, 0.01], [100, 0.01, 0], [5, 5, 5], [100, 0.01, True], [], "100", None):
        text = json.dumps(header | {"scale": scale}, separators=(",", ":"))
        with pytest.raises(nttforge.FormatError, match="data is altered: scale = "):
            EncryptedArray.from_bytes(keys.context, sealed_header(text) + rest)


def test_parameters_are_chosen_for_columns() -> None:
    spec = ArraySpec((3, 3), *BOUNDS, scale=SCALES)
    assert spec.bounds == (-10_000, 10_000)
    choice = nttforge.choose(lambda x: x @ WEIGHTS, {"x": spec})
    keys = choice.generate_keys(bfv.Context(choice.parameters))
    scores = spec.encrypt(TABLE, keys) @ WEIGHTS
    np.testing.assert_allclose(scores.decrypt(keys), TABLE @ WEIGHTS, rtol=1e-3)


def test_products_of_scales() -> None:
    assert scaled(ColumnScales((10, 1000)), ColumnScales((100, 1))) == 1000
    assert scaled(0.5, ColumnScales((10, 1000))) == ColumnScales((5, 500))
    assert scale_of((7, 7), 2) == 7
