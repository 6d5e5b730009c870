# SPDX-License-Identifier: Apache-2.0
"""The scheme from Python: values against plain integers, objects that travel, contexts."""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
import threading

import numpy as np
import pytest

import nttforge
from nttforge import bfv

TARGETS = nttforge.available_targets()
SEED = bytes(range(32))


@pytest.fixture(scope="module")
def context() -> bfv.Context:
    return bfv.Context(bfv.Parameters.preset(8192))


@pytest.fixture(scope="module")
def keys(context: bfv.Context) -> bfv.Keys:
    return context.generate_keys(rotations=[1, -3], swap_columns=True, inner_sum=8)


def _random(context: bfv.Context, seed: int) -> np.ndarray:
    half = (context.t - 1) // 2
    return np.random.default_rng(seed).integers(-half, half + 1, context.n, dtype=np.int64)


def _mod(values: np.ndarray, t: int) -> np.ndarray:
    """Centred residues."""
    r = values.astype(object) % t
    return np.array([int(v) - t if v > (t - 1) // 2 else int(v) for v in r], dtype=np.int64)


def test_operators_against_plain_integers(context: bfv.Context, keys: bfv.Keys) -> None:
    t = context.t
    x, y = _random(context, 1), _random(context, 2)
    a, b = keys.encrypt(x), keys.encrypt(y)
    encoder = bfv.BatchEncoder(context)
    p = encoder.encode(y)
    relinearize = keys.relinearization
    cases = {
        "a": (a, x),
        "+": (a + b, x + y),
        "-": (a - b, x - y),
        "neg": (-a, -x),
        "*": (a * b, x.astype(object) * y),
        "relinearize": ((a * b).relinearize(relinearize), x.astype(object) * y),
        "square": (a.square(), x.astype(object) * x),
        "+ plain": (a + p, x + y),
        "- plain": (a - p, x - y),
        "* plain": (a * p, x.astype(object) * y),
        "* prepared": (a * p.prepare(), x.astype(object) * y),
        "prepared on the left": (p.prepare() * a, x.astype(object) * y),
        "+ prepared": (a + p.prepare(), x + y),
        "+ int": (a + 7, x + 7),
        "int +": (7 + a, x + 7),
        "- int": (a - 7, x - 7),
        "int -": (7 - a, 7 - x),
        "* int": (a * -3, x * -3),
        "int *": (np.int64(5) * a, x * 5),
        "+ array": (a + y, x + y),
        "array +": (y + a, x + y),
        "array -": (y - a, y - x),
        "* list": (a * [1, 2, 3], x * np.concatenate([[1, 2, 3], np.zeros(context.n - 3, int)])),
        "three parts + two": (a * b + a, x.astype(object) * y + x),
    }
    for name, (ciphertext, want) in cases.items():
        assert (keys.decrypt(ciphertext) == _mod(np.asarray(want), t)).all(), name
        assert (keys.decrypt(a) == x).all() and (keys.decrypt(b) == y).all(), name


def test_rotations_are_numpy_rolls(context: bfv.Context, keys: bfv.Keys) -> None:
    x = _random(context, 3)
    rows = x.reshape(2, -1)
    a = keys.encrypt(x)
    for step in (1, -3, 0):
        want = np.roll(rows, -step, axis=1).ravel()
        assert (keys.decrypt(a.rotate_rows(step, keys.rotations)) == want).all()
    assert (keys.decrypt(a.swap_columns(keys.rotations)) == rows[::-1].ravel()).all()
    want = sum(np.roll(rows, -i, axis=1) for i in range(8))
    got = keys.decrypt(a.inner_sum(8, keys.rotations))
    assert (got == _mod(np.asarray(want).ravel(), context.t)).all()


def test_sums_and_sums_of_products(context: bfv.Context, keys: bfv.Keys) -> None:
    xs = [_random(context, 10 + i) for i in range(3)]
    ys = [_random(context, 20 + i) for i in range(3)]
    a, b = [keys.encrypt(x) for x in xs], [keys.encrypt(y) for y in ys]
    want = _mod(sum(x.astype(object) * y for x, y in zip(xs, ys, strict=True)), context.t)
    assert (keys.decrypt(bfv.sum_of_products(a, b)) == want).all()
    encoder = bfv.BatchEncoder(context)
    prepared = [encoder.encode(y).prepare() for y in ys]
    assert (keys.decrypt(bfv.sum_of_products(a, prepared)) == want).all()
    batch, other = bfv.stack(a), bfv.stack(b)
    assert bfv.sum_of_products(batch, other).same_words(bfv.sum_of_products(a, b))
    assert bfv.sum_of_products(batch, prepared).same_words(bfv.sum_of_products(a, prepared))
    assert bfv.sum_of_products(a[0], b[:1]).same_words(a[0] * b[0])
    assert (keys.decrypt(bfv.add_many(a)) == _mod(sum(xs), context.t)).all()
    product = a[0].multiply_relinearize(b[0], keys)
    apart = (a[0] * b[0]).relinearize(keys)
    assert product.same_words(apart)
    square = a[0].square_relinearize(keys)
    assert (keys.decrypt(square) == _mod(xs[0].astype(object) ** 2, context.t)).all()


@pytest.mark.parametrize("n", [1024, 2048, 4096, 8192])
def test_random_circuits_on_presets(n: int) -> None:
    parameters = bfv.Parameters.preset(n)
    context = bfv.Context(parameters)
    keys = context.generate_keys()
    rng = np.random.default_rng(n)
    t = parameters.t
    x = rng.integers(0, t, n, dtype=np.uint64)
    encoding = "slots" if parameters.has_batching else "coefficients"
    c, value = keys.encrypt(x, encoding=encoding, signed=False), x.astype(object)
    for _ in range(parameters.promised_depth):
        c, value = (c * c).relinearize(keys.relinearization) + 1, (value * value + 1) % t
    plain = bfv.BatchEncoder(context).encode(x, signed=False)
    c, value = c - plain, (value - x.astype(object)) % t
    assert (keys.decrypt(c, signed=False) == value.astype(np.uint64)).all()
    assert c.predicted_noise_budget_bits is not None and c.predicted_noise_budget_bits > 0
    assert keys.noise_budget_bits(c) > 0
    assert keys.noise_budget_bits(c) >= c.predicted_noise_budget_bits - 1


def test_arrays_of_objects_are_integers_too(context: bfv.Context) -> None:
    encoder = bfv.BatchEncoder(context)
    for values, signed in (([1, 2, 65536], False), ([1, -2, 3], True)):
        objects = np.array(values, dtype=object)
        assert encoder.encode(objects, signed=signed) == encoder.encode(values, signed=signed)


@pytest.mark.parametrize("span", [1, 4, 2048, 4096])
def test_keys_for_inner_sums(span: int) -> None:
    keys = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
    rotations = bfv.KeyGenerator(keys.secret).inner_sum_keys(span)
    total = keys.encrypt([1] * 4096).inner_sum(span, rotations)
    assert keys.decrypt(total).tolist() == [span] * 4096


def test_paper_set_with_t_2() -> None:
    context = bfv.Context(bfv.Parameters.badawi2018(2048))
    assert context.parameters.security == "insecure_by_request" and context.t == 2
    keys = context.generate_keys()
    x = np.random.default_rng(0).integers(0, 2, 2048, dtype=np.uint64)
    c = keys.encrypt(x, encoding="coefficients", signed=False)
    one = keys.encrypt([0, 1], encoding="coefficients")  # multiplies by X
    product = keys.decrypt(c * one, signed=False)
    assert (product == np.roll(x, 1)).all()  # X^n = -1 = 1 modulo 2
    plain = bfv.CoefficientEncoder(context).encode([1], signed=False)
    assert (keys.decrypt(c + plain, signed=False)[:1] == 1 - x[:1]).all()


def test_encoders() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096))
    t, n = context.t, context.n
    batch, coefficients = bfv.BatchEncoder(context), bfv.CoefficientEncoder(context)
    for encoder in (batch, coefficients):
        for values in (
            np.arange(n, dtype=np.uint64),
            np.arange(-5, 5, dtype=np.int64),
            np.arange(-5, 5, dtype=np.int8),
            np.array([True, False]),
            [],
            [t - 1],
            (0, -(t // 2), (t - 1) // 2),
            np.array([t - 1], dtype=np.uint32),
            np.zeros(0, np.int64),
            np.arange(20, dtype=np.int64)[::2],
        ):
            p = encoder.encode(values, signed=max(values, default=0) < t // 2 + 1)
            size = len(values)
            want = np.asarray(values).astype(object) % t
            assert encoder.decode(p, signed=False)[:size].tolist() == want.tolist()
            assert not encoder.decode(p, signed=False)[size:].any()
            signed = encoder.decode(p)
            assert signed.dtype == np.int64
            assert (signed.astype(object) % t == encoder.decode(p, signed=False)).all()
            assert signed.min() >= -(t // 2) and signed.max() <= (t - 1) // 2
    assert coefficients.encode([1, 2]).coefficients[:3].tolist() == [1, 2, 0]
    assert batch.slots == n and batch.row_size == n // 2
    same = coefficients.encode([3]).coefficients == batch.encode(np.full(n, 3)).coefficients
    assert same.all() and coefficients.encode([3]) != batch.encode(np.full(n, 3))


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_gives_the_same_bytes(target: str) -> None:
    results = []
    for name in ("scalar", target):
        context = bfv.Context(
            bfv.Parameters.preset(4096), threads=1 + (name != "scalar"), target=name
        )
        keys = context.generate_keys(rotations=[2], seed=SEED)
        plain = bfv.BatchEncoder(context).encode([1, 2, 3])
        a = bfv.Encryptor(keys.public).encrypt(plain, seed=SEED, index=1)
        b = bfv.Encryptor(keys.secret).encrypt(plain, seed=SEED, index=2)
        c = (a * b).relinearize(keys.relinearization).rotate_rows(2, keys.rotations)
        parts = (keys.secret, keys.public, keys.relinearization, keys.rotations, a, b, c, plain)
        results.append([p.to_bytes() for p in parts])
    assert results[0] == results[1]


def test_encryptions_differ_unless_seeded(keys: bfv.Keys, context: bfv.Context) -> None:
    plain = bfv.BatchEncoder(context).encode([1])
    for key in (keys.public, keys.secret):
        encryptor = bfv.Encryptor(key)
        assert not encryptor.encrypt(plain).same_words(encryptor.encrypt(plain))
        again = encryptor.encrypt(plain, seed=SEED, index=3)
        assert again.same_words(encryptor.encrypt(plain, seed=SEED, index=3))
        assert not again.same_words(encryptor.encrypt(plain, seed=SEED, index=4))
        assert not keys.decrypt(encryptor.encrypt_zero()).any()
    assert context.generate_keys().secret.to_bytes() != context.generate_keys().secret.to_bytes()


def test_bytes_round_trip_and_sizes(context: bfv.Context, keys: bfv.Keys) -> None:
    sizes = context.parameters.serialized_sizes()
    plain = bfv.BatchEncoder(context).encode([4, 5])
    fresh = bfv.Encryptor(keys.public).encrypt(plain)
    seeded = bfv.Encryptor(keys.secret).encrypt(plain)
    assert seeded.seeded and not fresh.seeded
    objects = {
        "plaintext": plain,
        "ciphertext": fresh,
        "ciphertext_seeded": seeded,
        "ciphertext_three_parts": fresh * fresh,
        "secret_key": keys.secret,
        "public_key": keys.public,
        "relinearization_key": keys.relinearization,
    }
    for name, thing in objects.items():
        data = thing.to_bytes()
        assert len(data) == sizes[name], name
        for form in (data, bytearray(data), memoryview(data)):
            assert type(thing).from_bytes(context, form).to_bytes() == data
    steps = len(keys.rotations.elements)
    frame = sizes["rotation_keys_frame"]
    assert len(keys.rotations.to_bytes()) == frame + steps * sizes["rotation_key"]
    again = bfv.Ciphertext.from_bytes(context, seeded.to_bytes())
    assert again.same_words(seeded) and again.noise_log2 == seeded.noise_log2
    assert set(context.parameters.memory_sizes()) == set(sizes)


def test_residues(context: bfv.Context, keys: bfv.Keys) -> None:
    c = keys.encrypt([1, 2])
    r = c.residues
    assert r.shape == (2, len(context.parameters.q), context.n) and r.dtype == np.uint64
    for i, q in enumerate(context.parameters.q):
        assert r[:, i].max() < q
    again = bfv.Ciphertext.from_residues(context, r, noise=c.noise_log2, encoding="slots")
    assert again.same_words(c) and keys.decrypt(again)[:2].tolist() == [1, 2]
    bare = bfv.Ciphertext.from_residues(context, r, encoding="slots")
    assert bare.predicted_noise_budget_bits is None and bare.noise_log2 is None
    assert keys.decrypt(bare)[:2].tolist() == [1, 2]
    assert not bfv.Ciphertext.from_residues(context, r, encoding="coefficients").same_words(c)
    for noise in [(float("nan"), 0.0, 0.0), (0.0, float("inf"), 0.0)]:
        with pytest.raises(nttforge.ParameterError, match="not finite"):
            bfv.Ciphertext.from_residues(context, r, noise=noise, encoding="slots")
    for bad in [(1.0,), (1.0, 2.0), 5, ("a", "b", "c")]:
        with pytest.raises(nttforge.ArgumentTypeError, match="need three numbers"):
            bfv.Ciphertext.from_residues(context, r, noise=bad, encoding="slots")  # type: ignore


def test_everything_pickles(context: bfv.Context, keys: bfv.Keys) -> None:
    encoder = bfv.BatchEncoder(context)
    plain = encoder.encode([1, -2])
    c = keys.encrypt([1, -2])
    again = pickle.loads(pickle.dumps({"keys": keys, "c": c, "plain": plain, "p": plain.prepare()}))
    assert again["keys"].decrypt(again["c"])[:2].tolist() == [1, -2]
    assert again["plain"] == plain
    product = again["c"] * again["p"]
    assert again["keys"].decrypt(product)[:2].tolist() == [1, 4]
    for thing in (encoder, bfv.Encryptor(keys.public), bfv.Decryptor(keys.secret)):
        assert pickle.loads(pickle.dumps(thing)).context.fingerprint == context.fingerprint
    generator = pickle.loads(pickle.dumps(bfv.KeyGenerator(keys.secret)))
    assert generator.secret_key().to_bytes() == keys.secret.to_bytes()
    assert pickle.loads(pickle.dumps(context.parameters)) == context.parameters
    # Objects pickled one by one find the living context, so they go on working together.
    assert pickle.loads(pickle.dumps(c)).context is context
    assert pickle.loads(pickle.dumps(context)) is context


def _decrypt_elsewhere(data: bytes, queue: multiprocessing.Queue) -> None:
    keys, c = pickle.loads(data)
    queue.put(keys.decrypt(c)[:3].tolist())


def test_objects_travel_to_another_process() -> None:
    context = bfv.Context(bfv.Parameters.preset(2048), threads=1)
    keys = context.generate_keys()
    spawn = multiprocessing.get_context("spawn")
    queue = spawn.Queue()
    data = pickle.dumps((keys, keys.encrypt([7, -8, 9])))
    process = spawn.Process(target=_decrypt_elsewhere, args=(data, queue))
    process.start()
    assert queue.get(timeout=600) == [7, -8, 9]
    process.join(600)
    assert process.exitcode == 0


def test_equal_parameters_are_compatible(context: bfv.Context, keys: bfv.Keys) -> None:
    twin = bfv.Context(bfv.Parameters.preset(8192))
    assert twin is not context and twin.fingerprint == context.fingerprint
    c = bfv.Ciphertext.from_bytes(twin, keys.encrypt([5]).to_bytes())
    assert keys.decrypt(c + keys.encrypt([6]))[0] == 11
    assert hash(twin.parameters) == hash(context.parameters)


def test_more_keys_for_a_secret(context: bfv.Context, keys: bfv.Keys) -> None:
    generator = bfv.KeyGenerator(keys.secret)
    more = generator.rotation_keys([5], swap_columns=False)
    assert more.steps == (5,) and not more.has_swap_columns
    c = keys.encrypt(np.arange(10))
    assert keys.decrypt(c.rotate_rows(5, more))[:3].tolist() == [5, 6, 7]
    again = generator.relinearization_key()
    assert keys.decrypt((c * c).relinearize(again))[:4].tolist() == [0, 1, 4, 9]
    assert keys.rotations.steps == (-3, 1, 2, 4) and keys.rotations.has_swap_columns


def test_inner_sum_over_everything() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096))
    keys = context.generate_keys(inner_sum=4096)
    x = np.ones(4096, dtype=np.int64)
    assert set(keys.decrypt(keys.encrypt(x).inner_sum(4096, keys.rotations)).tolist()) == {4096}


def test_security_tables_by_name() -> None:
    old = bfv.Parameters.preset(4096, security_table="hes2018")
    assert old.security_table == "hes2018" and old.modulus_bits == 109
    assert old.security_verdict()[0] == 128
    bits, reason = old.security_verdict("guidelines2024")
    assert bits == 0 and "exceeds the 106 bits" in reason and "2024" in reason
    assert "2018 Homomorphic Encryption Standard" in repr(old)
    again = bfv.Parameters.from_bytes(old.to_bytes(), security_table="hes2018")
    assert again == old and hash(again) == hash(old) and again.security_table == "hes2018"
    custom = bfv.Parameters.custom(4096, old.t, old.q, old.special, security_table="hes2018")
    assert custom == old
    for n in (2**i for i in range(10, 16)):
        preset = bfv.Parameters.preset(n)
        assert [preset.security_verdict(t)[0] for t in ("guidelines2024", "hes2018")] == [128, 128]
    assert bfv.Parameters.preset(1024, security="classical192", security_table="hes2018").n == 1024


def test_description() -> None:
    parameters = bfv.Parameters.preset(4096)
    bits, reason = parameters.security_verdict()
    assert bits == 128 and "128" in reason and "2024 security guidelines" in reason
    assert parameters.security_table == "guidelines2024" and "2024" in parameters.security_source
    assert "2024 security guidelines" in repr(parameters)
    assert "n = 4096" in repr(parameters) and parameters.q_bits < parameters.modulus_bits
    context = bfv.Context(parameters, threads=1)
    assert f"{context.fingerprint:016x}" in repr(context)
    assert context.recipe["target"] in TARGETS and context.device == "cpu"
    custom = bfv.Parameters.custom(4096, 65537, parameters.q, parameters.special)
    assert custom == parameters


def test_the_interpreter_lock_is_released(context: bfv.Context, keys: bfv.Keys) -> None:
    a = keys.encrypt([1, 2, 3])
    terms = [a] * 256
    running, done = threading.Event(), threading.Event()

    def one_long_call() -> None:
        running.set()
        bfv.sum_of_products(terms, terms)
        done.set()

    thread = threading.Thread(target=one_long_call)
    thread.start()
    running.wait()
    turns = 0
    while not done.wait(0.001):
        turns += 1
    thread.join()
    # With the lock held this thread would get a turn or two before and after the call.
    assert turns >= 20


def test_threads_on_one_context(context: bfv.Context, keys: bfv.Keys) -> None:
    a = keys.encrypt([3, 4])
    want = a * a
    results: list[bfv.Ciphertext] = []

    def work() -> None:
        for _ in itertools.repeat(None, 3):
            results.append(a * a)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 12 and all(r.same_words(want) for r in results)
