# SPDX-License-Identifier: Apache-2.0
"""Bootstraps of encrypted arrays: asked for, and placed by nttforge.choose."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import ArraySpec, EncryptedArray, _core, bfv, bgv, ckks
from nttforge.choosing.bootstraps import planned_bootstraps
from nttforge.choosing.noise import NoiseRules, noise_rules
from nttforge.choosing.traced import Recorder
from nttforge.ckks import functions
from nttforge.errors import NoiseError, ParameterError

N = 2**7
BITS = ArraySpec((40,), 0, 1)
TANH = functions.approximate(np.tanh, (-2, 2), degree=7)
both_schemes = pytest.mark.parametrize("scheme", ["bfv", "bgv"])


def nand(x: Any, y: Any, rounds: int = 30) -> Any:
    """Products one after the other of bits, which stay bits."""
    for _ in range(rounds):
        x, y = (1 - x * y).within(0, 1), x
    return x


class Counting:
    """Keys that count what is bootstrapped, and keep the least budget before it."""

    def __init__(self, keys: bfv.BootstrapKeys) -> None:
        self.keys, self.count, self.least = keys, 0, 1000.0

    def made(self) -> bfv.BootstrapKeys:
        outer = self

        class Keys(bfv.BootstrapKeys):
            __slots__ = ()

            def bootstrap(self, x: Any, **options: Any) -> Any:
                outer.count += 1
                outer.least = min(outer.least, x.predicted_noise_budget_bits)
                return super().bootstrap(x, **options)

        return Keys(self.keys.bootstrapper, self.keys._core)


def run(choice: Any, circuit: Any, values: list[Any]) -> tuple[Any, Counting]:
    machine = choice.bootstrapper(threads=1)
    assert machine.context.parameters == choice.parameters
    keys = choice.generate_keys(machine.context)
    arrays = [EncryptedArray.encrypt(v, keys, bounds=(0, 1)) for v in values]
    counting = Counting(machine.make_keys(keys))
    found = choice.run(circuit, arrays, counting.made())
    assert found.predicted_noise_budget_bits >= choice.noise_budget_bits - 0.01
    return found.decrypt(keys), counting


@both_schemes
def test_a_deep_computation_is_planned_and_run(scheme: Any) -> None:
    choice = nttforge.choose(nand, [BITS, BITS], scheme=scheme, insecure_n=N)
    assert isinstance(choice.parameters, getattr(nttforge, scheme).Parameters)
    plan = choice.bootstraps
    assert plan is not None and plan.bootstraps == len(plan.steps) == len(plan.places) > 3
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 2, (2, 40))
    found, counting = run(choice, nand, [x, y])
    assert found.tolist() == np.asarray(plain(x, y)).tolist()
    assert counting.count == plan.bootstraps and counting.least > 4.1
    text = choice.explain()
    assert f"Bootstraps: {plan.bootstraps} by the set {plan.name!r} in {plan.passes} passes" in text
    assert text.count("(bootstrapped)") == plan.bootstraps
    if scheme == "bfv":
        assert choice.predicted_seconds == pytest.approx(plan.seconds, rel=0.2)
    else:
        assert choice.predicted_seconds is None and plan.seconds is None
        assert "No time is predicted for BGV" in text


def plain(x: Any, y: Any) -> Any:
    for _ in range(30):
        x, y = 1 - x * y, x
    return x


@both_schemes
def test_products_inside_a_polynomial_are_planned(scheme: Any) -> None:
    def power(x: Any) -> Any:
        return x.polynomial([0, 3] + 1000 * [0] + [1, -3]).within(0, 1)

    choice = nttforge.choose(power, [BITS], scheme=scheme, insecure_n=N)
    assert choice.bootstraps is not None and choice.bootstraps.bootstraps > 0
    x = np.arange(40) % 2
    found, counting = run(choice, power, [x])
    assert found.tolist() == x.tolist() and counting.count == choice.bootstraps.bootstraps


@both_schemes
def test_secure_sets_are_taken_where_no_recommended_one_is_enough(scheme: Any) -> None:
    shallow = nttforge.choose(lambda x, y: nand(x, y, 4), [BITS, BITS], scheme=scheme)
    assert shallow.bootstraps is None and shallow.parameters.n < 2**15
    deep = nttforge.choose(lambda x, y: nand(x, y, 40), [BITS, BITS], scheme=scheme)
    plan = deep.bootstraps
    assert plan is not None and plan.name in ("exact15", "exact16") and plan.insecure_n is None
    assert deep.parameters.security == "classical128"
    assert scheme == "bgv" or (plan.seconds is not None and plan.seconds > 0)
    assert any("n = 32768" in why for why in deep.refused)
    card = nttforge.choose(
        lambda x, y: nand(x, y, 40), [BITS, BITS], scheme=scheme, device="cuda"
    ).bootstraps
    assert card is not None and (card.name, card.passes) == ("exact16w", 3)
    assert card.seconds is None and card.bootstraps > 0
    with pytest.raises(ParameterError, match="have 128 bits of security"):
        nttforge.choose(lambda x, y: nand(x, y, 60), [BITS, BITS], security=256, scheme=scheme)


@both_schemes
def test_functions_may_bootstrap_themselves(scheme: Any) -> None:
    def circuit(x: Any, keys: Any) -> Any:
        return (x * x).relinearize(keys).bootstrap(None) + 1

    choice = nttforge.choose(circuit, [(0, 9)], scheme=scheme, insecure_n=N)
    assert choice.bootstraps is not None
    assert (choice.bootstraps.bootstraps, choice.bootstraps.steps) == (1, ())
    secure = nttforge.choose(circuit, [(0, 9)], scheme=scheme)
    assert secure.parameters.n == 2**15 and secure.bootstraps is not None

    def of_arrays(x: Any) -> Any:
        return nand(x.bootstrap(None), x, 2)

    assert nttforge.choose(of_arrays, [BITS], scheme=scheme, insecure_n=N).bootstraps is not None


@both_schemes
def test_what_does_not_follow_the_plan_is_refused(scheme: Any) -> None:
    choice = nttforge.choose(nand, [BITS, BITS], scheme=scheme, insecure_n=N)
    machine = choice.bootstrapper(threads=1)
    keys = choice.generate_keys(machine.context)
    x = EncryptedArray.encrypt(np.ones(40, int), keys, bounds=(0, 1))
    evaluation = machine.make_keys(keys)
    with pytest.raises(ParameterError, match=r"computed 9 results and 90 when it was\s+recorded"):
        choice.run(lambda x, y: nand(x, y, 3), [x, x], evaluation)
    with pytest.raises(NoiseError, match=r"nttforge\.choose, which plans bootstraps"):
        nand(x, x)
    small = nttforge.choose(lambda x: x + 1, [BITS], scheme=scheme)
    for call in (small.bootstrapper, lambda: small.run(nand, [x], evaluation)):
        with pytest.raises(ParameterError, match="plans no bootstraps"):
            call()


@pytest.mark.parametrize("scheme", [bfv, bgv])
def test_arrays_of_integers_are_bootstrapped(scheme: Any) -> None:
    machine = scheme.Bootstrapper.of("exact16", 257, insecure_n=N, passes=2)
    keys = machine.context.generate_keys(rotations=[1])
    x = EncryptedArray.encrypt([[1, 2], [3, 4]], keys, bounds=(0, 5))
    y = (x * x).bootstrap(machine.make_keys(keys))
    assert y.decrypt(keys).tolist() == [[1, 4], [9, 16]] and y.bounds == (0, 25)
    assert y.predicted_noise_budget_bits == pytest.approx(machine.budget_bits, abs=0.5)
    assert (y * 2 - x).decrypt(keys).tolist() == [[1, 6], [15, 28]]
    lower = x.bootstrap(machine.make_keys(keys), level=machine.context.lowest_level)
    assert lower.decrypt(keys).tolist() == [[1, 2], [3, 4]]
    shared = y.decrypt_shared(keys, security_bits=20, bound="heuristic")
    assert shared.tolist() == [[1, 4], [9, 16]]


@pytest.mark.parametrize("fresh", [True, False])
def test_products_of_real_numbers_are_bootstrapped_at_the_lowest_level(fresh: bool) -> None:
    """Products come to the input level at its scale: from results' level, and from above it."""
    machine = ckks.Bootstrapper.of("boot16_40", insecure_n=N)
    keys = machine.context.generate_keys()
    x = EncryptedArray.encrypt([0.99, -0.95, 1], keys, bounds=(-1, 1))
    tired = x if fresh else replace(x, text=x.text.mod_switch(machine.level))
    expected = np.array([0.99, -0.95, 1])
    while tired.levels_left > machine.input_level - 1:
        tired, expected = tired * tired, expected * expected
        scale = tired._two().text.scale
        assert scale == machine.context.scale(tired._two().text.level)
    assert tired.levels_left == machine.input_level - 1
    assert np.abs(tired.decrypt(keys) - expected).max() < tired.error < 2**-14
    y = tired.bootstrap(machine.make_keys(keys))
    assert y.levels_left > tired.levels_left
    assert np.abs(y.decrypt(keys) - expected).max() < 2**-13


