# SPDX-License-Identifier: Apache-2.0
"""What is chosen by name (range, encoding) and what is not (threads, targets)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nttforge
from nttforge import bfv


def test_threads_and_targets_mix() -> None:
    parameters = bfv.Parameters.preset(4096)
    one, two = (bfv.Context(parameters, threads=threads) for threads in (1, 2))
    scalar = bfv.Context(parameters, threads=1, target="scalar")
    keys = one.generate_keys(rotations=[1])
    a = keys.encrypt([1, 2])
    for context in (two, scalar):
        other = bfv.Keys(
            bfv.SecretKey.from_bytes(context, keys.secret.to_bytes()),
            bfv.PublicKey.from_bytes(context, keys.public.to_bytes()),
        )
        b = other.encrypt([10, 20])
        assert (a + b).context is one and (b + a).context is context  # that of the left operand
        product = (b * a).relinearize(keys.relinearization)
        assert product.context is context
        assert keys.decrypt(product)[:2].tolist() == [10, 40]
        assert other.decrypt(a.rotate_rows(1, keys.rotations))[:1].tolist() == [2]
        assert keys.noise_budget_bits(b) == other.noise_budget_bits(b)
        plain = bfv.BatchEncoder(context).encode([3, 4])
        assert keys.decrypt(a * plain.prepare())[:2].tolist() == [3, 8]
        assert plain == bfv.BatchEncoder(one).encode([3, 4])
        assert bfv.add_many([a.to(two), b]).context is two


def test_coefficients_by_name() -> None:
    """A product of coefficients is the negacyclic product; what means slots is refused."""
    for t in (65537, 64):
        context = bfv.Context(bfv.Parameters.preset(4096, t))
        keys = context.generate_keys(rotations=[1], swap_columns=True)
        a = keys.encrypt([1, 2, 3], encoding="coefficients")
        b = keys.encrypt([2, 0, -1], encoding="coefficients")
        assert a.encoding == "coefficients"
        product = (a * b).relinearize(keys.relinearization)
        assert product.encoding == "coefficients"
        assert keys.decrypt(product)[:6].tolist() == [2, 4, 5, -2, -3, 0]
        assert keys.decrypt(a * -3)[:4].tolist() == [-3, -6, -9, 0]
        assert keys.decrypt(5 * a + a)[:4].tolist() == [6, 12, 18, 0]
        encoder = bfv.CoefficientEncoder(context)
        assert keys.decrypt(a + encoder.encode([5]))[:4].tolist() == [6, 2, 3, 0]
        assert keys.decrypt(a - encoder.encode([5]).prepare())[:4].tolist() == [-4, 2, 3, 0]
        for make in (
            lambda a=a: a + 5,
            lambda a=a: 5 - a,
            lambda a=a: a - np.int64(1),
            lambda a=a: a - np.array([1, 2]),
            lambda a=a: a * np.array([1, 2]),
            lambda a=a, keys=keys: a.rotate_rows(1, keys.rotations),
            lambda a=a, keys=keys: a.swap_columns(keys.rotations),
            lambda a=a, keys=keys: a.inner_sum(2, keys.rotations),
        ):
            with pytest.raises(
                nttforge.ParameterError, match=r"coefficients.*slot|slot.*coefficients"
            ):
                make()
        for data in (a.to_bytes(), product.to_bytes()):
            assert bfv.Ciphertext.from_bytes(context, data).encoding == "coefficients"
        plain = bfv.Decryptor(keys.secret).decrypt(a)
        assert plain == encoder.encode([1, 2, 3]) and plain.encoding == "coefficients"
        assert bfv.Plaintext.from_bytes(context, plain.to_bytes()) == plain
        assert pickle.loads(pickle.dumps(a)).encoding == "coefficients"
    with pytest.raises(nttforge.UnsupportedError) as caught:
        keys.encrypt([1, 2, 3])
    for part in ("t = 64", "prime t = 1 (mod 8192)", 'encoding="coefficients"'):
        assert part in str(caught.value)
    with pytest.raises(nttforge.UnsupportedError, match="t = 64"):
        bfv.Encryptor(keys.public).encrypt_zero()
    zero = bfv.Encryptor(keys.public).encrypt_zero("coefficients")
    assert keys.decrypt(a + zero)[:3].tolist() == [1, 2, 3]


def test_ranges_are_chosen_by_name() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096))
    keys, t = context.generate_keys(relinearization=False), context.t
    half = t // 2
    for values in (
        [40000],
        [40000, -1],
        np.array([40000], np.uint64),
        np.array([40000], np.uint16),
    ):
        with pytest.raises(nttforge.ParameterError) as caught:
            keys.encrypt(values)
        for part in ("values[0] = 40000", f"[-{half}, {half}]", "signed=False"):
            assert part in str(caught.value)
    unsigned = keys.encrypt([40000, t - 1], signed=False)
    assert keys.decrypt(unsigned, signed=False)[:2].tolist() == [40000, t - 1]
    assert keys.decrypt(unsigned)[:2].tolist() == [40000 - t, -1]
    for kind in (np.int8, np.int64, list, object):
        values = [3, -1] if kind is list else np.array([3, -1], dtype=kind)
        with pytest.raises(nttforge.ParameterError) as caught:
            keys.encrypt(values, signed=False)
        for part in ("values[1] = -1", f"[0, {t - 1}]", "signed=True"):
            assert part in str(caught.value)
    for data in (np.array([half], np.uint64), np.array([half], np.uint16), [half], [True] * 3):
        assert keys.decrypt(keys.encrypt(data))[0] == int(data[0])
    assert keys.decrypt(keys.encrypt(np.arange(10, dtype=np.uint64)[::3]))[:4].tolist() == [
        0,
        3,
        6,
        9,
    ]
    assert keys.decrypt(keys.encrypt([-half, half]))[:2].tolist() == [-half, half]
    huge = np.array([[0, 1], [2**63, 5]], np.uint64)
    with pytest.raises(nttforge.ParameterError, match=r"values\[1, 0\] = 9223372036854775808"):
        bfv.BatchEncoder(context).encode(huge)
    a = keys.encrypt([1])
    for operand in (40000, -40000, [40000], np.array([40000], np.uint64)):  # operands are signed
        with pytest.raises(nttforge.ParameterError, match="40000"):
            a + operand


def test_integers_modulo_2_are_bits() -> None:
    keys = bfv.Context(bfv.Parameters.preset(4096, t=2)).generate_keys()
    bits = [1, 0, 1, 1]
    x = keys.encrypt(bits, encoding="coefficients")
    y = keys.encrypt([True, True], encoding="coefficients")
    assert keys.decrypt(x)[:5].tolist() == [1, 0, 1, 1, 0]
    assert keys.decrypt(x + y)[:5].tolist() == [0, 1, 1, 1, 0]
    # (1 + X^2 + X^3) (1 + X) modulo 2
    assert keys.decrypt(x * y)[:6].tolist() == [1, 1, 1, 0, 1, 0]
    assert keys.decrypt(x * 1, signed=False)[:4].tolist() == bits
    for values in ([-1], [0, 2]):
        with pytest.raises(nttforge.ParameterError, match=r"is out of range \[0, 1\] for t = 2"):
            keys.encrypt(values, encoding="coefficients")
    with pytest.raises(
        nttforge.ParameterError, match=r"b = -1 is not in \[0, 1\]; signed, for t = 2"
    ):
        x * -1
    assert "signed 0 ... 1." in keys.context.parameters.explain()
