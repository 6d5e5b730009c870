# SPDX-License-Identifier: Apache-2.0
"""What an expression of given encrypted arrays needs and gives, before it is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from nttforge.bfv import Context, EvaluationKeys
from nttforge.choosing.noise import Noise, NoiseRules
from nttforge.choosing.traced import Recorder, rotation_steps
from nttforge.encrypted import EncryptedArray

from .expression import Expression

__all__ = ["Preview", "preview"]


@dataclass(frozen=True)
class Preview:
    """What :func:`preview` found.

    Parameters
    ----------
    result : EncryptedArray
        Shape, scale and range of the result, without numbers.
    rotations, swap_columns, relinearization
        Keys that are needed.
    missing : tuple of str
        Those that are not there.
    noise_budget_bits : float
        Of the result, by the bound that ciphertexts carry.
    assumed_fresh : tuple of str
        Inputs whose bytes say nothing of their noise.
    """

    result: EncryptedArray
    rotations: tuple[int, ...]
    swap_columns: bool
    relinearization: bool
    missing: tuple[str, ...]
    noise_budget_bits: float
    assumed_fresh: tuple[str, ...]


def preview(
    expression: Expression,
    arrays: Mapping[str, EncryptedArray],
    context: Context,
    keys: EvaluationKeys | None,
) -> Preview:
    """Runs an expression on recording objects in place of the arrays.

    Raises
    ------
    NttforgeError
        The expression does not fit the arrays, or a value could pass t/2; nothing was computed.
    """
    recorder, assumed = Recorder(), []
    traced: dict[str, EncryptedArray] = {}
    for name, array in arrays.items():
        noise = array.text.noise_log2
        if noise is None:
            assumed.append(name)
        text = recorder.add(f"input {name}", (), (array.low, array.high), 2, _known(noise))
        traced[name] = replace(array, text=text, keys=None)
    result = expression.evaluate(traced)._two()  # as it is written
    rules = NoiseRules(context.parameters)
    noises: list[Noise] = []
    for step in recorder.steps:
        noises.append(step.rule(rules, [noises[i] for i in step.operands]))
    row = context.n // 2
    rotations = tuple(rotation_steps(recorder, context.n))
    swap_columns = any(swap(row) for swap in recorder.swaps)
    return Preview(
        result,
        rotations,
        swap_columns,
        recorder.relinearization,
        _missing(rotations, swap_columns, recorder.relinearization, keys),
        rules.budget(noises[result.text._index]),
        tuple(assumed),
    )


def _known(noise: tuple[float, float, float] | None) -> Any:
    if noise is None:
        return NoiseRules.fresh
    return lambda rules, operands: Noise(*noise)


def _missing(
    rotations: tuple[int, ...],
    swap_columns: bool,
    relinearization: bool,
    keys: EvaluationKeys | None,
) -> tuple[str, ...]:
    held = None if keys is None else keys.rotations
    absent = [s for s in rotations if held is None or not held._core.has_step(s)]
    missing = []
    if relinearization and (keys is None or keys.relinearization is None):
        missing.append("the relinearization key")
    if absent:
        missing.append(f"rotation keys for the steps {', '.join(map(str, absent))}")
    if swap_columns and (held is None or not held.has_swap_columns):
        missing.append("the key of the column swap")
    return tuple(missing)