def mixed(x: Any, y: Any) -> Any:
    for _ in range(30):
        x, y = (0.5 * x * y + 0.25 * x + 0.25 * y).within(-1, 1), x
    return x


def test_a_deep_computation_of_real_numbers_is_planned_and_run() -> None:
    numbers = ArraySpec((40,), -1, 1)
    choice = nttforge.choose(mixed, [numbers, numbers], scheme="ckks", precision=12, insecure_n=N)
    plan = choice.bootstraps
    assert plan is not None and plan.bootstraps > 3 and choice.precision_bits >= 12
    assert f"Bootstraps: {plan.bootstraps} by the set 'boot16_40'" in choice.explain()
    machine = choice.bootstrapper(threads=1)
    keys = choice.generate_keys(machine.context)
    x, y = np.random.default_rng(2).uniform(-1, 1, (2, 40))
    arrays = [EncryptedArray.encrypt(v, keys, bounds=(-1, 1)) for v in (x, y)]
    found = choice.run(mixed, arrays, machine.make_keys(keys))
    for _ in range(30):
        x, y = 0.5 * x * y + 0.25 * x + 0.25 * y, x
    assert np.abs(found.decrypt(keys) - x).max() < 2**-12
    with pytest.raises(ParameterError, match="nor one with bootstraps"):
        nttforge.choose(mixed, [numbers, numbers], scheme="ckks", precision=30, insecure_n=N)


