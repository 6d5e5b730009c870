# SPDX-License-Identifier: Apache-2.0
"""Hoisted rotations, linear maps, sums, inner products, and evaluation keys as one object."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from devices import gpu_devices

import nttforge
from nttforge import bfv, bgv

T = 65537


@pytest.fixture(
    scope="module",
    params=[(scheme, device) for device in ["cpu", *gpu_devices()] for scheme in (bfv, bgv)],
    ids=lambda given: f"{given[0].__name__.rpartition('.')[2]} on {given[1]}",
)
def w(request: pytest.FixtureRequest) -> SimpleNamespace:
    """Keys for what every test needs, and a vector in every slot."""
    scheme, device = request.param
    context = scheme.Context(scheme.Parameters.preset(4096, T), device)
    keys = context.generate_keys(rotations=[*range(-8, 9), 16, 32, -16], inner_sum=8)
    values = np.random.default_rng(3).integers(-20, 21, context.n)
    return SimpleNamespace(
        scheme=scheme, context=context, keys=keys, x=values, a=keys.encrypt(values)
    )


def rolled(values: np.ndarray, step: int) -> np.ndarray:
    """What a rotation gives."""
    return np.roll(values.reshape(2, -1), -step, axis=1).ravel()


def test_rotate_many_is_single_rotations(w: SimpleNamespace) -> None:
    steps = [1, 0, -3, 8]
    many = w.a.rotate_many(steps, w.keys.rotations)
    assert len(many) == len(steps)
    for step, c in zip(steps, many, strict=True):
        assert (w.keys.decrypt(c) == rolled(w.x, step)).all()
        single = w.a.rotate_rows(step, w.keys.rotations)
        assert c.noise_log2 == single.noise_log2
    with pytest.raises(nttforge.MissingKeyError, match=r"lacks keys for the steps: 100, 200;"):
        w.a.rotate_many([200, 1, 100], w.keys)
    assert w.a.rotate_many([], w.keys) == []


@pytest.mark.parametrize(
    ("shape", "block", "repeated"),
    [((5, 7), None, False), ((7, 5), 16, False), ((8, 8), 8, True), ((3, 8), None, True)],
)
def test_linear_map_is_the_matrix_times_every_block(
    w: SimpleNamespace, shape: tuple[int, int], block: int | None, repeated: bool
) -> None:
    matrix = np.random.default_rng(4).integers(-9, 10, shape)
    m = w.scheme.LinearMap(matrix, w.context, block=block, repeated=repeated)
    assert m.block == (block or 8) and m.shape == shape
    assert set(m.rotations) <= set(w.keys.rotations.steps)
    vectors = w.x.reshape(-1, m.block).copy()
    if repeated:
        vectors[:] = vectors[0]
        vectors[:, shape[1] :] = 0
    c = w.keys.encrypt(np.stack([vectors.ravel(), -vectors.ravel()]))
    got = w.keys.decrypt(c.matmul(m, w.keys))
    expected = np.zeros_like(vectors)
    expected[:, : shape[0]] = vectors[:, : shape[1]] @ matrix.T
    assert (got[0].reshape(expected.shape) == expected).all()
    assert (got[1].reshape(expected.shape) == -expected).all()


def test_rotations_are_exactly_the_keys(w: SimpleNamespace) -> None:
    m = w.scheme.LinearMap(np.ones((4, 4), dtype=int), w.context)
    exact = w.context.generate_keys(rotations=m.rotations)
    exact.encrypt([1, 2, 3, 4]).matmul(m, exact)
    for left_out in m.rotations:
        fewer = w.context.generate_keys(rotations=[s for s in m.rotations if s != left_out])
        with pytest.raises(nttforge.MissingKeyError, match=rf"steps: {left_out};"):
            w.a.matmul(m, fewer)
        break


def test_a_row_is_cyclic_by_itself(w: SimpleNamespace) -> None:
    row = w.context.n // 2
    shift = np.zeros((row, row), dtype=np.int64)
    layout = nttforge.circuits.Diagonals.of(shift.shape, row, None, False)
    assert layout.cyclic and len(layout.baby_steps) * len(layout.giant_steps) == row


def test_matmul_dot_and_sums(w: SimpleNamespace) -> None:
    matrix = np.array([[1, 2], [3, -4]])
    got = w.keys.decrypt(w.a.matmul(matrix, w.keys))
    assert (got.reshape(-1, 2) == w.x.reshape(-1, 2) @ matrix.T).all()
    got = w.keys.decrypt(w.a.dot(w.a, 8, w.keys))[::8]
    assert (got == (w.x**2).reshape(-1, 8).sum(axis=1)).all()
    weights = np.tile([1, -1, 2, 0, 0, 3, 1, 1], w.context.n // 8)
    got = w.keys.decrypt(w.a.dot(weights, 8, w.keys))[::8]
    assert (got == (w.x * weights).reshape(-1, 8).sum(axis=1)).all()
    tables = w.x.reshape(-1, 4, 8)
    over_rows = w.keys.decrypt(w.a.sum_axis((4, 8), 0, w.keys)).reshape(-1, 4, 8)
    over_columns = w.keys.decrypt(w.a.sum_axis((4, 8), 1, w.keys)).reshape(-1, 4, 8)
    assert (over_rows[:, 0] == tables.sum(axis=1)).all()
    assert (over_columns[:, :, 0] == tables.sum(axis=2)).all()
    assert w.scheme.sum_steps((4, 8), 0) == [8, 16] and w.scheme.sum_steps((4, 8), 1) == [1, 2, 4]


def test_bad_maps_are_refused(w: SimpleNamespace) -> None:
    make = w.scheme.LinearMap
    for matrix, error, text in (
        ([[0.5]], nttforge.ArgumentTypeError, "need integers"),
        ([1, 2], nttforge.SizeError, "need rows and columns"),
        (np.zeros((2, 5000), dtype=int), nttforge.SizeError, "at most n/2 = 2048"),
        ([[T]], nttforge.ParameterError, "out of range"),
    ):
        with pytest.raises(error, match=text):
            make(matrix, w.context)
    with pytest.raises(nttforge.ParameterError, match="block = 3 is not allowed: a power of two"):
        make([[1]], w.context, block=3)
    with pytest.raises(nttforge.ParameterError, match="relinearize it first"):
        (w.a * w.a).matmul(make([[1, 2]], w.context), w.keys)
    with pytest.raises(nttforge.SizeError, match="powers of two; pad"):
        w.a.sum_axis((3, 4), 0, w.keys)
    with pytest.raises(nttforge.MissingKeyError, match="lacks keys for the steps: 64, 128"):
        w.a.sum_axis((4, 64), 0, w.keys)


def test_evaluation_keys_serve_everywhere_and_travel(w: SimpleNamespace) -> None:
    bundle = w.keys.evaluation
    data = bundle.to_bytes()
    p = w.context.parameters
    assert len(data) == p.evaluation_keys_bytes(len(w.keys.rotations)) and bytes(bundle) == data
    for served in (
        w.scheme.EvaluationKeys.from_bytes(w.context, data),
        pickle.loads(pickle.dumps(bundle)),
        bundle.to(w.context),
        w.keys,
    ):
        c = (w.a * w.a).relinearize(served).rotate_rows(1, served)
        assert (w.keys.decrypt(c) == rolled(w.x**2, 1)).all()
    assert "secret" not in repr(bundle)
    alone = w.scheme.EvaluationKeys(rotations=w.keys.rotations)
    assert len(alone.to_bytes()) == p.evaluation_keys_bytes(len(w.keys.rotations), False)
    with pytest.raises(nttforge.MissingKeyError, match="key holds none: there is no"):
        (w.a * w.a).relinearize(alone)
    with pytest.raises(nttforge.MissingKeyError, match="both None"):
        w.scheme.EvaluationKeys()
    for cut in (8, 50, len(data) - 1):
        with pytest.raises(nttforge.FormatError):
            w.scheme.EvaluationKeys.from_bytes(w.context, data[:cut])


def test_words_are_those_of_every_device() -> None:
    p = bfv.Parameters.preset(4096, 65537)
    results = []
    for device in ["cpu", *gpu_devices()]:
        context = bfv.Context(p, device)
        keys = context.generate_keys(rotations=range(-3, 4), seed=bytes(32))
        plain = bfv.BatchEncoder(context).encode(np.arange(4096))
        c = bfv.Encryptor(keys.public).encrypt(plain, seed=bytes(32))
        m = bfv.LinearMap([[1, 2], [3, 4]], context)
        parts = [*c.rotate_many([1, -2, 3], keys), c.matmul(m, keys)]
        results.append([x.residues for x in parts])
    for other in results[1:]:
        for x, y in zip(results[0], other, strict=True):
            assert (x == y).all()
