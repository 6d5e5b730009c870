# SPDX-License-Identifier: Apache-2.0
"""What :func:`choose` found: parameters, keys, and why these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..bfv import Parameters
from .times import reference_machine

if TYPE_CHECKING:
    from ..bfv import Context
    from ..integer_encoding import Keys

__all__ = ["Choice", "ChosenStep", "keys_bytes"]


def keys_bytes(parameters: Parameters, rotations: int, relinearization: bool) -> int:
    """Bytes of evaluation keys, the column swap among the rotations; 0 if none are needed."""
    if not rotations and not relinearization:
        return 0
    return parameters.evaluation_keys_bytes(rotations, relinearization)


@dataclass(frozen=True)
class ChosenStep:
    """One operation of the computation and its result with the chosen parameters.

    Parameters
    ----------
    name : str
        What was computed.
    low, high : int
        No value is below or above.
    parts : int
        2, or 3 after a product.
    noise_budget_bits : float
        Noise budget left, by the bound that ciphertexts carry.
    """

    name: str
    low: int
    high: int
    parts: int
    noise_budget_bits: float


@dataclass(frozen=True)
class Choice:
    """Parameters for a computation, and why these; made by :func:`choose`.

    Parameters
    ----------
    parameters : Parameters
    steps : tuple of ChosenStep
        Inputs first, in the order in which they were computed.
    rotations : tuple of int
        Steps that need a rotation key.
    swap_columns : bool
        Whether the key of the column swap is needed.
    relinearization : bool
        Whether the relinearization key is needed.
    noise_budget_bits : float
        The least noise budget of a result; above 0.
    predicted_seconds : float, optional
        Time of the computation on one core of the machine of the table in ``times.json``, without
        encryption and decryption; None for sets of 32-bit words, which are for GPUs.
    refused : tuple of str
        Why each smaller set is not enough, the largest of them last.
    """

    parameters: Parameters
    steps: tuple[ChosenStep, ...]
    rotations: tuple[int, ...]
    swap_columns: bool
    relinearization: bool
    noise_budget_bits: float
    predicted_seconds: float | None
    refused: tuple[str, ...]

    @property
    def evaluation_keys_bytes(self) -> int:
        """Bytes of the evaluation keys that are needed; 0 if none are."""
        count = len(self.rotations) + self.swap_columns
        return keys_bytes(self.parameters, count, self.relinearization)

    @property
    def evaluation_keys_memory_bytes(self) -> int:
        """What they take on a device."""
        sizes = self.parameters.memory_sizes()
        count = len(self.rotations) + self.swap_columns + self.relinearization
        return count * sizes["rotation_key"]

    def generate_keys(
        self,
        context: Context,
        *,
        relinearization: bool = False,
        rotations: Iterable[int] = (),
        swap_columns: bool = False,
        **options: Any,
    ) -> Keys:
        """The keys that the computation needs, in a context of :attr:`parameters`.

        ``relinearization``, ``rotations`` and ``swap_columns`` name further ones, and other
        ``options`` go to :meth:`Context.generate_keys`.
        """
        return context.generate_keys(
            self.relinearization or relinearization,
            (*self.rotations, *rotations),
            self.swap_columns or swap_columns,
            **options,
        )

    def explain(self) -> str:
        """The choice in sentences, with the range and the budget after each step."""
        p, sizes = self.parameters, self.parameters.serialized_sizes()
        lines = [
            f"n = {p.n} slots, t = {p.t}, log2 Q = {p.q_bits} in {len(p.q)} primes, "
            f"{len(p.special)} special; {p.security} by the {p.security_source}.",
            f"Each ciphertext has {sizes['ciphertext']} bytes. Evaluation keys: "
            + self._keys_text(),
        ]
        lines += [f"Not enough: {reason}" for reason in self.refused]
        lines.append("After each step: values, and bits of noise budget left.")
        width = max(len(step.name) for step in self.steps)
        for step in self.steps:
            lines.append(
                f"  {step.name:{width}}  [{step.low}, {step.high}]  {step.noise_budget_bits:.1f}"
                f"{'  (3 parts)' if step.parts == 3 else ''}"
            )
        lines.append(f"Results keep {self.noise_budget_bits:.1f} bits. {self._time_text()}")
        return "\n".join(lines)

    def _time_text(self) -> str:
        if self.predicted_seconds is None:
            return "No time is predicted for GPUs."
        return (
            f"Predicted time: {self.predicted_seconds * 1e3:.3g} ms on {reference_machine()}, from "
            "a table of measured operations."
        )

    def _keys_text(self) -> str:
        if not self.evaluation_keys_bytes:
            return "none are needed."
        needs = ["relinearization"] if self.relinearization else []
        if self.rotations:
            needs.append(f"rotations {list(self.rotations)}")
        if self.swap_columns:
            needs.append("the column swap")
        return (
            f"{', '.join(needs)}; {self.evaluation_keys_bytes} bytes, "
            f"{self.evaluation_keys_memory_bytes} in memory."
        )

    def __repr__(self) -> str:
        return f"<Choice of {self.parameters!r}, {self.noise_budget_bits:.1f} bits of budget left>"
