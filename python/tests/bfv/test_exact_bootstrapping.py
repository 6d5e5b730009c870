# SPDX-License-Identifier: Apache-2.0
"""Bootstraps of integers from Python, of both schemes: exact, as planned, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nttforge import bfv, bgv, ntt_primes
from nttforge.errors import ContextError, NoiseError, ParameterError

SCHEMES = [bfv, bgv]


def make(scheme: Any, t: int = 257, **options: Any) -> Any:
    return scheme.Bootstrapper.of("exact16", t, insecure_n=2**7, **options)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_slots_of_batches_stay_and_their_budget_comes_back(scheme: Any) -> None:
    bootstrapper = make(scheme)
    keys = bootstrapper.context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    rng = np.random.default_rng(1)
    values = rng.integers(-128, 129, (3, 128))
    x = keys.encrypt(values)
    for _ in range(3):
        x = (x * x).relinearize(keys) - values
        values = (values**2 - values + 128) % 257 - 128
        # Operands stay what they were in the first round, as in the ciphertext.
        before = x.to_bytes()
        y = x.bootstrap(evaluation)
        assert x.to_bytes() == before
        assert (keys.decrypt(y) == values).all()
        assert y.predicted_noise_budget_bits == pytest.approx(bootstrapper.budget_bits, abs=0.5)
        assert keys.noise_budget_bits(y) >= y.predicted_noise_budget_bits
        assert y.level == len(bootstrapper.context.parameters.q)
        x = y


@pytest.mark.parametrize("scheme", SCHEMES)
def test_results_of_a_chosen_level_and_answers_that_are_shared(scheme: Any) -> None:
    bootstrapper = make(scheme, passes=4)
    keys = bootstrapper.context.generate_keys()
    evaluation, x = bootstrapper.make_keys(keys), keys.encrypt([1, -2, 3])
    lowest, highest = bootstrapper.context.lowest_level, len(bootstrapper.context.parameters.q)
    assert lowest < highest
    for level in range(lowest, highest + 1):
        y = x.bootstrap(evaluation, level=level)
        assert y.level == level and keys.decrypt(y)[:3].tolist() == [1, -2, 3]
        assert keys.noise_budget_bits(y) >= y.predicted_noise_budget_bits > 3
    with pytest.raises(ParameterError, match=f"level = {highest + 1}"):
        x.bootstrap(evaluation, level=highest + 1)
    decryptor = scheme.Decryptor(keys.secret)
    # After several passes there is no proved bound, by which answers are shared unless told.
    y = x.bootstrap(evaluation)
    with pytest.raises(NoiseError, match="proved"):
        decryptor.decrypt_shared(y)
    for bits in (40, 64):
        shared = decryptor.decrypt_shared(y, security_bits=bits, bound="heuristic")
        assert scheme.BatchEncoder(bootstrapper.context).decode(shared)[:3].tolist() == [1, -2, 3]
    # It floods within the budget, or says that there is too little.
    low = x.bootstrap(evaluation, level=lowest)
    with pytest.raises(NoiseError, match="bits"):
        decryptor.decrypt_shared(low, security_bits=64, bound="heuristic")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("budget", [4.2, 6, 8, 10, 14])
def test_little_budget_gives_what_the_plan_says(scheme: Any, budget: float) -> None:
    bootstrapper = make(scheme)
    keys = bootstrapper.context.generate_keys()
    evaluation, x = bootstrapper.make_keys(keys), keys.encrypt([1, -2, 3])
    y = x.bootstrap(evaluation, budget=budget)
    said = bootstrapper.plan(budget)[-1][1]
    assert y.predicted_noise_budget_bits == pytest.approx(said, abs=0.01)
    assert said > budget and keys.noise_budget_bits(y) >= said
    assert keys.decrypt(y)[:3].tolist() == [1, -2, 3]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("t", [2, 1000, 65537, 2**30 + 3])
def test_coefficients_for_any_modulus(scheme: Any, t: int) -> None:
    bootstrapper = make(scheme, t, passes=2)
    keys = bootstrapper.context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    values = np.random.default_rng(2).integers(0, t, 128)
    x = keys.encrypt(values, encoding="coefficients", signed=False)
    y = x.bootstrap(evaluation)
    assert y.encoding == "coefficients"
    assert (keys.decrypt(y, signed=False) == values).all()
    assert len(bootstrapper.plan(30)) == 2
    assert evaluation.bootstrapper is bootstrapper


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_has_too_little_left_or_says_nothing_is_refused(scheme: Any) -> None:
    bootstrapper = make(scheme)
    context = bootstrapper.context
    keys = context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    x = keys.encrypt([1, 2, 3])
    silent = scheme.Ciphertext.from_bytes(context, x.to_bytes(noise=False))
    with pytest.raises(
        NoiseError, match="a has a budget of 3\\.0 bits, and a bootstrap needs 4\\.1"
    ):
        x.bootstrap(evaluation, budget=3)
    with pytest.raises(NoiseError, match=r"needs 4\.1 at least, 1.* for all that it can leave"):
        bootstrapper.plan(0)
    if silent.predicted_noise_budget_bits is None:
        with pytest.raises(NoiseError, match="state the budget"):
            silent.bootstrap(evaluation)
    assert (keys.decrypt(silent.bootstrap(evaluation, budget=30))[:3] == [1, 2, 3]).all()
    gains = [bits for _, bits in bootstrapper.plan(8)]
    assert gains[0] < bootstrapper.plan(30)[0][1] and gains == sorted(gains)


def test_what_is_missing_is_named() -> None:
    bootstrapper = make(bfv)
    keys = bootstrapper.context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    x = keys.encrypt([1])
    with pytest.raises(ParameterError, match="relinearize"):
        (x * x).bootstrap(evaluation)
    other = make(bfv, 17)
    with pytest.raises(ContextError):
        other.make_keys(keys)
    with pytest.raises(ContextError):
        x.bootstrap(other.make_keys(other.context.generate_keys()))
    with pytest.raises(ContextError):
        x.bootstrap(make(bgv).make_keys(make(bgv).context.generate_keys()))
    with pytest.raises(TypeError, match="keys is a Keys: need a BootstrapKeys"):
        x.bootstrap(keys)
    with pytest.raises(ParameterError, match="exact16, exact16w, exact15"):
        bfv.Bootstrapper.of("exact17")
    with pytest.raises(ParameterError, match="insecure_n = 200 must be a power of two"):
        make(bfv).of("exact16", insecure_n=200)
    with pytest.raises(ParameterError, match="passes = 9"):
        make(bfv, passes=9)
    with pytest.raises(ParameterError, match="option = 'depth'"):
        bfv.Bootstrapper(make(bfv).context, primes=[], special=[], depth=3)
    context = bfv.Context(bfv.Parameters.preset(8192))
    with pytest.raises(ParameterError, match="primes has 0, and 3 and 4 matrices"):
        bfv.Bootstrapper(context, primes=[], special=[])
    n = context.n
    primes = [p for p in ntt_primes(n, 60, 20) if p not in context.parameters.special]
    with pytest.raises(ParameterError, match="128-bit"):
        bfv.Bootstrapper(context, primes=primes[:15], special=primes[15:17])
    words = bfv.Context(bfv.Parameters.preset(8192, word_bits=32))
    with pytest.raises(ParameterError, match=r"primes has 0, and 3 and 4 matrices .* take 30"):
        bfv.Bootstrapper(words, primes=[], special=[])


def test_what_it_says_of_itself() -> None:
    bootstrapper = make(bfv, 65537)
    text = bootstrapper.describe()
    assert text.startswith(f"{bootstrapper.budget_bits:.1f} bits of budget after 3 passes")
    assert "GB, modulo" in text and f"2^{bootstrapper.failure_bits:.1f}" in text
    assert bootstrapper.failure_bits > 128
    assert 4.1 < bootstrapper.full_budget_bits < bootstrapper.budget_bits - 70
    assert bootstrapper.keys_bytes > 10**6
    assert "Bootstrapper to" in repr(bootstrapper)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("device", ["cpu", "cuda:host"])
def test_recorded_bootstraps_are_those_that_are_called(scheme: Any, device: str) -> None:
    bootstrapper = make(scheme, device=device, passes=2)
    keys = bootstrapper.context.generate_keys()
    evaluation = bootstrapper.make_keys(keys)
    a, b = keys.encrypt([1, 2, 3]), keys.encrypt([4, 5, 6])

    def step(x: Any) -> Any:
        return (x * x).relinearize(keys).bootstrap(evaluation)

    recorded = bootstrapper.context.graph(step, a)
    between = step(a)
    for x, values in ((b, [16, 25, 36]), (a, [1, 4, 9])):
        found = recorded(x)
        assert found.same_words(step(x))
        assert keys.decrypt(found)[:3].tolist() == values
    assert keys.decrypt(between)[:3].tolist() == [1, 4, 9]
