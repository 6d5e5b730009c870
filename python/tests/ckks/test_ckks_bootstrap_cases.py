# SPDX-License-Identifier: Apache-2.0
"""Bootstraps that others test, or that failed for their users: their values and tolerances.

Rules are those of Lattigo's and OpenFHE's tests; a number names a row of the table of requirements
in test_ckks_requirements.py.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from bootstrap_chains import SETS, Margins, machines, run_chain
from bootstrap_sets import bootstrap_set, even_split, splits
from devices import gpu_devices
from small_ckks import uniform

from nttforge import available_targets, ckks
from nttforge.errors import ParameterError, PrecisionError


@pytest.mark.parametrize("n", [2**8, pytest.param(2**12, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", SETS)
def test_the_mean_precision_is_what_the_scale_lets_expect(name: str, n: int) -> None:
    # Lattigo's rule: mean log2 precision >= log2 of the scale - (log2 n + 2) - 10; level and scale
    # of the result are exactly the set's.
    machine = ckks.Bootstrapper.of(name, insecure_n=n)
    keys = machine.context.generate_keys()
    values = uniform(np.random.default_rng(1), n // 2)
    values[:4] = 0.9238795325112867 + 0.3826834323650898j
    x = keys.encrypt(values).mod_switch(machine.input_level)
    y = x.bootstrap(machine.make_keys(keys))
    found = ckks.precision_statistics(keys.decrypt(y), values)
    scale_bits = {"boot16_45": 45, "boot15_31": 31, "boot15w_30": 30}.get(name, 40)
    least = scale_bits - (np.log2(n) + 2) - 10
    assert min(found.real.mean, found.imaginary.mean) >= least
    assert y.level == machine.level
    assert y.scale_parts == machine.context._core.scale(machine.level)


def _right(keys: ckks.Keys, machine: ckks.Bootstrapper, what: Any, most: float = 1e-5) -> None:
    """A bootstrap of random complex numbers is off by so much at most, and says so."""
    values = uniform(np.random.default_rng(machine.slots), machine.slots)
    x = keys.encrypt(values, slots=machine.slots).mod_switch(machine.input_level)
    y = x.bootstrap(machine.make_keys(keys))
    error = float(np.abs(keys.decrypt(y) - values).max())
    assert error <= most, (what, error)
    assert error <= y.error <= y.proved_error, (what, error, y.error, y.proved_error)
    assert y.level == machine.level > machine.input_level, what


def _check_split(n: int, to_slots: list[int], to_coefficients: list[int], first: bool) -> None:
    parameters = bootstrap_set(n, len(to_slots), len(to_coefficients), first)
    context = ckks.Context(parameters, threads=1)
    machine = ckks.Bootstrapper(
        context,
        slots=1 << sum(to_slots),
        to_slots=to_slots,
        to_coefficients=to_coefficients,
        coefficients_first=first,
    )
    _right(context.generate_keys(), machine, (n, to_slots, to_coefficients, first))


# OpenFHE's unit test: full, edge and sparse slots, budgets {1,1} ... {3,2}; tolerance 1e-4.
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(
    ("slots", "budget"),
    [(2, (1, 1)), (4, (2, 1)), (8, (3, 2)), (8, (1, 1)), (32, (2, 2)), (64, (1, 1)), (64, (3, 2))],
)
def test_slots_and_budgets(slots: int, budget: tuple[int, int], first: bool) -> None:
    layers = slots.bit_length() - 1
    _check_split(128, *(even_split(layers, matrices) for matrices in budget), first)


@pytest.mark.full
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("log_n", range(7, 13))
def test_every_number_of_slots_and_every_budget(log_n: int, first: bool) -> None:
    # 8: FIDESlib 33; OpenFHE 1264 (64 of 2048 slots, budgets {4,4}, {5,5}: off by 0.44), 994, 1316.
    done = 0
    for layers in range(1, log_n):
        for budget in product(range(1, min(layers, 6) + 1), repeat=2):
            _check_split(1 << log_n, *(even_split(layers, k) for k in budget), first)
            done += 1
    assert done == sum(min(layers, 6) ** 2 for layers in range(1, log_n))


@pytest.mark.full
@pytest.mark.parametrize("first", [False, True])
def test_every_split_of_layers(first: bool) -> None:
    for layers in range(1, 7):
        for to_slots in splits(layers):
            for to_coefficients in splits(layers) if layers < 5 else (to_slots, to_slots[::-1]):
                _check_split(128, to_slots, to_coefficients, first)


def test_what_does_not_fit_is_refused() -> None:
    context = ckks.Context(bootstrap_set(128, 2, 2), threads=1)

    def refused(message: str, **options: Any) -> None:
        with pytest.raises(ParameterError, match=message):
            ckks.Bootstrapper(context, **options)

    refused(r"slots = 1 is not in \[2, 64\]", slots=1)
    refused(r"slots = 128 is not in \[2, 64\]", slots=128)
    refused("slots = 24", slots=24)
    refused("layers: they must add up to 3", slots=8, to_slots=[2, 2])
    refused("layers: they must add up to 3", slots=8, to_coefficients=[1])
    refused(r"to_slots\[1\] = 0", slots=8, to_slots=[3, 0])
    # The chain has levels for two matrices each way.
    three = {"to_slots": [1, 1, 1], "to_coefficients": [1, 1, 1]}
    refused("needs a set of 14 levels at least, and this one has 13", slots=8, **three)
    refused("use a larger set, or fewer matrices", slots=8, **three)
    keys = context.generate_keys()
    machine = ckks.Bootstrapper(context, slots=8, to_slots=[2, 1], to_coefficients=[2, 1])
    evaluation = machine.make_keys(keys)
    with pytest.raises(ParameterError, match="has 4 slots, and the bootstrapper is for 8"):
        keys.encrypt([0.5], slots=4).bootstrap(evaluation)


def test_9_products_after_each_of_fifty_bootstraps_in_a_row() -> None:
    # Lattigo 72; OpenFHE 564, 388, 390.
    machine = ckks.Bootstrapper.of("boot16_40", insecure_n=2**7)
    keys = machine.context.generate_keys()
    evaluation = machine.make_keys(keys)
    for real in (False, True):
        margins = Margins()
        done = run_chain(evaluation, keys, 50, 10, np.random.default_rng(1), real, margins)
        assert done == margins.bootstraps == 50 and margins.compared == 100
        assert 1 < margins.heuristic < 12  # a bound that says nothing would hold too
        assert margins.largest < 2**-18


@pytest.mark.full
@pytest.mark.parametrize("n", [2**7, 2**8])
def test_9_fifty_bootstraps_of_every_set_and_of_few_slots(n: int) -> None:
    for name, machine in machines(n):
        keys = machine.context.generate_keys()
        evaluation = machine.make_keys(keys)
        for real in (False, True):
            margins = Margins()
            done = run_chain(evaluation, keys, 50, 10, np.random.default_rng(n), real, margins)
            # The sine's cube is nearly all that boot15w_30 is off by; the bounds have it exactly.
            least = 0.5 if name == "boot15w_30" else 1
            assert done == 50 and least < margins.heuristic < margins.proved, (name, margins)


def test_9_errors_grow_with_the_number_of_bootstraps() -> None:
    machine = ckks.Bootstrapper.of("boot16_40", insecure_n=2**7)
    keys = machine.context.generate_keys()
    evaluation = machine.make_keys(keys)
    values = uniform(np.random.default_rng(4), 64)
    x = keys.encrypt(values)
    errors, said = [], []
    for _ in range(10):
        x = (x * 1.0).mod_switch(machine.input_level).bootstrap(evaluation)
        errors.append(float(np.abs(keys.decrypt(x) - values).max()))
        said.append(x.error)
    assert errors[-1] < 20 * errors[0] and said[-1] < 11 * said[0]
    assert all(a < b for a, b in zip(errors, said, strict=True))
    two, exact = keys.encrypt(2.0, bound=2), values
    for _ in range(10):
        x, exact = (x * two).relinearize(keys), exact * 2
        assert np.abs(keys.decrypt(x) - exact).max() <= x.error
    with pytest.raises(PrecisionError, match=r"too large to be bootstrapped: they must be below"):
        (x * 2).mod_switch(machine.input_level).bootstrap(evaluation)


def test_10_the_range_of_numbers_costs_what_is_said() -> None:
    # OpenFHE 390, 817, and its first example: eight numbers up to 5.
    context = ckks.Context(bootstrap_set(128, 2, 2), threads=1)
    keys = context.generate_keys()
    values = np.array([0.25, 0.5, 0.75, 1, 2, 3, 4, 5])
    split = {"to_slots": [2, 1], "to_coefficients": [2, 1]}
    errors = {}
    for bound in (1, 8):
        machine = ckks.Bootstrapper(context, slots=8, bound=bound, **split)
        evaluation = machine.make_keys(keys)
        y = keys.encrypt(values, bound=5, slots=8).mod_switch(1).bootstrap(evaluation)
        assert np.abs(keys.decrypt(y) - values).max() <= min(y.error, 1e-4)
        # The largest coefficient, where the sine is off most.
        y = keys.encrypt(5.0, bound=5, slots=8).mod_switch(1).bootstrap(evaluation)
        errors[bound] = float(np.abs(keys.decrypt(y) - 5).max())
        assert errors[bound] <= y.error
        most = 2.0 ** (machine.ratio_bits - 5)
        with pytest.raises(PrecisionError, match="multiply by a constant before and after"):
            keys.encrypt(values, bound=2 * most, slots=8).mod_switch(1).bootstrap(evaluation)
    assert errors[8] < 1e-4 < 5e-4 < errors[1] < 1e-3
    machine = ckks.Bootstrapper.of("boot16_40", insecure_n=2**7)
    keys = machine.context.generate_keys()
    evaluation = machine.make_keys(keys)
    y = keys.encrypt(np.tile(values, 8), bound=5).bootstrap(evaluation)
    assert np.abs(keys.decrypt(y)[:8] - values).max() <= min(y.error, 1e-4)


def test_11_the_level_of_the_result_is_asked_for() -> None:
    # OpenFHE 927; HEIR 2436, 1642.
    machine = ckks.Bootstrapper.of("boot15_31", insecure_n=2**7)
    keys = machine.context.generate_keys()
    evaluation = machine.make_keys(keys)
    x = keys.encrypt(uniform(np.random.default_rng(1), 64)).mod_switch(machine.input_level)
    whole = x.bootstrap(evaluation)
    for level in range(1, machine.level + 1):
        y = x.bootstrap(evaluation, level=level)
        assert y.level == level and y.same_words(whole.mod_switch(level))
        assert y.scale_parts == machine.context._core.scale(level)


def test_14_a_bootstrap_depends_on_no_thread_and_no_device() -> None:
    # SEAL 351; FIDESlib PR 46; OpenFHE 1203.
    machine = ckks.Bootstrapper.of("boot15_31", insecure_n=2**7)
    keys = machine.context.generate_keys()
    evaluation = machine.make_keys(keys)
    x = keys.encrypt(uniform(np.random.default_rng(1), 64)).mod_switch(machine.input_level)
    parameters = machine.context.parameters
    contexts = [ckks.Context(parameters, threads=t) for t in (1, 2, 8)]
    contexts += [ckks.Context(parameters, threads=1, target=t) for t in available_targets()]
    contexts += [ckks.Context(parameters, device) for device in gpu_devices()]
    before = x.to_bytes()
    results = {x.to(c).bootstrap(evaluation.to(c)).to_bytes() for c in contexts}
    assert results == {x.bootstrap(evaluation).to_bytes()}
    assert x.to_bytes() == before  # 7: Lattigo 476


@pytest.mark.full
def test_12_keys_of_the_secure_sets_have_the_sizes_that_are_documented() -> None:
    # SEAL 94, 401; OpenFHE 775, 1174, 1203; HEonGPU 12; Orion 18; HEIR 2476; FIDESlib 29.
    machine = ckks.Bootstrapper.of("boot16w_40")
    parameters = machine.context.parameters
    assert parameters.security_verdict()[0] == 128
    assert round(machine.keys_bytes / 1e9, 1) == 6.2
    assert f"{machine.keys_bytes / 1e9:.2f} GB" in machine.describe()
    assert machine.serialized_bytes < machine.keys_bytes / 2
