# SPDX-License-Identifier: Apache-2.0
"""Sparse secrets, and keys that lead from one secret to another."""

import pickle

import numpy as np
import pytest

from nttforge import bfv, bgv
from nttforge.errors import ContextError, ParameterError, UnsupportedError

SEED = bytes(range(32))
Q = (1125899906826241, 1125899906629633, 1125899905744897)  # 50 bits, = 1 (mod 2^14)


def sparse_set(scheme, weight=192, **more):
    preset = scheme.Parameters.preset(8192)
    return scheme.Parameters.custom(
        8192, 65537, preset.q, preset.special, secret="sparse", secret_weight=weight, **more
    )


@pytest.mark.parametrize("scheme", [bfv, bgv])
def test_sparse_secrets(scheme):
    with pytest.raises(ParameterError, match="sparse secret of weight 192 is not covered by"):
        sparse_set(scheme)
    parameters = sparse_set(scheme, security="insecure_by_request")
    assert (parameters.secret, parameters.secret_weight) == ("sparse", 192)
    assert "sparse secret of weight 192" in repr(parameters)
    again = scheme.Parameters.from_bytes(parameters.to_bytes(), allow_insecure=True)
    assert again == parameters and hash(again) == hash(parameters)
    assert pickle.loads(pickle.dumps(parameters)) == parameters
    assert parameters != sparse_set(scheme, 64, security="insecure_by_request")
    context = scheme.Context(parameters)
    keys = context.generate_keys(rotations=[1], seed=SEED)
    a = keys.encrypt([1, 2, 3])
    product = a.multiply_relinearize(a, keys.relinearization)
    assert keys.decrypt(product)[:3].tolist() == [1, 4, 9]
    decryptor = scheme.Decryptor(keys.secret)
    assert decryptor.noise_budget_bits(product) >= product.predicted_noise_budget_bits


def test_weights_and_names_are_checked():
    for weight in (0, 8193):
        with pytest.raises(ParameterError, match=f"secret weight = {weight} is out of range"):
            sparse_set(bfv, weight, security="insecure_by_request")
    with pytest.raises(ParameterError, match="secret weight = 3"):
        preset = bfv.Parameters.preset(8192)
        bfv.Parameters.custom(8192, 65537, preset.q, preset.special, secret_weight=3)
    with pytest.raises(ParameterError, match="secret"):
        bfv.Parameters.custom(8192, 65537, Q, secret="dense")  # type: ignore[arg-type]


def test_keys_between_secrets():
    context = bfv.Context(bfv.Parameters.preset(4096))
    keys = context.generate_keys(seed=SEED)
    ephemeral = bfv.KeyGenerator(context, secret="sparse", secret_weight=64)
    sparse, generator = ephemeral.secret_key(), bfv.KeyGenerator(context, seed=SEED)
    decoder = bfv.BatchEncoder(context)
    inside = generator.key_switch_key(keys.secret, sparse, 0, context.lowest_level)
    back = generator.key_switch_key(sparse, keys.secret, 1)
    assert (inside.level, back.level) == (context.lowest_level, len(context.parameters.q))
    for key in (inside, back):
        for copy in (
            bfv.KeySwitchKey.from_bytes(context, key.to_bytes()),
            pickle.loads(pickle.dumps(key)),
            key.to(bfv.Context(context.parameters)),
        ):
            assert copy.to_bytes() == key.to_bytes()
    low = keys.encrypt([5, 7]).mod_switch(context.lowest_level)
    a = low.switch_secret(inside)
    assert np.array_equal(decoder.decode(bfv.Decryptor(sparse).decrypt(a))[:2], [5, 7])
    assert keys.decrypt(a.switch_secret(back))[:2].tolist() == [5, 7]
    assert back.at_level(inside.level).level == inside.level

    with pytest.raises(ParameterError, match="index = 0 has made a key for other secrets"):
        generator.key_switch_key(sparse, keys.secret, 0)
    with pytest.raises(ParameterError, match="may be longer than the ternary secret"):
        bfv.KeyGenerator(context, secret="sparse", secret_weight=4000)
    with pytest.raises(ParameterError, match="secret is given for an existing"):
        bfv.KeyGenerator(sparse, secret="sparse", secret_weight=4)
    other = bfv.Context(bfv.Parameters.preset(8192)).generate_keys()
    with pytest.raises(ContextError, match="target belongs to"):
        generator.key_switch_key(sparse, other.secret, 3)
    without = bfv.Context(bfv.Parameters.preset(2048))
    secret = without.generate_keys().secret
    with pytest.raises(UnsupportedError, match="no special prime"):
        bfv.KeyGenerator(secret).key_switch_key(secret, secret, 0)
