# SPDX-License-Identifier: Apache-2.0
"""Several special primes and digits of several primes, and presets with words of 32 bits."""

from __future__ import annotations

import pickle
from math import prod
from types import ModuleType

import pytest

import nttforge
from nttforge import bfv, bgv

SEED = bytes(range(32))
SCHEMES = [bfv, bgv]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_custom_sets(scheme: ModuleType) -> None:
    primes = nttforge.ntt_primes(64, 30, 7)
    q, special = primes[:5], primes[5:]
    one = scheme.Parameters.custom(64, 257, q, special[0], security="insecure_by_request")
    assert one.special == (special[0],) and one.digit_primes == 1
    assert one == scheme.Parameters.custom(64, 257, q, special[:1], security="insecure_by_request")
    none = scheme.Parameters.custom(64, 257, q, (), security="insecure_by_request")
    assert none.special == () and not none.has_evaluation_keys
    two = scheme.Parameters.custom(64, 257, q, iter(special), security="insecure_by_request")
    assert two.special == tuple(special)
    assert two.digit_primes == 2 and "2 special primes, 3 digits of 2 primes" in repr(two)
    assert two.modulus_bits == prod(primes).bit_length()
    other = scheme.Parameters.custom(
        64, 257, q, special, security="insecure_by_request", digit_primes=1
    )
    assert other != two and hash(other) != hash(one)
    assert pickle.loads(pickle.dumps(two)) == two
    assert scheme.Parameters.from_bytes(two.to_bytes(), allow_insecure=True) == two
    keys = scheme.Context(two).generate_keys(rotations=[1], seed=SEED)
    assert len(keys.relinearization.to_bytes()) == two.serialized_sizes()["relinearization_key"]
    x = keys.encrypt([3, -4], encoding="coefficients")
    assert keys.decrypt(x.square().relinearize(keys.relinearization))[:3].tolist() == [9, -24, 16]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("digit_primes", [0, 1, 2])
def test_narrow_presets(scheme: ModuleType, digit_primes: int) -> None:
    parameters = scheme.Parameters.preset(8192, word_bits=32, digit_primes=digit_primes)
    assert parameters.word_bits == 32 and parameters.modulus_bits == 214
    assert max(parameters.q + parameters.special) < 2**30
    assert len(parameters.special) == parameters.digit_primes == (digit_primes or 2)
    assert parameters.security_verdict()[0] == 128
    sizes = parameters.memory_sizes()
    assert sizes["ciphertext"] == 2 * 4 * 8192 * len(parameters.q)
    keys = scheme.Context(parameters).generate_keys(rotations=[1], seed=SEED)
    x = keys.encrypt([3, 4])
    y = ((x * x).relinearize(keys.relinearization)).rotate_rows(1, keys.rotations)
    assert keys.decrypt(y)[0] == 16
    again = scheme.Parameters.custom(
        8192,
        parameters.t,
        parameters.q,
        parameters.special,
        word_bits=32,
        digit_primes=parameters.digit_primes,
    )
    assert again == parameters


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_a_split_costs(scheme: ModuleType) -> None:
    deep = scheme.Parameters.preset(16384, word_bits=32, digit_primes=1)
    fast = scheme.Parameters.preset(16384, word_bits=32)
    key = "relinearization_key"
    assert fast.promised_depth < deep.promised_depth
    assert 4 * fast.serialized_sizes()[key] < deep.serialized_sizes()[key]
    assert "bits of Q are spent on keys" in repr(fast) and "spent" not in repr(deep)
    wide = scheme.Parameters.preset(16384)
    assert wide == scheme.Parameters.preset(16384, digit_primes=1)
    assert wide == scheme.Parameters.preset(16384, digit_primes=0, word_bits=64)
    assert scheme.Parameters.preset(16384, digit_primes=2).digit_primes == 2
