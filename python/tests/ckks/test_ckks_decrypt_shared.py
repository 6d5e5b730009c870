# SPDX-License-Identifier: Apache-2.0
"""Approximate answers for others: flooding from the bound on the error."""

from __future__ import annotations

import numpy as np
import pytest
from small_ckks import small_set, uniform

from nttforge import ParameterError, PrecisionError, ckks


@pytest.fixture(scope="module")
def keys() -> ckks.Keys:
    return ckks.Context(small_set(64, 6)).generate_keys()


@pytest.fixture(scope="module")
def decryptor(keys: ckks.Keys) -> ckks.Decryptor:
    return ckks.Decryptor(keys.secret)


def test_flooding_has_the_derived_size_and_answers_keep_their_precision(
    keys: ckks.Keys, decryptor: ckks.Decryptor
) -> None:
    values = uniform(np.random.default_rng(1), (2, 32))
    x = keys.encrypt(values, scale=2.0**90)
    for bits in (20, 40):
        got, precision = decryptor.decrypt_shared(x, security_bits=bits, with_precision=True)
        found = ckks.precision_statistics(got, values).complex
        # F = n (V + 1) 2^(bits - 1), rounded up to a power of two; at a root F sqrt(n/3).
        log2_f = np.ceil(np.log2(x.proved_error) + 90 + bits - 1 + np.log2(64)) - 90
        assert abs(found.l2 + log2_f + np.log2(64 / 3) / 2) < 1.1
        assert precision < found.worst
        assert precision > -log2_f - 7
        again = decryptor.decrypt_shared(x, security_bits=bits)
        assert np.abs(again - got).max() > 2.0**log2_f  # fresh noise
    assert ckks.precision_statistics(keys.decrypt(x), values).complex.worst > precision + 40


def test_coefficients_and_sparse_slots(keys: ckks.Keys, decryptor: ckks.Decryptor) -> None:
    row = np.linspace(-1, 1, 64)
    x = keys.encrypt(row, encoding="coefficients", scale=2.0**90)
    got, bits = decryptor.decrypt_shared(x, security_bits=30, with_precision=True)
    assert 0 < np.abs(got - row).max() < 2.0**-bits
    few = keys.encrypt([0.5, -0.25], slots=2, scale=2.0**90)
    got, bits = decryptor.decrypt_shared(few, security_bits=30, with_precision=True)
    assert 0 < np.abs(got - [0.5, -0.25]).max() < 2.0**-bits


def test_what_is_refused(keys: ckks.Keys, decryptor: ckks.Decryptor) -> None:
    x = keys.encrypt(0.5)
    with pytest.raises(PrecisionError, match="fewer security_bits"):
        decryptor.decrypt_shared(x)
    with pytest.raises(ParameterError, match="security_bits"):
        decryptor.decrypt_shared(x, security_bits=19)
    with pytest.raises(ParameterError, match="leave one of them out"):
        decryptor.decrypt_shared(x, bound="heuristic", proved_error=0.1)


def test_bytes_prove_nothing(keys: ckks.Keys, decryptor: ckks.Decryptor) -> None:
    x = keys.encrypt(0.5, scale=2.0**90)
    loaded = ckks.Ciphertext.from_bytes(keys.context, x.to_bytes())
    with pytest.raises(PrecisionError, match="bytes prove nothing"):
        decryptor.decrypt_shared(loaded, security_bits=30)
    for options in ({"bound": "heuristic"}, {"proved_error": x.proved_error}):
        got, bits = decryptor.decrypt_shared(
            loaded, security_bits=30, with_precision=True, **options
        )
        assert 0 < np.abs(got - 0.5).max() < 2.0**-bits
