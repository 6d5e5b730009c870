# SPDX-License-Identifier: Apache-2.0
"""Choices of BFV and BGV: parameters that are enough, or a set that bootstraps and its plan."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import _core, bfv, bgv
from ..errors import ParameterError
from ..integer_encoding import Parameters
from .bootstraps import planned_bootstraps
from .chosen import BgvChoice, BootstrapPlan, Choice, ChosenStep, IntegerChoice
from .moduli import largest_of, plain_modulus, require_t
from .noise import Noise, noise_rules
from .recording import record
from .times import bootstrap_seconds, predicted_seconds
from .traced import Recorder, Traced, rotation_steps
from .trimming import budgets_of

#: Sets that bootstrap, and passes, by device; for cards the fastest first.
_BOOTSTRAPPING = {
    "cpu": (("exact15", 4), ("exact16", 3), ("exact16", 4)),
    "cuda": (("exact16w", 3), ("exact16w", 4), ("exact15", 4)),
}


def with_bootstraps(
    scheme: ModuleType,
    circuit: Callable[..., Any],
    inputs: Any,
    t: int | None,
    slots: int,
    kind: str,
    security: int,
    insecure_n: int | None,
    refused: list[str],
) -> IntegerChoice:
    """The set whose bootstraps of this computation take the least time on a kind of device."""
    if security != 128:
        refused.append("Sets that bootstrap have 128 bits of security.")
    found: list[tuple[float, IntegerChoice]] = []
    for name, passes in _BOOTSTRAPPING[kind] if security == 128 else ():
        n = insecure_n or 2 ** int(name[5:7])
        recorder = Recorder()
        recorder.need_slots(slots, f"slots = {slots}")
        results = record(circuit, inputs, recorder, n)
        largest = largest_of(recorder, results)
        require_t(t, largest, recorder, False)
        if n < recorder.slots:
            refused.append(f"{name}: {recorder.slots_for} needs {recorder.slots} slots.")
            continue
        of = t or plain_modulus(n, largest)
        if (of - 1) % (2 * n):
            refused.append(f"{name}: t = {of} has no slots, since t - 1 is no multiple of 2n.")
            continue
        parameters, options = scheme.Bootstrapper._set(name, of, passes, insecure_n)
        plan = _core.exact_bootstrap.Plan(parameters._core, options)
        rules = noise_rules(parameters, plan)
        found_plan = planned_bootstraps(recorder.steps, recorder.places, rules)
        if isinstance(found_plan, str):
            refused.append(f"{name}, {passes} passes: {found_plan}.")
            continue
        count = len(found_plan.bootstrapped) + recorder.bootstraps
        seconds = None
        if kind == "cpu":
            seconds = count * recorder.ciphertexts * bootstrap_seconds(name, passes)
        bootstraps = BootstrapPlan(
            name,
            passes,
            insecure_n,
            tuple(sorted(step + 1 for step in found_plan.bootstrapped)),
            frozenset(
                i for i, step in enumerate(recorder.places) if step in found_plan.bootstrapped
            ),
            len(recorder.places),
            count,
            seconds if scheme is bfv else None,
        )
        choice = choice_of(parameters, recorder, results, refused, found_plan.left, bootstraps)
        if seconds is None:
            return choice
        found.append((choice.predicted_seconds or seconds, choice))
    if found:
        return min(found, key=lambda of: of[0])[1]
    raise ParameterError(
        f"no recommended set is enough, nor one with bootstraps. {refused[-1]} Split the "
        "computation, lower its values, or decrypt and encrypt again in between"
    )


def _seconds(parameters: Parameters, recorder: Recorder) -> float | None:
    if parameters.word_bits != 64 or not isinstance(parameters, bfv.Parameters):
        return None
    row, primes = parameters.n // 2, len(parameters.q)
    work = [step.work(row) for step in recorder.steps]
    return recorder.ciphertexts * sum(predicted_seconds(parameters.n, primes, w) for w in work)


def choice_of(
    parameters: Parameters,
    recorder: Recorder,
    results: list[Traced],
    refused: list[str],
    noises: list[Noise] | None = None,
    bootstraps: BootstrapPlan | None = None,
) -> IntegerChoice:
    budgets = budgets_of(parameters, recorder, noises)
    seconds = _seconds(parameters, recorder)
    if seconds is not None and bootstraps is not None:
        seconds += bootstraps.seconds or 0.0
    steps = tuple(
        ChosenStep(step.name, step.low, step.high, step.parts, bits)
        for step, bits in zip(recorder.steps, budgets, strict=True)
    )
    row = parameters.n // 2
    facts = {
        "steps": steps,
        "rotations": tuple(rotation_steps(recorder, parameters.n)),
        "swap_columns": any(swap(row) for swap in recorder.swaps),
        "relinearization": recorder.relinearization,
        "noise_budget_bits": min(budgets[result._index] for result in results),
        "predicted_seconds": seconds,
        "refused": tuple(refused),
        "bootstraps": bootstraps,
    }
    of_scheme: Any = BgvChoice if isinstance(parameters, bgv.Parameters) else Choice
    found: IntegerChoice = of_scheme(parameters, **facts)
    return found
