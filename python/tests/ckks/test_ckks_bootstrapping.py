# SPDX-License-Identifier: Apache-2.0
"""Bootstraps of small sets from Python: numbers, errors that are said, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from bootstrap_chains import SETS

import nttforge
from nttforge import ckks, ntt_primes
from nttforge.errors import ContextError, ParameterError, PrecisionError, UnsupportedError


def make(slots: int = 8, **options: object) -> ckks.Bootstrapper:
    n = 128
    q = [*ntt_primes(n, 55, 1), *ntt_primes(n, 45, 4), *ntt_primes(n, 58, 10)]
    scales = [0, 0, 2.0**45, 2.0**47, 0]
    parameters = ckks.Parameters.custom(
        n, 2.0**58, q, ntt_primes(n, 60, 3), "insecure_by_request", scales=scales
    )
    return ckks.Bootstrapper(
        ckks.Context(parameters), slots=slots, to_slots=[2, 1], to_coefficients=[2, 1], **options
    )


@pytest.mark.parametrize("kind", [float, complex])
def test_numbers_come_back_at_a_higher_level(kind: type) -> None:
    bootstrapper = make()
    keys = bootstrapper.context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    values = np.linspace(-1, 1, 8).astype(kind) * (1 if kind is float else 0.5 + 0.5j)
    x = keys.encrypt(np.array([values, values[::-1]]), slots=8).mod_switch(1)
    for _ in range(3):
        before = x.to_bytes()
        y = evaluation.bootstrap(x)
        assert y.levels_left == bootstrapper.level - 1 == 2
        found = keys.decrypt(y)
        assert found.dtype == np.dtype(kind)
        error = np.abs(found - [values, values[::-1]]).max()
        assert error < 2**-11
        assert error <= y.error <= y.proved_error
        assert x.to_bytes() == before
        x = y.mod_switch(1)


@pytest.mark.parametrize("name", SETS)
def test_chains_of_sets_at_a_small_n(name: str) -> None:
    bootstrapper = ckks.Bootstrapper.of(name, insecure_n=2**8)
    keys = bootstrapper.context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    rng = np.random.default_rng(1)
    values = rng.uniform(-1, 1, 128) + 1j * rng.uniform(-1, 1, 128)
    x = keys.encrypt(values).mod_switch(bootstrapper.input_level)
    before = x.to_bytes()
    y = x.bootstrap(evaluation)
    assert x.to_bytes() == before
    assert y.level == bootstrapper.level
    error = keys.decrypt(y) - values
    mean = np.abs([error.real, error.imag]).mean()
    expected = {"boot15_31": -18, "boot15w_30": -16, "boot16w_fast": -22}
    assert mean < 2.0 ** expected.get(name, -25)
    assert np.abs(error).max() <= y.error <= y.proved_error
    assert x.bootstrap(evaluation, level=5).level == 5
    with pytest.raises(ParameterError, match="bootstrap earlier"):
        x.mod_switch(1).bootstrap(evaluation)
    with pytest.raises(ParameterError, match="level = 99"):
        x.bootstrap(evaluation, level=99)
    assert f"{bootstrapper.level - bootstrapper.input_level} levels between" in (
        bootstrapper.describe()
    )
    assert 128 <= bootstrapper.failure_bits < 145


def test_iterations_have_the_bits_of_each() -> None:
    bootstrapper = ckks.Bootstrapper.of("boot16_51", insecure_n=2**8, keys="small")
    assert "scale 2^51, for one level" in bootstrapper.describe()
    keys = bootstrapper.context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    values = np.linspace(-1, 1, bootstrapper.context.slots)
    x = keys.encrypt(values).mod_switch(bootstrapper.input_level)
    errors = []
    for iterations in (1, 2):
        y = x.bootstrap(evaluation, iterations=iterations)
        assert y.level == bootstrapper.level - (iterations > 1)
        errors.append(np.abs(keys.decrypt(y) - values).max())
        assert errors[-1] <= y.error
    assert errors[0] < 2.0**-19 and errors[1] < 2.0**-38
    with pytest.raises(PrecisionError, match="ask for fewer iterations, or take a set"):
        x.bootstrap(evaluation, iterations=4)
    with pytest.raises(ParameterError, match=r"iterations = 9 is not in \[1, 8\]"):
        x.bootstrap(evaluation, iterations=9)
    with pytest.raises(ParameterError, match="level = 14 is not in"):
        x.bootstrap(evaluation, iterations=2, level=bootstrapper.level)


def test_small_keys_are_few() -> None:
    fast = ckks.Bootstrapper.of("boot16_40", insecure_n=2**8)
    small = ckks.Bootstrapper.of("boot16_40", insecure_n=2**8, keys="small")
    assert len(small.rotations) < len(fast.rotations)
    assert small.keys_bytes < fast.keys_bytes
    with pytest.raises(ParameterError, match="keys = 'tiny'"):
        ckks.Bootstrapper.of("boot16_40", insecure_n=2**8, keys="tiny")  # type: ignore[arg-type]


def test_numbers_that_are_too_large_are_refused() -> None:
    bootstrapper = make()
    keys = bootstrapper.context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    with pytest.raises(PrecisionError, match="too large to be bootstrapped"):
        evaluation.bootstrap(keys.encrypt([50.0, -3, 1], bound=100, slots=8))
    y = evaluation.bootstrap(keys.encrypt([10.0, -3, 1], bound=12, slots=8))
    assert np.abs(keys.decrypt(y)[:3] - [10, -3, 1]).max() <= y.error


def test_sets_are_named_and_bad_input_says_what_helps() -> None:
    with pytest.raises(
        ParameterError,
        match="boot16_40, boot16_45, boot16_51, boot16w_40, boot16w_45, boot16w_54, boot16w_fast, "
        "boot15_31, boot15w_30",
    ):
        ckks.Bootstrapper.of("boot17")
    with pytest.raises(ParameterError, match="insecure_n = 200 must be a power of two"):
        ckks.Bootstrapper.of("boot16_40", insecure_n=200)
    context = ckks.Context(ckks.Parameters.preset(2**13, 36))
    with pytest.raises(
        ParameterError, match="needs a set of 15 levels at least, and this one has 3"
    ):
        ckks.Bootstrapper(context)
    with pytest.raises(ParameterError, match="layers: they must add up to 3"):
        ckks.Bootstrapper(make().context, slots=8, to_slots=[1], to_coefficients=[1, 2])
    bootstrapper = make()
    keys = bootstrapper.context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    with pytest.raises(ParameterError, match="has 16 slots, and the bootstrapper is for 8"):
        evaluation.bootstrap(keys.encrypt([0.5], slots=16))
    with pytest.raises(ParameterError, match="needs 2"):
        x = keys.encrypt([0.5], slots=8)
        evaluation.bootstrap(x * x)
    with pytest.raises(ContextError):
        bootstrapper.make_keys(context.generate_keys())
    windows = ckks.Context(ckks.Parameters.preset(2**14, 40, word_bits=32))
    with pytest.raises((UnsupportedError, ParameterError)):
        ckks.Bootstrapper(windows)
    assert nttforge.ckks.Parameters.preset(2**13, 36).bootstraps is False
