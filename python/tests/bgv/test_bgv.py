# SPDX-License-Identifier: Apache-2.0
"""BGV from Python: values against plain integers, levels, objects that travel, errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nttforge
from nttforge import bfv, bgv
from nttforge.errors import (
    ArgumentTypeError,
    ContextError,
    FormatError,
    MissingKeyError,
    NoiseError,
    ParameterError,
    SizeError,
)
from nttforge_oracle.bgv import Scheme
from nttforge_oracle.seeded_bgv import SeededBgv

SEED = bytes(range(32))


@pytest.fixture(scope="module")
def context() -> bgv.Context:
    return bgv.Context(bgv.Parameters.preset(8192))


@pytest.fixture(scope="module")
def keys(context: bgv.Context) -> bgv.Keys:
    return context.generate_keys(rotations=[1, -3], swap_columns=True, inner_sum=8)


def _random(context: bgv.Context, seed: int) -> np.ndarray:
    half = (context.t - 1) // 2
    return np.random.default_rng(seed).integers(-half, half + 1, context.n, dtype=np.int64)


def _mod(values: np.ndarray, t: int) -> np.ndarray:
    r = values.astype(object) % t
    return np.array([int(v) - t if v > (t - 1) // 2 else int(v) for v in r], dtype=np.int64)


def test_operators_against_plain_integers(context: bgv.Context, keys: bgv.Keys) -> None:
    t, key = context.t, keys.relinearization
    x, y = _random(context, 1), _random(context, 2)
    a, b = keys.encrypt(x), keys.encrypt(y)
    low, wide = b.mod_switch(2), x.astype(object)
    rows = x.reshape(2, -1)
    cases = {
        "a": (a, x),
        "a + b": (a + b, x + y),
        "levels +": (a + low, x + y),
        "levels -": (low - a, y - x),
        "-a": (-low, -y),
        "a * b": (a * b, wide * y),
        "levels *": ((a * low).relinearize(key), wide * y),
        "square": (a.square().relinearize(key), wide * x),
        "product + a": ((a * b).relinearize(key).mod_switch() + a, wide * y + x),
        "int": (3 - 2 * low, 3 - 2 * y),
        "array": (low * x + y, wide * y + y),
        "rotate": (a.mod_switch().rotate_rows(1, keys.rotations), np.roll(rows, -1, 1).ravel()),
        "swap": (a.swap_columns(keys.rotations), rows[::-1].ravel()),
        "dot": (
            bgv.sum_of_products([a, b], [b, low]),
            wide * y + y.astype(object) * y,
        ),
    }
    for name, (ciphertext, expected) in cases.items():
        assert np.array_equal(keys.decrypt(ciphertext), _mod(np.asarray(expected), t)), name
        assert ciphertext.predicted_noise_budget_bits <= keys.noise_budget_bits(ciphertext), name
    total = keys.decrypt(a.inner_sum(8, keys.rotations))
    assert total[0] == _mod(np.array([int(x[:8].sum())]), t)[0]


def test_products_go_down_as_deep_as_promised(context: bgv.Context, keys: bgv.Keys) -> None:
    levels = [len(context.parameters.q)]
    deep = keys.encrypt([1, 2, 3])
    for _ in range(context.parameters.promised_depth):
        deep = (deep + deep).square().relinearize(keys.relinearization)
        levels.append(deep.level)
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] < levels[0]
    assert deep.predicted_noise_budget_bits > 0
    assert keys.decrypt(deep)[0] == _mod(np.array([2 ** (2 + 4 + 8 + 16)], dtype=object), 65537)[0]


def test_levels(context: bgv.Context, keys: bgv.Keys) -> None:
    a = keys.encrypt([5])
    top = len(context.parameters.q)
    assert (a.level, a.factor, a.residues.shape) == (top, 1, (2, top, context.n))
    lower = a.mod_switch()
    assert lower.level == top - 1
    assert lower.factor == pow(context.parameters.q[-1], -1, context.t)
    assert lower.residues.shape == (2, top - 1, context.n)
    assert a.mod_switch(top - 2).same_words(lower.mod_switch())
    assert a.mod_switch(top).same_words(a)
    assert len(lower.to_bytes()) < len(a.to_bytes())
    assert keys.decrypt(a.mod_switch(1))[0] == 5
    for level in (0, top + 1):
        with pytest.raises(ParameterError, match=f"level = {level} is not in"):
            a.mod_switch(level)
    with pytest.raises(ParameterError, match="a is at level 1, the lowest"):
        a.mod_switch(1).mod_switch()
    with pytest.raises(ArgumentTypeError, match="level"):
        a.mod_switch("2")  # type: ignore[arg-type]


def test_objects_travel(context: bgv.Context, keys: bgv.Keys) -> None:
    a = keys.encrypt([1, 2, 3]).mod_switch()
    assert bgv.Ciphertext.from_bytes(context, a.to_bytes()).same_words(a)
    again = pickle.loads(pickle.dumps(a))
    assert again.same_words(a)
    assert again.context is context
    assert again.noise_log2 == a.noise_log2
    built = bgv.Ciphertext.from_residues(context, a.residues, encoding="slots", factor=a.factor)
    assert built.same_words(a)
    assert built.noise_log2 is None
    assert keys.decrypt(built)[:3].tolist() == [1, 2, 3]
    assert pickle.loads(pickle.dumps(keys)).secret.to_bytes() == keys.secret.to_bytes()
    parameters = pickle.loads(pickle.dumps(context.parameters))
    assert parameters == context.parameters
    assert type(parameters) is bgv.Parameters
    with pytest.raises(SizeError, match=r"need \(2 or 3, 1 ... 5, 8192\)"):
        bgv.Ciphertext.from_residues(context, a.residues[0], encoding="slots")
    with pytest.raises(ParameterError, match="factor = 0"):
        bgv.Ciphertext.from_residues(context, a.residues, encoding="slots", factor=0)


def test_schemes_do_not_mix(context: bgv.Context, keys: bgv.Keys) -> None:
    p = context.parameters
    numbers = {"q": p.q, "special": p.special}
    other = bfv.Context(bfv.Parameters.custom(p.n, p.t, **numbers))
    theirs = other.generate_keys()
    a, c = keys.encrypt([1]), theirs.encrypt([1])
    assert p != other.parameters
    assert context.fingerprint != other.fingerprint
    for wrong in (lambda: a + c, lambda: c * a, lambda: keys.decrypt(c), lambda: theirs.decrypt(a)):
        with pytest.raises(ContextError, match=r"belongs to <B.V Context"):
            wrong()
    with pytest.raises(FormatError, match=r"of BGV, this context is of BFV"):
        bfv.Ciphertext.from_bytes(other, a.to_bytes())
    with pytest.raises(FormatError, match="BGV"):
        bfv.Parameters.from_bytes(p.to_bytes())
    with pytest.raises(ArgumentTypeError, match=r"nttforge.bfv.Parameters: need one of BGV"):
        bgv.Context(other.parameters)  # type: ignore[arg-type]
    assert c.level == len(p.q)
    assert c.factor == 1


def test_bad_use(context: bgv.Context, keys: bgv.Keys) -> None:
    a = keys.encrypt([1])
    with pytest.raises(TypeError, match=r"use Parameters.preset\(n\), Parameters.custom"):
        bgv.Parameters()
    with pytest.raises(ParameterError, match="n = 3000 has no preset"):
        bgv.Parameters.preset(3000)
    with pytest.raises(ParameterError, match="too large for n = 2048"):
        bgv.Parameters.preset(2048, 2**50)
    with pytest.raises(ParameterError, match="is not one of 'cpu', 'cuda'"):
        bgv.Context(context.parameters, device="tpu")
    with pytest.raises(MissingKeyError, match="steps"):
        a.rotate_rows(7, keys.rotations)
    with pytest.raises(ParameterError, match="relinearize it first"):
        (a * a) * a
    with pytest.raises(AttributeError, match="immutable"):
        context.n = 3  # type: ignore[misc]
    stranger = context.generate_keys()
    with pytest.raises(NoiseError, match="another secret key"):
        stranger.decrypt(a)


def test_words_of_the_oracle() -> None:
    """The same seed, the same words: keys, encryption, product, level."""
    q = nttforge.ntt_primes(64, 40, 4)
    parameters = bgv.Parameters.custom(64, 257, q[:3], q[3], security="insecure_by_request")
    context = bgv.Context(parameters, threads=1)
    keys = context.generate_keys(seed=SEED)
    oracle = SeededBgv(Scheme(64, tuple(q[:3]), 257), (q[3],))
    secret = oracle.secret(SEED)
    message = list(range(64))
    plain = bgv.CoefficientEncoder(context).encode(message, signed=False)
    x = bgv.Encryptor(keys.public).encrypt(plain, seed=SEED, index=3)
    expected = oracle.encrypt(oracle.public_key(SEED, secret), message, SEED, 3)
    product = oracle.scheme.switch_modulus(oracle.scheme.multiply(expected, expected))
    for ours, theirs in ((x, expected), ((x * x).mod_switch(), product)):
        limbs = [[[c % m for c in part] for m in q[: theirs.level]] for part in theirs.parts]
        assert ours.residues.tolist() == limbs
        assert ours.factor == theirs.factor


def test_presets_for_every_t() -> None:
    for t, depth in ((0, 4), (2, 7), (257, 5), (2**32 - 5, 2)):
        parameters = bgv.Parameters.preset(8192, t)
        assert parameters.promised_depth == depth
        assert parameters.modulus_bits <= 214
        assert "128-bit classical security" in repr(parameters)
    assert bgv.Parameters.preset(2048).has_evaluation_keys is False
    table = bgv.Parameters.preset(8192, security_table="hes2018")
    assert table.modulus_bits > 214
    assert set(bgv.__all__) == set(dir(bgv)) == set(bfv.__all__)
