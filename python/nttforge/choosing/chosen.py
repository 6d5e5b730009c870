# SPDX-License-Identifier: Apache-2.0
"""What :func:`choose` found: parameters, keys, and why these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .. import bfv, bgv
from ..encrypted.state import PLACES
from ..errors import ParameterError
from ..integer_encoding import Bootstrapper, Parameters
from .bootstraps import Following
from .recording import called
from .times import reference_machine

if TYPE_CHECKING:
    from ..integer_encoding import Keys, SchemeContext

B = TypeVar("B", bound=Bootstrapper)
R = TypeVar("R")


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
class BootstrapPlan:
    """Where a computation bootstraps, and how.

    Parameters
    ----------
    name, passes, insecure_n
        Of the set, as the scheme's ``Bootstrapper.of`` takes them.
    steps : tuple of int
        After which of :attr:`Choice.steps` a result is bootstrapped, the first being 1. What the
        function bootstraps itself is not among them.
    places : frozenset of int
        The same among the results where it may happen, of which there are ``count``.
    bootstraps : int
        How many there are, of both kinds.
    seconds : float, optional
        What they take on the machine of :attr:`Choice.predicted_seconds`, in which they are; None
        for BGV and CKKS, of which the table of times has nothing.
    """

    name: str
    passes: int
    insecure_n: int | None
    steps: tuple[int, ...]
    places: frozenset[int]
    count: int
    bootstraps: int
    seconds: float | None


class Planned:
    """A choice of any scheme that may plan bootstraps, and how a plan is followed."""

    bootstraps: BootstrapPlan | None

    def run(
        self,
        circuit: Callable[..., R],
        inputs: Mapping[str, Any] | Sequence[Any],
        keys: Any,
    ) -> R:
        """What the function computes of encrypted arrays, with the bootstraps that were planned.

        Parameters
        ----------
        circuit : callable
            The function that was given to :func:`choose`.
        inputs : mapping or sequence
            An :class:`EncryptedArray` for each input, with its evaluation keys, of the shape and
            within the bounds that were stated.
        keys : BootstrapKeys
            Of :meth:`bootstrapper`.

        Raises
        ------
        ParameterError
            There is no plan, or the function computed otherwise than when it was recorded.

        Examples
        --------
        >>> import nttforge
        >>> def nand(x, y):
        ...     for _ in range(12):
        ...         x = 1 - x * y
        ...     return x
        >>> bits = nttforge.ArraySpec((4,), 0, 1)
        >>> choice = nttforge.choose(nand, [bits, bits], insecure_n=2**7)
        >>> machine = choice.bootstrapper()
        >>> keys = choice.generate_keys(machine.context)
        >>> x, y = (nttforge.EncryptedArray.encrypt(bits, keys, bounds=(0, 1))
        ...         for bits in ([0, 1, 0, 1], [0, 0, 1, 1]))
        >>> choice.run(nand, [x, y], machine.make_keys(keys)).decrypt(keys)
        array([1, 1, 0, 1])
        """
        plan = self._plan()
        following = Following(plan.places, plan.count, keys)
        token = PLACES.set(following)
        try:
            found: R = called(circuit, inputs)
        finally:
            PLACES.reset(token)
        following.finish()
        return found

    def _plan(self) -> BootstrapPlan:
        if self.bootstraps is None:
            raise ParameterError("the choice plans no bootstraps: call the function itself")
        return self.bootstraps

    def _bootstraps_text(self) -> list[str]:
        plan = self.bootstraps
        if plan is None:
            return []
        where = f", after the steps {', '.join(map(str, plan.steps))}" if plan.steps else ""
        passes = "" if plan.passes == 1 else f" in {plan.passes} passes"
        time = "No time is predicted for them"
        if plan.seconds is not None:
            time = f"They take {plan.seconds:.3g} s on {reference_machine()}"
        return [f"Bootstraps: {plan.bootstraps} by the set {plan.name!r}{passes}{where}. {time}."]


@dataclass(frozen=True)
class IntegerChoice(Planned):
    """Parameters for a computation on integers, and why these; made by :func:`choose`.

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
        encryption and decryption; None for BGV and for sets of 32-bit words, which are for GPUs.
    refused : tuple of str
        Why each smaller set is not enough, the largest of them last.
    bootstraps : BootstrapPlan, optional
        Where no recommended set is enough: what :meth:`bootstrapper` and :meth:`run` follow.
    """

    parameters: Parameters
    steps: tuple[ChosenStep, ...]
    rotations: tuple[int, ...]
    swap_columns: bool
    relinearization: bool
    noise_budget_bits: float
    predicted_seconds: float | None
    refused: tuple[str, ...]
    bootstraps: BootstrapPlan | None = None

    def _bootstrapper(self, of: type[B], device: dict[str, Any]) -> B:
        plan, t = self._plan(), self.parameters.t
        return of.of(plan.name, t, passes=plan.passes, insecure_n=plan.insecure_n, **device)

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
        context: SchemeContext,
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
        lines += self._bootstraps_text()
        lines.append("After each step: values, and bits of noise budget left.")
        width = max(len(step.name) for step in self.steps)
        after = () if self.bootstraps is None else self.bootstraps.steps
        for number, step in enumerate(self.steps, 1):
            lines.append(
                f"  {step.name:{width}}  [{step.low}, {step.high}]  {step.noise_budget_bits:.1f}"
                f"{'  (3 parts)' if step.parts == 3 else ''}"
                f"{'  (bootstrapped)' if number in after else ''}"
            )
        lines.append(f"Results keep {self.noise_budget_bits:.1f} bits. {self._time_text()}")
        return "\n".join(lines)

    def _time_text(self) -> str:
        if self.predicted_seconds is None:
            for_whom = "GPUs" if isinstance(self.parameters, bfv.Parameters) else "BGV"
            return f"No time is predicted for {for_whom}."
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


@dataclass(frozen=True, repr=False)
class Choice(IntegerChoice):
    """An :class:`IntegerChoice` of BFV: what :func:`choose` finds unless asked for another."""

    parameters: bfv.Parameters

    def bootstrapper(self, **device: Any) -> bfv.Bootstrapper:
        """Who bootstraps by the plan, with a context of :attr:`parameters` on a device."""
        return self._bootstrapper(bfv.Bootstrapper, device)


@dataclass(frozen=True, repr=False)
class BgvChoice(IntegerChoice):
    """An :class:`IntegerChoice` of BGV, of which no times are predicted."""

    parameters: bgv.Parameters

    def bootstrapper(self, **device: Any) -> bgv.Bootstrapper:
        """Who bootstraps by the plan, with a context of :attr:`parameters` on a device."""
        return self._bootstrapper(bgv.Bootstrapper, device)
