# SPDX-License-Identifier: Apache-2.0
"""CKKS from Python: operators against NumPy, levels, scales, batches, objects that travel."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from small_ckks import check, small_set, uniform, windows_set

from nttforge import available_targets, bfv, ckks
from nttforge.errors import ContextError, FormatError, NttforgeError

SEED = bytes(range(32))
SETS = {
    "scale 2^40": small_set(128, 4),
    "scale 2^54": small_set(64, 3, 54, 2),
    "windows": windows_set(128),
}


class Party:
    """Everything that a test of one set needs."""

    def __init__(self, parameters: ckks.Parameters) -> None:
        self.context = ckks.Context(parameters)
        steps = [1, -3, *(1 << i for i in range(1, parameters.slots.bit_length() - 1))]
        self.keys = self.context.generate_keys(
            rotations=steps, conjugation=True, inner_sum=parameters.slots
        )
        self.rng = np.random.default_rng(1)


@pytest.fixture(scope="module", params=SETS)
def party(request: pytest.FixtureRequest) -> Party:
    return Party(SETS[request.param])


@pytest.mark.parametrize("real", [False, True])
def test_operators_against_numpy(party: Party, real: bool) -> None:
    keys, slots = party.keys, party.context.slots
    a, b = uniform(party.rng, slots, real), uniform(party.rng, slots, real)
    x, y = keys.encrypt(a), keys.encrypt(b)
    xy = (x * y).relinearize(keys)
    plain = ckks.Plaintext(party.context, b)
    cases = {
        "fresh": (x, a),
        "+": (x + y, a + b),
        "-": (x - y, a - b),
        "negative": (-x, -a),
        "three parts": (x * y, a * b),
        "product": (xy, a * b),
        "product in one": (x.multiply_relinearize(y, keys), a * b),
        "square": (x**2, a * a),
        "square in one": (x.square_relinearize(keys), a * a),
        "other levels": (xy + x - xy.mod_switch(), a),
        "unrescaled": ((x * y).relinearize(keys, rescale=False), a * b),
        "sum of products": (ckks.sum_of_products([x, y], [y, y]).relinearize(keys), a * b + b * b),
        "products, relinearized once": ((x * y - x * x).relinearize(keys), a * b - a * a),
        "three parts and fresh": (x * y + x, a * b + a),
        "three parts and array": (1 - x * y + b, 1 - a * b + b),
        "integer": (-3 * x, -3 * a),
        "NumPy integer": (np.int64(7) * x, 7 * a),
        "float": (x * 0.7, a * 0.7),
        "NumPy float": (np.float32(0.25) * x, a * 0.25),
        "quotient": (x / 8, a / 8),
        "complex": (x * (0.5 - 1.5j), a * (0.5 - 1.5j)),
        "constants": (2.5 - x + 1, 3.5 - a),
        "complex constant": (x + 2j, a + 2j),
        "array": (x * b, a * b),
        "array from the left": (b * x, a * b),
        "tuple": (x + np.array([1, 2, 3]), a + np.pad([1, 2, 3], (0, slots - 3))),
        "plaintext": (x * plain - plain, a * b - b),
        "plaintext below": (xy * plain + plain, a * b * b + b),
        "times i": (x.multiply_by_i(), 1j * a),
        "conjugate": (x.conjugate(keys), a.conj()),
        "rotation": (x.rotate_rows(-3, keys), np.roll(a, 3)),
        "composed": (x.rotate_rows(7, keys, compose=True), np.roll(a, -7)),
        "many": (x.rotate_many([1, 4, 0], keys)[1], np.roll(a, -4)),
        "sum of all": (x.inner_sum(slots, keys), a.sum()),
        "dot": (x.dot(y, slots, keys), (a * b).sum()),
        "power": (x.power(3, keys), a**3),
        "polynomial": (x.polynomial([1, 0.5, 0, -2], keys), 1 + a / 2 - 2 * a**3),
        "lowest": (x.mod_switch(1), a),
    }
    for name, (ciphertext, expected) in cases.items():
        check(keys, ciphertext, expected, name)
    assert x.real == (x * y).real == real and not x.multiply_by_i().real
    assert keys.decrypt(x).dtype == (np.float64 if real else np.complex128)


def test_products_take_levels_and_have_their_scales(party: Party) -> None:
    keys, top = party.keys, party.context.parameters.top_level
    x = keys.encrypt([0.5, -0.5])
    assert x.level == top and x.levels_left == party.context.parameters.depth == top - 1
    below = party.context._core.scale(top - 1)
    for made in (
        (x * x).relinearize(keys),
        x.square_relinearize(keys),
        x * 0.3,
        x * (1 + 1j),
        x * [0.25, 1],
        x * ckks.Plaintext(party.context, 0.5),
        x.matmul(np.eye(1), keys),
        x.mod_switch(),
    ):
        assert (made.level, made.scale_parts) == (top - 1, below)
        assert made.scale == party.context.scale(top - 1) == below[0]
        assert made.rescale() is not made and made.rescale().same_words(made)
    for same in (x + x, x * 3, x + 1.5, x + np.ones(1), x.multiply_by_i(), x.conjugate(keys)):
        assert (same.level, same.scale_parts) == (top, x.scale_parts)
    own = keys.encrypt([0.5], scale=0.75 * x.scale) * [0.25, 1]
    assert (own.level, own.scale_parts) == (top - 1, below)
    check(keys, own, np.pad([0.125], (0, party.context.slots - 1)))
    three = x * x
    assert (three.parts, three.level) == (3, top) and three.scale > 2**15 * x.scale
    assert three.relinearize(keys, rescale=False).scale == three.scale
    assert x.polynomial([0, 1, 1], keys).level == top - 1  # integers are free
    assert x.polynomial([0, 0.5, 0.5, 0], keys).level == top - 2
    assert x.power(4, keys).level == top - 2


def test_polynomials_have_the_least_depth() -> None:
    party = Party(small_set(64, 6, 45))
    keys, a = party.keys, uniform(party.rng, 32, True)
    x = keys.encrypt(a)
    for degree in (1, 2, 3, 5, 7, 15, 31):
        c = party.rng.uniform(-1, 1, degree + 1)
        depth = degree.bit_length()
        y = x.polynomial(c, keys, basis="chebyshev")
        check(keys, y, np.polynomial.chebyshev.chebval(a, c), f"Chebyshev {degree}")
        assert y.levels_left == 6 - depth, degree
        if degree < 16:
            y = x.polynomial(c, keys)
            check(keys, y, np.polynomial.polynomial.polyval(a, c), f"powers {degree}")
            assert y.levels_left == 6 - depth, degree
        moved = x.polynomial(c, keys, basis="chebyshev", interval=(-2, 3))
        if degree < 31:
            check(keys, moved, np.polynomial.chebyshev.chebval((a - 0.5) / 2.5, c), "moved")
            assert moved.levels_left == 5 - depth
    assert x.level == 7 and x.bound == 1


def test_coefficients_below_the_resolution_are_errors() -> None:
    party = Party(SETS["scale 2^40"])
    a = uniform(party.rng, 64, True)
    c = [1e-20, 1, 1e-13, 0.5, 2e-14, 1]
    for basis, exact in (
        ("chebyshev", np.polynomial.chebyshev.chebval(a, c)),
        ("power", np.polynomial.polynomial.polyval(a, c)),
    ):
        y = party.keys.encrypt(a).polynomial(c, party.keys, basis=basis)  # type: ignore[arg-type]
        check(party.keys, y, exact, basis)
    x = party.keys.encrypt(a, bound=4)  # powers may be large, and so what is left out
    less, more = (x.polynomial([0, 1, v, 0.5, v, 1], party.keys).error for v in (1e-15, 1.7e-12))
    assert more > less * 1.0005
    fit = np.polynomial.chebyshev.Chebyshev.interpolate(np.tanh, 7, domain=(-1, 1))
    y = party.keys.encrypt(a).polynomial(fit.coef, party.keys, basis="chebyshev")
    check(party.keys, y, fit(a), "odd but for rounding")


def test_complex_coefficients_and_numbers() -> None:
    party = Party(SETS["scale 2^40"])
    a = uniform(party.rng, 64)
    y = party.keys.encrypt(a).polynomial([0.5j, 1, 2 - 1j, 0.25], party.keys)
    check(party.keys, y, 0.5j + a + (2 - 1j) * a**2 + 0.25 * a**3)


def test_within_states_what_is_known(party: Party) -> None:
    keys = party.keys
    x = keys.encrypt([0.5, 0.25])
    same = (x - x).within(0.001)
    assert (x - x).bound == 2 and same.bound == pytest.approx(0.001)
    assert keys.decrypt(same + x)[:2] == pytest.approx([0.5, 0.25], abs=1e-6)
    product = x * 100 * 0.001
    assert product.within(0.06).error == pytest.approx(product.error, rel=1e-3)  # of decoding
    assert (product.within(0.06) * x).error < (product * x).error
    corrected = product.within(0.06, error=2.0**-12)
    assert corrected.error == pytest.approx(2.0**-12, rel=1e-3)
    assert np.isinf(corrected.proved_error) and not np.isinf(product.proved_error)
    assert corrected.same_words(product)


@pytest.mark.parametrize("slots", [1, 8, 32])
def test_sparse_messages_repeat(party: Party, slots: int) -> None:
    keys = party.keys
    a, b = uniform(party.rng, slots), uniform(party.rng, slots)
    x, y = keys.encrypt(a, slots=slots), keys.encrypt(b, slots=slots)
    assert keys.decrypt(x).shape == (slots,) and x.slots == slots
    check(keys, (x * y).relinearize(keys) + a, a * b + a)
    check(keys, x * b - 0.5, a * b - 0.5)
    check(keys, x.inner_sum(slots, keys), a.sum())
    check(keys, x.rotate_rows(slots + 1, keys, compose=True), np.roll(a, -1))
    if slots >= 8:
        m = uniform(party.rng, (8, 8))
        matrix = ckks.LinearMap(m, party.context, slots=slots)
        made = party.context.generate_keys(rotations=matrix.rotations)
        x = made.encrypt(a, slots=slots)
        check(made, x.matmul(matrix, made), (a.reshape(-1, 8) @ m.T).ravel())


def test_batches(party: Party) -> None:
    keys, slots = party.keys, party.context.slots
    a, b = uniform(party.rng, (3, slots)), uniform(party.rng, slots)
    x, y = keys.encrypt(a), keys.encrypt(b)
    assert (len(x), x.batch, y.batch, keys.decrypt(x).shape) == (3, 3, 1, (3, slots))
    for name, (made, exact) in {
        "product": ((x * y).relinearize(keys), a * b),
        "array": (x * b + a, a * b + a),
        "constant": (x * 0.5 - 1, a / 2 - 1),
        "rotation": (x.rotate_rows(1, keys), np.roll(a, -1, axis=1)),
        "polynomial": (x.polynomial([0, 1, 1, 1], keys), a + a**2 + a**3),
        "single times batch": (y * a, a * b),
        "sum": (ckks.add_many([x, x, y]), 2 * a + b),
    }.items():
        check(keys, made, exact, name)
    for i, element in enumerate(x):
        assert element.batch == 1 and (x[i].same_words(element), x[i - 3].same_words(element))
        check(keys, element, a[i])
    check(keys, x[1:], a[1:])
    again = ckks.stack([x[2], y, *x[:2]])
    check(keys, again, np.stack([a[2], b, a[0], a[1]]))
    assert [e.batch for e in ckks.unstack(y)] == [1]


def test_coefficients_multiply_as_polynomials(party: Party) -> None:
    keys, n = party.keys, party.context.n
    a, b = party.rng.uniform(-1, 1, n), party.rng.uniform(-1, 1, n)
    x, y = (keys.encrypt(v, encoding="coefficients") for v in (a, b))
    whole = np.convolve(a, b)
    exact = whole[:n] - np.append(whole[n:], 0)
    plain = ckks.Plaintext(party.context, b, encoding="coefficients")
    for product in ((x * y).relinearize(keys), x * plain):
        values = keys.decrypt(product)
        assert np.abs(values - exact).max() <= product.error and values.shape == (n,)
    assert np.abs(keys.decrypt(x * 3 + y) - 3 * a - b).max() < 1e-6


def test_every_kind_of_number_is_taken(party: Party) -> None:
    keys = party.keys
    wanted = [1.0, -2.0, 3.0]
    for values in (
        [1, -2, 3],
        (1.0, -2.0, 3.0),
        np.array([1, -2, 3], dtype=np.int8),
        np.array(wanted, dtype=np.float32),
        np.array(wanted, dtype=np.longdouble),
        np.array(wanted, dtype=">f8"),
        np.array([1, 0, -2, 0, 3, 0], dtype=float)[::2],
        np.array([1, -2, 3], dtype=object),
        memoryview(np.array(wanted)),
    ):
        got = keys.decrypt(keys.encrypt(values, bound=4))
        assert got.dtype == np.float64
        assert got[:4] == pytest.approx([1, -2, 3, 0], abs=1e-5)
    for dtype in (np.complex64, np.complex128):
        values = np.array([1 + 2j, -0.5], dtype=dtype)
        got = keys.decrypt(keys.encrypt(values, bound=2))
        assert got.dtype == np.complex128 and got[:3] == pytest.approx([1 + 2j, -0.5, 0], abs=1e-5)
    assert keys.decrypt(keys.encrypt(0.25)) == pytest.approx(0.25, abs=1e-5)
    assert keys.decrypt(keys.encrypt([True, False]))[:2] == pytest.approx([1, 0], abs=1e-5)


def test_encryption_with_the_secret_key_and_seeds(party: Party) -> None:
    keys = party.keys
    encryptor = ckks.Encryptor(keys.secret)
    plain = ckks.Plaintext(party.context, [0.5, 1])
    x = encryptor.encrypt(plain, seed=SEED, index=3)
    assert x.same_words(encryptor.encrypt(plain, seed=SEED, index=3))
    assert not x.same_words(encryptor.encrypt(plain, seed=SEED, index=4))
    assert x.seeded and x.error < ckks.Encryptor(keys.public).encrypt(plain).error
    sizes = party.context.parameters.serialized_sizes()
    assert len(x.to_bytes()) == sizes["ciphertext_seeded"] < sizes["ciphertext"]
    values = ckks.Decryptor(keys.secret).decrypt(x)
    assert values[:2] == pytest.approx([0.5, 1], abs=x.error)


def test_objects_travel(party: Party) -> None:
    keys, context = party.keys, party.context
    a = uniform(party.rng, context.slots)
    x = keys.encrypt(a)
    for y in (x, x * x, (x * x).relinearize(keys), x * 0.3, keys.encrypt(a[:4], slots=4)):
        back = pickle.loads(pickle.dumps(y))
        assert back.same_words(y) and back.context is context
        assert (back.error, back.proved_error, back.bound) == (y.error, y.proved_error, y.bound)
        read = ckks.Ciphertext.from_bytes(context, y.to_bytes())
        assert read.same_words(y) and bytes(y) == read.to_bytes() == y.to_bytes()
        assert (read.scale_parts, read.slots, read.real) == (y.scale_parts, y.slots, y.real)
        assert y.error <= read.error <= y.error * 2 ** (1 / 60) and read.bound == y.bound
        assert read.proved_error == np.inf  # anybody may have made them
        sizes = context.parameters.serialized_sizes(level=y.level)
        assert (
            len(y.to_bytes()) == sizes["ciphertext" if y.parts == 2 else "ciphertext_three_parts"]
        )
    plain = ckks.Plaintext(context, [0.5, 2], bound=3)
    back = pickle.loads(pickle.dumps(plain))
    assert (x * back).same_words(x * plain) and back.bound == 3
    owner = pickle.loads(pickle.dumps(keys))
    check(owner, (x * x).relinearize(owner), a * a)
    server = ckks.EvaluationKeys.from_bytes(context, keys.evaluation.to_bytes())
    assert (x * x).relinearize(server).same_words((x * x).relinearize(keys))
    assert pickle.loads(pickle.dumps(context.parameters)) == context.parameters
    again = copy.deepcopy(x)
    assert again.same_words(x)
    read = ckks.Parameters.from_bytes(bytes(context.parameters), allow_insecure=True)
    assert read == context.parameters and read.levels == context.parameters.levels
    assert read.scale == context.parameters.scale and hash(read) == hash(context.parameters)


def test_contexts_with_other_threads_and_targets_give_the_same_words(party: Party) -> None:
    keys, parameters = party.keys, party.context.parameters
    a = uniform(party.rng, party.context.slots)
    x = keys.encrypt(a)

    def circuit(context: ckks.Context) -> list[bytes]:
        own, y = keys.to(context), x.to(context)
        matrix = ckks.LinearMap([[1, 0.5], [0.25j, 2]], context)
        rotations = own.rotations
        y = (y * y + y * a).relinearize(own) * 0.3 + y
        made = [y, y.rotate_rows(1, own), y.conjugate(own), y.multiply_by_i() + 1.5]
        made.append(y.inner_sum(4, own))
        made.append(x.to(context).matmul(matrix, rotations))
        return [m.to_bytes() for m in made] + [own.decrypt(made[0]).tobytes()]

    keys = party.context.generate_keys(
        rotations=[1, 2, *ckks.LinearMap(np.eye(2), party.context).rotations],
        conjugation=True,
    )
    x = keys.encrypt(a)
    wanted = circuit(party.context)
    for target in available_targets():
        assert circuit(ckks.Context(parameters, threads=1, target=target)) == wanted, target
    assert circuit(ckks.Context(parameters, threads=2)) == wanted


def test_graphs_call_the_function_where_there_are_none(party: Party) -> None:
    keys = party.keys
    x, y = keys.encrypt([0.5, 0.25]), keys.encrypt([0.125, 1])
    product = party.context.graph(lambda a, b: (a * b).relinearize(keys) + 1, x, y)
    assert keys.decrypt(product(y, y))[:2] == pytest.approx([1.015625, 2], abs=1e-4)
    with pytest.raises(NttforgeError, match="must agree"):
        product(x, y.mod_switch())


def test_matrices(party: Party) -> None:
    context, rng, slots = party.context, party.rng, party.context.slots
    for shape, options in (
        ((1, 5), {}),
        ((4, 4), {}),
        ((3, 8), {"block": 16}),
        ((4, 4), {"repeated": True}),
        ((slots, slots), {}),
    ):
        m = uniform(rng, shape, real=shape != (4, 4))
        level = context.parameters.top_level - 1
        matrix = ckks.LinearMap(m, context, level=level, **options)  # type: ignore[arg-type]
        keys = context.generate_keys(rotations=matrix.rotations)
        block, (rows, columns) = matrix.block, shape
        a = uniform(rng, (slots // block, block))
        if options.get("repeated"):
            a[:] = a[0]
            a[:, columns:] = 0
        x = keys.encrypt(a.ravel())
        exact = np.zeros_like(a)
        exact[:, :rows] = a[:, :columns] @ m.T
        y = x.matmul(matrix, keys)
        check(keys, y, exact.ravel(), f"{shape} {options}")
        assert y.level == level - 1 and y.scale == context.scale(level - 1)
        assert matrix.shape == shape and pickle.loads(pickle.dumps(matrix)).level == level
        check(keys, x.matmul(m, keys, **options), exact.ravel(), "an array")  # type: ignore[arg-type]
        assert str(level) in repr(matrix)


def test_a_diagonal_matrix_needs_no_keys(party: Party) -> None:
    x = party.keys.encrypt([0.5] * party.context.slots)
    y = x.matmul(np.diag([2.0]), party.keys)
    check(party.keys, y, 1.0)


def test_schemes_do_not_mix(party: Party) -> None:
    other = bfv.Context(bfv.Parameters.preset(4096))
    keys = other.generate_keys()
    x = party.keys.encrypt([1])
    with pytest.raises(ContextError, match="belongs to"):
        x + keys.encrypt([1])
    with pytest.raises((ContextError, FormatError)):
        ckks.Ciphertext.from_bytes(party.context, keys.encrypt([1]).to_bytes())


def test_presets_say_what_they_do() -> None:
    for n, bits, word_bits, depth in (
        (2**13, 36, 64, 3),
        (2**14, 40, 64, 7),
        (2**14, 45, 64, 6),
        (2**15, 40, 64, 16),
        (2**14, 40, 32, 7),
    ):
        p = ckks.Parameters.preset(n, bits, word_bits=word_bits)  # type: ignore[arg-type]
        assert (p.depth, p.bootstraps, p.slots) == (depth, False, n // 2)
        text = p.explain()
        assert f"Depth {depth}:" in text and "does not bootstrap" in text and "128 bits" in text
        errors = [p.predicted_error(k) for k in range(depth + 1)]
        assert errors[0] < errors[1] < 2**-15 and errors[1] < errors[-1]
    few = ckks.Parameters.preset(2**14, levels=3)
    assert few.depth == 3 and few.q_bits < ckks.Parameters.preset(2**14).q_bits
    assert ckks.Parameters.preset(2**14, security="classical256").depth == 2


def test_predicted_errors_are_those_of_ciphertexts() -> None:
    for parameters in SETS.values():
        keys = ckks.Context(parameters).generate_keys()
        x = keys.encrypt(1.0)
        for k in range(parameters.depth + 1):
            assert np.log2(parameters.predicted_error(k)) == pytest.approx(
                np.log2(x.error), abs=0.05
            )
            x = x.square_relinearize(keys) if x.levels_left else x
