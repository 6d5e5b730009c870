# SPDX-License-Identifier: Apache-2.0
"""What the bytes of encrypted arrays tell, as somebody who looks at them would; and damage."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import EncryptedArray, bfv
from nttforge.encrypted.bounds import Told, told_range
from nttforge.encrypted.bytes import read_frame, sealed_header

encrypt = EncryptedArray.encrypt
SEED = bytes(range(32))


@pytest.fixture(scope="module")
def keys() -> bfv.Keys:
    """Keys of a set with room for a product."""
    t = nttforge.ntt_primes(8192, 20)[0]
    context = bfv.Context(bfv.Parameters.preset(8192, t), threads=1)
    return context.generate_keys(rotations=[1024, -1024, 2048, -2048], seed=SEED)


def seen(data: bytes) -> tuple[int, bytes]:
    """What shows without a key: the length, and all before the polynomials."""
    _, ciphertext = read_frame(data)
    return len(data), data[: len(data) - len(ciphertext)] + ciphertext[:56]


def test_bytes_do_not_tell_values(keys: bfv.Keys) -> None:
    random = np.random.default_rng(3)
    told = set()
    for trial in range(200):
        values = np.zeros(8, dtype=int)
        if trial % 4 == 1:
            values[trial % 8] = 1
        elif trial % 4 == 2:
            values[trial % 8] = -1
        elif trial % 4 == 3:
            values = random.integers(-(2**18), 2**18, 8)
        told.add(seen(encrypt(values, keys).to_bytes()))
    assert len(told) == 1
    head, _ = read_frame(encrypt([1], keys).to_bytes())
    t = keys.context.t
    assert (head["low"], head["high"]) == (-(t // 2), (t - 1) // 2)
    stated = {seen(encrypt(v, keys, bounds=(0, 9)).to_bytes()) for v in ([0, 0], [1, 0], [9, 9])}
    assert len(stated) == 1


COMPUTATIONS: list[Callable[[EncryptedArray, int], EncryptedArray]] = [
    lambda x, w: x * w,
    lambda x, w: x * np.array([w, 1, 0]),
    lambda x, w: x + w,
    lambda x, w: x @ np.array([[w, 1], [2, 0], [0, w]]),
    lambda x, w: x.polynomial([w, 3]),
    lambda x, w: x.convolve([w]),
    lambda x, w: (x * w + x).where(np.array([True, False, True])),
]


@pytest.mark.parametrize("compute", COMPUTATIONS)
@pytest.mark.parametrize("shrunk", [False, True])
def test_bytes_do_not_tell_factors(
    keys: bfv.Keys, compute: Callable[[EncryptedArray, int], EncryptedArray], shrunk: bool
) -> None:
    x = encrypt([3, -1, 2], keys, bounds=(-3, 3), block=4)
    coarse, silent = set(), set()
    for w in (0, 1, -1, 5, -80, 700, 2000, -3000):
        result = compute(x, w)
        result = result.shrink() if shrunk else result
        coarse.add(seen(result.to_bytes()))
        silent.add(seen(result.to_bytes(noise=False)))
    assert len(silent) == 1
    assert len(coarse) <= 2  # the bound on the noise lies above or below one step of 16 bits


def test_the_range_that_is_told(keys: bfv.Keys) -> None:
    t = keys.context.t
    x, hidden = encrypt([1, 2], keys, bounds=(0, 7)), encrypt([1, 2], keys)
    full = told_range(0, 0, Told.NOTHING, t)
    assert hidden.bounds == (0, 3)
    for array, expected in [
        (x, (0, 7)),
        (hidden, full),
        (x * 2, (-65535, 65535)),
        (x + x, (-65535, 65535)),
        (x * x, (-65535, 65535)),
        (hidden * 2, full),
        (x + hidden, full),
        (hidden - x, full),
        (x * hidden, full),
        (x * 70000, full),
    ]:
        again = EncryptedArray.from_bytes(keys.context, array.to_bytes())
        assert (again.low, again.high) == expected
        assert again.to_bytes() == array.to_bytes()
    stated = EncryptedArray.from_bytes(keys.context, (x * 2).to_bytes(bounds=(0, 14)))
    assert stated.bounds == (0, 14)
    with pytest.raises(nttforge.ParameterError, match=r"bounds = \(0, 13\) do not hold all values"):
        (x * 2).to_bytes(bounds=(0, 13))
    received = EncryptedArray.from_bytes(keys.context, hidden.to_bytes(), keys)
    with pytest.raises(nttforge.ParameterError, match="or say narrower bounds when encrypting"):
        received * 2


def test_bytes_without_noise_say_that_the_result_decrypts(keys: bfv.Keys) -> None:
    x = encrypt([5, -7], keys)
    received = EncryptedArray.from_bytes(keys.context, (x * 3).to_bytes(noise=False))
    assert received.decrypt(keys).tolist() == [15, -21]
    bits = received.predicted_noise_budget_bits
    assert bits is not None and 0 < bits < 0.01


def test_every_damaged_byte_is_refused() -> None:
    context = bfv.Context(
        bfv.Parameters.custom(
            16, 97, nttforge.ntt_primes(16, 30, 2), security="insecure_by_request"
        ),
        threads=1,
    )
    x = encrypt([[1, -2, 3], [4, 5, 6]], context.generate_keys().secret, bounds=(-2, 6))
    data = x.to_bytes()
    assert EncryptedArray.from_bytes(context, data).bounds == (-2, 6)
    for at in range(len(data)):
        for change in (1, 0x80, data[at] ^ 0x30 or 0x31):
            wrong = bytearray(data)
            wrong[at] ^= change
            with pytest.raises((nttforge.FormatError, nttforge.ContextError)):
                EncryptedArray.from_bytes(context, bytes(wrong))
    for end in range(len(data)):
        with pytest.raises(nttforge.FormatError):
            EncryptedArray.from_bytes(context, data[:end])
    with pytest.raises(nttforge.FormatError, match="checksum of its header does not match"):
        EncryptedArray.from_bytes(context, data.replace(b'"high":6', b'"high":7'))
    with pytest.raises(nttforge.FormatError, match="this release reads version 1"):
        EncryptedArray.from_bytes(context, b"NTTFARR2" + data[8:])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("rows", v) for v in (0, -1, 2**40, 1.0, True, "1")),
        *(("block", v) for v in (0, 3, 64, None)),
        *(("length", v) for v in (0, 9, 2**20)),
        *(("scale", v) for v in (0, -1, 1e400, None, True, 10**400)),
        *(("low", v) for v in (1, -(2**63), 0.5)),
        *(("clean", v) for v in (0, None)),
        *(("more", v) for v in (1,)),
    ],
)
def test_wrong_headers_with_right_checksums(field: str, value: Any) -> None:
    context = bfv.Context(
        bfv.Parameters.custom(
            16, 97, nttforge.ntt_primes(16, 30, 2), security="insecure_by_request"
        ),
        threads=1,
    )
    data = encrypt([1, 2, 3], context.generate_keys().secret).to_bytes()
    head, ciphertext = read_frame(data)
    head[field] = value
    with pytest.raises(nttforge.FormatError):
        EncryptedArray.from_bytes(context, sealed_header(json.dumps(head)) + ciphertext)


def test_shared_answers() -> None:
    context = bfv.Context(bfv.Parameters.preset(8192), threads=1)
    keys = context.generate_keys()
    x = encrypt([1.5, -2], keys, scale=2, bounds=(-2, 2))
    sent = EncryptedArray.from_bytes(context, x.to_bytes(), keys)
    answer = EncryptedArray.from_bytes(context, (sent * 5).to_bytes())
    with pytest.raises(nttforge.NoiseError, match="nothing is proved of its noise, as bytes prove"):
        answer.decrypt_shared(keys)
    known = (x * 5).proved_noise_budget_bits
    assert answer.decrypt_shared(keys, proved_bits=known).tolist() == [7.5, -10]
    assert answer.decrypt_shared(keys.secret, bound="heuristic").tolist() == [7.5, -10]
    assert (x * 5).decrypt_shared(keys).tolist() == [7.5, -10]
