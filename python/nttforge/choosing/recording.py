# SPDX-License-Identifier: Apache-2.0
"""One run of a user's function on objects that record what it does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..encrypted import ArraySpec, EncryptedArray
from ..encrypted.state import PLACES
from ..errors import ArgumentTypeError, SizeError
from .noise import NoiseRules
from .traced import Recorder, Traced, input_range


def has_arrays(inputs: Any) -> bool:
    """Whether what is recorded depends on n: some input is an encrypted array."""
    values = inputs.values() if isinstance(inputs, Mapping) else inputs
    return isinstance(inputs, (Mapping, Sequence)) and any(
        isinstance(value, ArraySpec) for value in values
    )


def run(
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    stand_in: Callable[[str, Any], Any],
) -> list[Any]:
    """The results of a function of what stands for each input."""
    output = called(circuit, inputs, stand_in)
    return list(output) if isinstance(output, (tuple, list)) else [output]


def called(
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    stand_in: Callable[[str, Any], Any] = lambda name, value: value,
) -> Any:
    """What a function returns; of inputs themselves, or of what stands for each."""
    if not callable(circuit):
        raise ArgumentTypeError(f"circuit is a {type(circuit).__name__}: need a function")
    named = isinstance(inputs, Mapping)
    if not named and (isinstance(inputs, str) or not isinstance(inputs, Sequence)):
        raise ArgumentTypeError(f"inputs is a {type(inputs).__name__}: need a mapping or a list")
    items = inputs.items() if isinstance(inputs, Mapping) else enumerate(inputs)
    given: dict[Any, Any] = {name: stand_in(str(name), value) for name, value in items}
    if not given:
        raise SizeError("inputs is empty: a computation has at least one ciphertext")
    keys = {"keys": None} if "keys" in _names(circuit) and "keys" not in given else {}
    return circuit(**given, **keys) if named else circuit(*given.values(), **keys)


def record(
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    recorder: Recorder,
    n: int,
) -> list[Traced]:
    """Runs the function; returns its results. Only encrypted arrays depend on ``n``."""

    def traced(name: str, value: Any) -> Any:
        if isinstance(value, ArraySpec):
            low, high = value.bounds
            recorder.largest = max(recorder.largest, -low, high)
            text = recorder.add(f"input {name}", (), (low, high), 2, NoiseRules.fresh)
            array = value.traced(text, n)
            recorder.ciphertexts = max(recorder.ciphertexts, array.layout.ciphertexts)
            return array
        low, high, count = input_range(name, value)
        recorder.largest = max(recorder.largest, -low, high)
        recorder.need_slots(count, f"inputs[{name}]")
        return recorder.add(f"input {name}", (), (low, high), 2, NoiseRules.fresh)

    token = PLACES.set(recorder)
    try:
        results = run(circuit, inputs, traced)
    finally:
        PLACES.reset(token)
    # Arrays have two parts when they are written or shrunk; a product may come last.
    results = [r._two().text if isinstance(r, EncryptedArray) else r for r in results]
    for result in results:
        if not isinstance(result, Traced) or result._recorder is not recorder:
            raise ArgumentTypeError(
                f"circuit returned a {type(result).__name__}: need what was computed from its "
                "arguments, or a tuple or list of such"
            )
    if not results:
        raise ArgumentTypeError("circuit returned nothing: need a result")
    return results


def _names(circuit: Callable[..., Any]) -> set[str]:
    try:
        return set(inspect.signature(circuit).parameters)
    except (TypeError, ValueError):
        return set()
