# SPDX-License-Identifier: Apache-2.0
"""Small things that a Python user expects of keys, ciphertexts and plans."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import bfv, bgv
from nttforge.integer_encoding import Keys


@pytest.fixture(scope="module")
def keys() -> Keys:
    return bfv.Context(bfv.Parameters.preset(4096)).generate_keys()


def test_what_rotates_nothing_needs_no_key(keys: Keys) -> None:
    a = keys.encrypt([1, 2, 3])
    diagonal = bfv.LinearMap(np.diag([2, 3]), keys.context, repeated=False)
    unmoved = [
        a.inner_sum(1, keys),
        a.inner_sum(1, None),
        a.rotate_rows(0, None),
        *a.rotate_many([0, 0], keys),
        a.sum_axis((1, 4), 0, None),
        a.sum_axis((4, 1), 1, None),
        a.relinearize(None),
    ]
    assert all(c.same_words(a) for c in unmoved) and a.rotate_many([], None) == []
    assert keys.decrypt(a.dot([5, 5, 5], 1, None))[:3].tolist() == [5, 10, 15]
    assert keys.decrypt(a.matmul([[4]], None))[:3].tolist() == [4, 8, 12]
    if not diagonal.rotations:
        assert keys.decrypt(a.matmul(diagonal, None))[:3].tolist() == [2, 6, 6]


def test_what_rotates_nothing_is_checked_all_the_same(keys: Keys) -> None:
    three = keys.encrypt([1]) * keys.encrypt([2])
    coefficients = keys.encrypt([1], encoding="coefficients")
    for call in (
        lambda c: c.inner_sum(1, None),
        lambda c: c.rotate_rows(0, None),
        lambda c: c.rotate_many([0], None),
        lambda c: c.sum_axis((1, 1), 0, None),
    ):
        with pytest.raises(nttforge.ParameterError, match="a has 3 parts, a rotation needs 2"):
            call(three)
        with pytest.raises(nttforge.ParameterError, match="a is encoded as coefficients"):
            call(coefficients)
    with pytest.raises(nttforge.MissingKeyError, match="there are no rotation keys"):
        keys.encrypt([1]).inner_sum(2, keys)
    with pytest.raises(nttforge.MissingKeyError, match="there is no relinearization key"):
        three.relinearize(None)


def test_fixed_point(keys: Keys) -> None:
    values = np.array([1.25, -3.456, 0.004])
    c = keys.encrypt(values, scale=100)
    assert keys.decrypt(c)[:3].tolist() == [125, -346, 0]
    assert keys.decrypt(c, scale=100)[:3].tolist() == [1.25, -3.46, 0]
    assert keys.decrypt(keys.encrypt([3, -2], scale=7))[:2].tolist() == [21, -14]
    rows = keys.encrypt([[0.5], [1.5]], scale=2)
    assert rows.batch == 2 and keys.decrypt(rows, scale=2)[:, 0].tolist() == [0.5, 1.5]


@pytest.mark.parametrize(
    ("values", "options", "error", "text"),
    [
        ([1], {"scale": 0}, nttforge.ParameterError, "scale = 0 is not in (0, 2^62]"),
        ([1], {"scale": float("nan")}, nttforge.ParameterError, "scale = nan is not in"),
        ([1], {"scale": "2"}, nttforge.ArgumentTypeError, "scale = '2': need a number"),
        ([1], {"scale": True}, nttforge.ArgumentTypeError, "scale = True: need a number"),
        ([1, np.inf], {"scale": 2}, nttforge.ParameterError, "values[1] = inf times scale = 2"),
        ([1e30], {"scale": 2}, nttforge.ParameterError, "is not below 2^62: need finite numbers"),
        (["a"], {"scale": 2}, nttforge.ArgumentTypeError, "need real numbers"),
        ([400.0], {"scale": 100}, nttforge.ParameterError, "values[0] = 40000 is out of range"),
        ([1], {"scale": 2, "signed": False}, nttforge.ParameterError, "goes without a scale"),
    ],
)
def test_fixed_point_errors(
    keys: Keys, values: Any, options: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error) as caught:
        keys.encrypt(values, **options)
    assert text in str(caught.value)


def test_bytes_and_lengths(keys: Keys) -> None:
    more = keys.context.generate_keys(rotations=[1, 2])
    c = more.encrypt([[1], [2], [3]])
    assert more.rotations is not None and len(more.rotations) == 2 and len(c) == 3
    for value in (c, more.public, more.evaluation, more.rotations, keys.context.parameters):
        assert bytes(value) == value.to_bytes()


def test_one_name_for_the_noise_budget() -> None:
    """Every name of a budget ends in ``noise_budget_bits``."""
    choice = nttforge.choose(lambda x: x + 1, [(0, 1)])
    named: list[tuple[type, str]] = []
    classes = [bfv.Ciphertext, bfv.Decryptor, Keys, type(choice), type(choice.steps[0])]
    for cls in classes:
        annotated = [name for base in cls.__mro__ for name in inspect.get_annotations(base)]
        names = {*dir(cls), *annotated}
        named += [(cls, name) for name in names if "budget" in name and name[0] != "_"]
    assert len(named) >= 6
    assert [pair for pair in named if not pair[1].endswith("noise_budget_bits")] == []


def test_plans_and_contexts_have_one_default_of_threads() -> None:
    called = [nttforge.NttPlan, bfv.Context, bgv.Context, nttforge.explore, nttforge.Wisdom.find]
    called.append(nttforge.candidate_recipes)
    defaults = {inspect.signature(x).parameters["threads"].default for x in called}
    assert defaults == {0}