def alternating(x: Any, y: Any) -> Any:
    for _ in range(25):
        x, y = (1 - x * y).within(0, 1), x
    return x


def means(x: Any, y: Any) -> Any:
    for _ in range(15):
        x, y = ((x * y + x) * 0.5).within(0, 1), x
    return x


def squares(x: Any, y: Any) -> Any:
    for _ in range(15):
        x, y = (x * x * 0.5 + 0.5 * y).within(0, 1), x
    return x


def weighted(x: Any, y: Any) -> Any:
    weights = np.linspace(0.1, 0.9, 40)
    for _ in range(25):
        x, y = (x * weights + y * (1 - weights)).within(0, 1), x
    return x


def train(z: Any, w: Any) -> Any:
    """Nesterov's gradient for a logistic regression."""
    before = w
    for _ in range(6):
        ahead = near(1.25 * w - 0.25 * before, 2)
        t = near((z * ahead).sum(axis=1, keepdims=True) * 0.5, 2)
        slope = (t.apply(TANH) if isinstance(t, EncryptedArray) else TANH(t)) * -0.5 + 0.5
        w, before = near(ahead + (slope * z).sum(axis=0) * 0.0625, 2), w
    return w


def near(x: Any, bound: float) -> Any:
    return x.within(-bound, bound) if isinstance(x, EncryptedArray) else x


