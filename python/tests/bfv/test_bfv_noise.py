# SPDX-License-Identifier: Apache-2.0
"""Noise: what decryption refuses, and what the bytes of a ciphertext say of it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nttforge
from nttforge import bfv

SEED = bytes(range(32))


def test_exhausted_noise_shows_as_no_budget() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096))
    keys = context.generate_keys()
    c = keys.encrypt([1, 2, 3])
    assert context.generate_keys().noise_budget_bits(c) == 0  # another secret key
    with pytest.raises(nttforge.NoiseError, match="measured with the secret key"):
        context.generate_keys().decrypt(c)
    for _ in range(3):
        c = c.square().relinearize(keys.relinearization)
    assert keys.noise_budget_bits(c) == 0
    with pytest.raises(nttforge.NoiseError, match=r"predicted noise budget is -.* check=False"):
        keys.decrypt(c)
    with pytest.raises(nttforge.NoiseError):
        bfv.Decryptor(keys.secret).decrypt(c)
    assert keys.decrypt(c, check=False)[:3].tolist() != [1, 2**8, 3**8]
    # Bytes without noise say that the budget is above 0, so there are none of this.
    with pytest.raises(nttforge.NoiseError, match=r"above 0 bits, and it is not: .*noise=True"):
        c.to_bytes(noise=False)
    # Without a prediction the measured budget decides.
    unknown = bfv.Ciphertext.from_residues(context, c.residues, encoding="slots")
    assert unknown.predicted_noise_budget_bits is None
    with pytest.raises(nttforge.NoiseError, match=r"nothing is known of it: .*noise=True"):
        unknown.to_bytes(noise=False)
    with pytest.raises(nttforge.NoiseError, match="measured with the secret key"):
        keys.decrypt(unknown)
    assert (keys.decrypt(unknown, check=False) == keys.decrypt(c, check=False)).all()


def test_overflow_by_a_little_shows_as_no_budget() -> None:
    """Constants scale the noise past its limit in small steps."""
    context = bfv.Context(bfv.Parameters.preset(1024))
    encoder = bfv.CoefficientEncoder(context)
    wrong = refused = 0
    for seed in range(20):
        keys = context.generate_keys(relinearization=False, seed=bytes([seed] * 32))
        encryptor, decryptor = bfv.Encryptor(keys.secret), bfv.Decryptor(keys.secret)
        c = encryptor.encrypt(encoder.encode([1]), seed=bytes([100 + seed] * 32))
        limit = 2 ** decryptor.noise_budget_bits(c)
        for factor in {int(limit * (1 + i / 16)) for i in range(16)}:
            product = bfv.Ciphertext.from_residues(
                context, (c * factor).residues, encoding="coefficients"
            )
            values = encoder.decode(decryptor.decrypt(product, check=False), signed=False)
            exhausted = decryptor.noise_budget_bits(product) == 0
            if values[0] != factor or values[1:].any():
                wrong += 1
                assert exhausted
            try:
                decryptor.decrypt(product)
                assert not exhausted
            except nttforge.NoiseError:
                assert exhausted
                refused += 1
    assert wrong > 100 and refused >= wrong


def test_noise_bounds_of_any_circuit_are_written_and_read() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096), threads=1)
    keys = context.generate_keys()
    c = keys.encrypt([1])
    for _ in range(30):  # each square doubles the bound's logarithm
        c = c.square().relinearize(keys.relinearization)
    again = bfv.Ciphertext.from_bytes(context, c.to_bytes())
    assert 0 <= again.noise_log2[0] - c.noise_log2[0] <= 16
    assert c.predicted_noise_budget_bits < 0
    assert pickle.loads(pickle.dumps(c)).noise_log2 == c.noise_log2  # a pickle keeps it exactly


def test_stored_noise_does_not_tell_plaintext_factors() -> None:
    """What is stored of the bound takes few values over all factors; nothing on request."""
    context = bfv.Context(bfv.Parameters.preset(4096), threads=1)
    keys = context.generate_keys(relinearization=False, seed=SEED)
    encoder = bfv.BatchEncoder(context)
    for key in (keys.public, keys.secret):
        a = bfv.Encryptor(key).encrypt(encoder.encode([1, 2]), seed=SEED)
        headers, loaded = set(), set()
        for w in [*range(-50, 50), *range(-32768, 32768, 131)]:
            product = a * w
            data = product.to_bytes()
            headers.add(data[40:56])  # from the form to the correction factor
            again = bfv.Ciphertext.from_bytes(context, data)
            assert again.same_words(product)
            loaded.add(again.predicted_noise_budget_bits)
            assert 0 < again.predicted_noise_budget_bits <= product.predicted_noise_budget_bits
        assert len(headers) <= 2 and len(loaded) <= 2
        left_out = {(a * w).to_bytes(noise=False)[40:56] for w in (0, 1, 5, 30000, -32768)}
        assert len(left_out) == 1
        assert bfv.Ciphertext.from_bytes(context, a.to_bytes()).noise_log2 == a.noise_log2
    # What is computed from bytes without noise is not promised to decrypt.
    silent = bfv.Ciphertext.from_bytes(context, a.to_bytes(noise=False))
    assert 0 < silent.predicted_noise_budget_bits < 0.01
    assert silent.proved_noise_budget_bits is None
    assert keys.decrypt(silent)[:2].tolist() == [1, 2]
    with pytest.raises(nttforge.NoiseError, match="predicted noise budget is -"):
        keys.decrypt(silent * 3 + a)


def test_the_measured_check_does_not_see_every_overflow_and_bytes_do_not_rely_on_it() -> None:
    """Errors of a fresh ciphertext are small integers: a constant can move all of them to near
    multiples of Q/t, where nothing shows."""
    context = bfv.Context(bfv.Parameters.preset(4096), threads=1)
    keys = context.generate_keys(relinearization=False, seed=SEED)
    encryptor, decryptor = bfv.Encryptor(keys.secret), bfv.Decryptor(keys.secret)
    encoder = bfv.BatchEncoder(context)
    a = encryptor.encrypt(encoder.encode([1] * 4096), seed=SEED)
    random = np.random.default_rng(5)
    unseen = 0
    for _ in range(100):
        result, expected = a, 1
        while result.predicted_noise_budget_bits > -8:
            w = int(random.integers(20000, 32768))
            result, expected = result * w, expected * w % context.t
        measured = bfv.Ciphertext.from_residues(context, result.residues, encoding="slots")
        try:
            plain = decryptor.decrypt(measured)
        except nttforge.NoiseError:
            pass
        else:
            unseen += bool((encoder.decode(plain, signed=False) != expected).any())
        with pytest.raises(nttforge.NoiseError, match="and it is not"):
            result.to_bytes(noise=False)
        with pytest.raises(nttforge.NoiseError, match="predicted noise budget is -"):
            decryptor.decrypt(bfv.Ciphertext.from_bytes(context, result.to_bytes()))
    assert unseen > 0  # docs/bounds/decrypt.md says so
