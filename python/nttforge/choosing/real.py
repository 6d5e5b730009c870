# SPDX-License-Identifier: Apache-2.0
"""Parameters of CKKS from a computation on real numbers and the precision that it needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..ckks import Bootstrapper, Context, Keys, Parameters
from ..encrypted import ArraySpec, EncryptedArray
from ..encrypted.state import PLACES
from ..errors import ArgumentTypeError, ParameterError, SizeError, UnsupportedError
from ..typing import SecurityLevel
from .bootstraps import Following, planned_bootstraps
from .chosen import BootstrapPlan, Planned
from .recording import has_arrays, run
from .simulated import Bootstrapping, Run, Simulated

SIZES = tuple(2**i for i in range(12, 18))
_START = (40, 36, 30, 50)  # bits of the scale of the first run, what a size has a set for
_LEAST, _MOST = 30, 55  # of a scale
_TRIES = 4
#: Sets that bootstrap, and the bits that the worst slot of a bootstrap keeps.
_BOOTSTRAPPING = {"boot16_40": 18.5, "boot16_45": 19.0}
_SPARE = 0.5  # bits of precision that a choice has above what is asked for


@dataclass(frozen=True)
class RealChoice(Planned):
    """Parameters of CKKS for a computation, and why these; made by :func:`choose`.

    Parameters
    ----------
    parameters : Parameters
    rotations : tuple of int
        Steps that need a rotation key.
    relinearization : bool
        Whether the relinearization key is needed.
    precision_bits : float
        Bits behind the point of the results that are predicted: -log2 of the largest error. It is
        of numbers drawn from the ranges; what ciphertexts promise (``error``) is a bound for all
        numbers, several bits larger.
    depth : int
        Levels that the computation takes.
    operations : dict of str to int
        How many of each.
    refused : tuple of str
        Why smaller sets are not enough.
    exact : str
        Whether BFV would do, where the results would be exact; empty if nobody asked.
    bootstraps : BootstrapPlan, optional
        Where no recommended set is enough: what :meth:`bootstrapper` and :meth:`run` follow. Its
        steps are operations, and its passes iterations.
    """

    parameters: Parameters
    rotations: tuple[int, ...]
    relinearization: bool
    precision_bits: float
    depth: int
    operations: Mapping[str, int]
    refused: tuple[str, ...]
    exact: str = ""
    bootstraps: BootstrapPlan | None = None

    def bootstrapper(self, **device: Any) -> Bootstrapper:
        """Who bootstraps by the plan, with a context of :attr:`parameters` on a device."""
        plan = self._plan()
        return Bootstrapper.of(plan.name, insecure_n=plan.insecure_n, **device)

    @property
    def evaluation_keys_bytes(self) -> int:
        """Bytes of the evaluation keys that are needed; 0 if none are."""
        sizes = self.parameters.serialized_sizes()
        found = len(self.rotations) * sizes["rotation_key"]
        return found + self.relinearization * sizes["relinearization_key"]

    def generate_keys(
        self, context: Context, *, rotations: Iterable[int] = (), **options: Any
    ) -> Keys:
        """The keys that the computation needs, in a context of :attr:`parameters`.

        ``rotations`` are further steps, and other ``options`` go to
        :meth:`nttforge.ckks.Context.generate_keys`.
        """
        options = {"relinearization": self.relinearization, **options}
        return context.generate_keys(rotations=(*self.rotations, *rotations), **options)

    def explain(self) -> str:
        """The choice in sentences."""
        p, sizes = self.parameters, self.parameters.serialized_sizes()
        keys = ["relinearization"] * self.relinearization
        keys += [f"rotations {list(self.rotations)}"] * bool(self.rotations)
        counts = ", ".join(f"{count} of {name}" for name, count in self.operations.items())
        lines = [
            f"CKKS: n = {p.n}, {p.slots} slots, scale 2^{math.log2(p.scale):.0f}, {p.depth} levels "
            f"of which {self.depth} are used; {p.security} by the {p.security_source}.",
            f"Predicted: {self.precision_bits:.1f} bits behind the point of the results.",
            f"Each ciphertext has {sizes['ciphertext']} bytes. Evaluation keys: "
            + (f"{', '.join(keys)}; {self.evaluation_keys_bytes} bytes." if keys else "none."),
            f"Operations: {counts or 'none'}.",
            *self._bootstraps_text(),
            *(f"Not enough: {reason}" for reason in self.refused),
        ]
        return "\n".join([*lines, self.exact] if self.exact else lines)

    def __repr__(self) -> str:
        return f"<Choice of {self.parameters!r}, {self.precision_bits:.1f} bits predicted>"


def choose_real(
    circuit: Callable[..., Any],
    inputs: Mapping[str, Any] | Sequence[Any],
    precision: float,
    security: SecurityLevel,
    slots: int,
    word_bits: int,
    sizes: Sequence[int] = SIZES,
    insecure_n: int | None = None,
) -> RealChoice:
    """The set of the smallest n that reaches a precision, with the fewest levels and bits."""
    refused: list[str] = []
    for n in sizes if insecure_n is None else ():
        if n // 2 < slots:
            refused.append(f"n = {n} has {n // 2} slots, and slots = {slots} are needed.")
            continue
        starts = (_preset(n, bits, 0, security, word_bits) for bits in _START)
        first = next(filter(None, starts), None)
        if first is None:
            refused.append(f"n = {n}: no set has this security and words of {word_bits} bits.")
            continue
        try:
            drawn, bits = _run(circuit, inputs, first)
        except SizeError as error:
            if n == sizes[-1]:
                raise
            refused.append(f"n = {n}: {error}.")
            continue
        needed = round(math.log2(first.scale)) + math.ceil(precision + _SPARE - bits)
        for _ in range(_TRIES):
            needed = max(needed, _LEAST)
            if needed > _MOST:
                refused.append(
                    f"n = {n}: {precision:g} bits need a scale of 2^{needed}, above 2^{_MOST}."
                )
                break
            found = _preset(n, needed, max(1, drawn.levels), security, word_bits)
            if found is None or found.depth < drawn.levels:
                why = f"no set has {drawn.levels} levels with a scale of 2^{needed}"
                refused.append(f"n = {n}: {why}, for a depth of {drawn.depth}.")
                break
            drawn, bits = _run(circuit, inputs, found)
            if found.depth < drawn.levels:
                continue  # this scale leaves numbers less room
            if bits >= precision:
                return _chosen(found, drawn, bits, drawn.depth, refused)
            needed += max(1, math.ceil(precision - bits))
    wanted = (has_arrays(inputs) and sizes is SIZES) or insecure_n is not None
    if wanted and security == "classical128" and word_bits == 64:
        return _with_bootstraps(circuit, inputs, precision, slots, insecure_n, refused)
    raise ParameterError(
        f"no recommended set is enough. {' '.join(refused[-1:])} Ask for a lower precision, take a "
        "circuit of less depth, or bootstrap (nttforge.ckks.Bootstrapper)"
    )


def _with_bootstraps(
    circuit: Callable[..., Any],
    inputs: Any,
    precision: float,
    slots: int,
    insecure_n: int | None,
    refused: list[str],
) -> RealChoice:
    """The first set that bootstraps whose results have the bits."""
    for name, bits in _BOOTSTRAPPING.items():
        small = Bootstrapper.of(name, insecure_n=insecure_n or 2**7)  # levels are those of any n
        p = small.context.parameters
        if insecure_n is None:
            p = Parameters._wrap(_core.ckks.bootstrap_preset(name, 0)[0])
        if p.slots < slots:
            refused.append(f"{name}: {p.slots} slots, and slots = {slots} are needed.")
            continue
        # A product of fresh ciphertexts takes a level more where it comes to the level of results.
        above = small.context.parameters.top_level - small.input_level - 1
        kept = Bootstrapping(bits, above, small.level - small.input_level)
        first, _ = _run(circuit, inputs, p, kept)
        plan = planned_bootstraps(first.steps, first.places, kept)
        if isinstance(plan, str):
            refused.append(f"{name}: {plan}.")
            continue
        places = frozenset(i for i, s in enumerate(first.places) if s in plan.bootstrapped)
        following = Following(places, len(first.places), None)
        drawn, found = _run(circuit, inputs, p, kept, following)
        if found < precision:
            refused.append(f"{name}: {found:.1f} bits, and {precision:g} are needed.")
            continue
        steps = tuple(sorted(step + 1 for step in plan.bootstrapped))
        count = len(first.places)
        bootstraps = BootstrapPlan(
            name, 1, insecure_n, steps, places, count, drawn.bootstraps, None
        )
        return _chosen(p, drawn, found, first.depth, refused, bootstraps)
    raise ParameterError(
        f"no recommended set is enough, nor one with bootstraps. {' '.join(refused[-1:])} Ask for "
        "a lower precision, or take narrower ranges"
    )


def _chosen(
    p: Parameters,
    drawn: Run,
    bits: float,
    depth: int,
    refused: list[str],
    bootstraps: BootstrapPlan | None = None,
) -> RealChoice:
    keys, counts = (tuple(sorted(drawn.rotations)), drawn.relinearization), dict(drawn.operations)
    return RealChoice(p, *keys, bits, depth, counts, tuple(refused), bootstraps=bootstraps)


def _preset(
    n: int, scale_bits: int, levels: int, security: SecurityLevel, word_bits: int
) -> Parameters | None:
    """The preset with so many levels (0: as many as there are), if there is one."""
    try:
        if word_bits == 64:
            return Parameters.preset(n, scale_bits, security, levels=levels)
        if scale_bits <= _START[0]:
            return Parameters.preset(n, _START[0], security, word_bits=32)
    except (ParameterError, UnsupportedError):
        pass
    return None


def _run(
    circuit: Callable[..., Any],
    inputs: Any,
    p: Parameters,
    bootstrapping: Bootstrapping | None = None,
    following: Following | None = None,
) -> tuple[Run, float]:
    """A run on numbers that are drawn, and the bits of its results."""
    drawn, random = Run(p, bootstrapping), np.random.default_rng(2)
    token = PLACES.set(following or drawn)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            results = run(circuit, inputs, lambda name, value: _input(drawn, name, value, random))
            largest = float(np.max([_error(result) for result in results] or [1.0]))
    finally:
        PLACES.reset(token)
    if not math.isfinite(largest):
        raise ParameterError(
            "numbers drawn from the ranges of inputs grow without end in the computation; take "
            "narrower ranges of inputs: within() states a range, and does not keep it"
        )
    return drawn, -math.log2(largest or 2.0**-1000)


def _input(drawn: Run, name: str, value: Any, random: np.random.Generator) -> Any:
    """What stands for an input: numbers of its range, some of them at its ends."""
    if isinstance(value, ArraySpec):
        (low, high), layout = value.real_bounds, value.layout(drawn.n, 1)
        words = layout.to_slots(_drawn(random, value.low, value.high, value.shape))
        return EncryptedArray(drawn.input(words), layout, None, None, 1, low, high)
    if isinstance(value, np.ndarray):
        low, high = float(value.min()), float(value.max())
    else:
        try:
            low, high = (min(value), max(value)) if isinstance(value, range) else map(float, value)
        except (TypeError, ValueError):
            raise SizeError(
                f"inputs[{name}] = {value!r}: need the lowest and the highest value, an array of "
                "numbers or an ArraySpec"
            ) from None
    if not (math.isfinite(high - low) and low <= high):
        raise ParameterError(f"inputs[{name}] = {value!r}: need finite numbers, low <= high")
    return drawn.input(_drawn(random, low, high, (1, drawn.slots)))


def _drawn(random: np.random.Generator, low: Any, high: Any, shape: tuple[int, ...]) -> Any:
    part = random.uniform(-0.05, 1.05, shape).clip(0, 1)
    return np.asarray(low) + (np.asarray(high) - np.asarray(low)) * part


def _error(result: Any) -> float:
    """The largest error of the numbers of a result."""
    if isinstance(result, EncryptedArray) and isinstance(result.text, Simulated):
        ready, scale = result._two(), result.scale
        assert isinstance(scale, (int, float))
        return float(np.max(np.abs(ready.layout.from_slots(ready.text.noise)))) / scale
    if isinstance(result, Simulated):
        return result.relinearize().error
    raise ArgumentTypeError(
        f"circuit returned a {type(result).__name__}: need what was computed from its arguments, "
        "or a tuple or list of such"
    )