def test_training_is_planned_and_run() -> None:
    rows = np.random.default_rng(3).uniform([-0.2, -0.7, -0.4, -0.5], [0.8, 0.3, 0.6, 0.5], (8, 4))
    specs = [ArraySpec((8, 4), -1, 1), ArraySpec((4,), -2, 2)]
    choice = nttforge.choose(train, specs, scheme="ckks", precision=10, insecure_n=N)
    assert choice.bootstraps is not None and choice.bootstraps.bootstraps > 2
    machine = choice.bootstrapper()
    keys = choice.generate_keys(machine.context)
    begin = np.zeros(4)
    given = [
        EncryptedArray.encrypt(values, keys, bounds=bounds)
        for values, bounds in ((rows, (-1, 1)), (begin, (-2, 2)))
    ]
    found = choice.run(train, given, machine.make_keys(keys)).decrypt(keys)
    assert np.abs(found - train(rows, begin)).max() < 2.0**-10
    with pytest.raises(ParameterError, match="grow without end in the computation; take narrower"):
        nttforge.choose(
            lambda x: (4 * x).within(-1, 1) ** 1000, [ArraySpec((4,), -1, 1)],
            scheme="ckks", precision=10, insecure_n=N,
        )  # fmt: skip


@pytest.mark.parametrize("circuit", [alternating, means, squares, weighted])
def test_plans_of_real_numbers_use_every_level(circuit: Any) -> None:
    numbers = ArraySpec((40,), 0, 1)
    choice = nttforge.choose(circuit, [numbers, numbers], scheme="ckks", precision=9, insecure_n=N)
    machine = choice.bootstrapper(threads=1)
    keys = choice.generate_keys(machine.context)
    x, y = np.random.default_rng(3).uniform(0, 1, (2, 40))
    arrays = [EncryptedArray.encrypt(v, keys, bounds=(0, 1)) for v in (x, y)]
    levels: list[int] = []

    class Keys(ckks.BootstrapKeys):
        __slots__ = ()

        def bootstrap(self, x: Any, **options: Any) -> Any:
            levels.append(x.level)
            return super().bootstrap(x, **options)

    made = machine.make_keys(keys)
    found = choice.run(circuit, arrays, Keys(machine, made._core))
    plain = type("Plain", (np.ndarray,), {"within": lambda self, low, high: self})
    expected = circuit(x.view(plain), y.view(plain))
    assert np.abs(found.decrypt(keys) - expected).max() < 2**-9
    assert min(levels) in (machine.input_level, machine.input_level + 1)


@pytest.mark.parametrize("scheme", [bfv, bgv])
def test_plans_have_as_few_bootstraps_as_a_search_of_all(scheme: Any) -> None:
    parameters, options = scheme.Bootstrapper._set("exact15", 257, 2, N)
    rules = noise_rules(parameters, _core.exact_bootstrap.Plan(parameters._core, options))
    more, planned, generator = 0, 0, random.Random(5)
    for _ in range(40):
        recorder = Recorder(modulus=257)
        values = [recorder.add("input", (), (0, 1), 2, NoiseRules.fresh) for _ in range(2)]
        for _ in range(9):
            a, b = generator.choices(values[-4:], k=2)
            value = (a * b).relinearize() if generator.random() < 0.8 else a + b
            values.append(recorder.passed(value, None))
        found = planned_bootstraps(recorder.steps, recorder.places, rules)
        assert not isinstance(found, str)
        count = len(found.bootstrapped)
        least = next(
            k
            for k in range(count + 1)
            if any(enough(recorder, rules, set(c)) for c in combinations(recorder.places, k))
        )
        assert enough(recorder, rules, set(found.bootstrapped))
        planned, more = planned + count, more + count - least
    assert planned > 30 and more <= planned / 20


def enough(recorder: Recorder, rules: NoiseRules, chosen: set[int]) -> bool:
    noises: list[Any] = []
    for index, step in enumerate(recorder.steps):
        noise = step.rule(rules, [noises[i] for i in step.operands])
        noise = rules.bootstrapped((noise,)) if index in chosen else noise
        if rules.budget(noise) <= 0:
            return False
        noises.append(noise)
    return True
