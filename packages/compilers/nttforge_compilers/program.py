# SPDX-License-Identifier: Apache-2.0
"""Programs that a compiler wrote: packed, encrypted, run and unpacked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import (
    ArgumentTypeError,
    ContextError,
    ParameterError,
    SizeError,
    bfv,
    bgv,
    ckks,
)

from .demand import bootstrap_levels, integer_parameters, real_parameters
from .encrypted import Boots, arithmetic
from .execution import Plain, execute
from .graph import Graph, Operation
from .steps import steps_of_diagonals

__all__ = ["Argument", "Program", "Result"]

SCHEMES: dict[str, Any] = {"bfv": bfv, "bgv": bgv, "ckks": ckks}
Vector = NDArray[Any]


@dataclass(frozen=True)
class Argument:
    """What a program takes: numbers, packed into the slots of one ciphertext or more."""

    name: str
    count: int
    pack: Callable[[Any], list[Vector]]


@dataclass(frozen=True)
class Result:
    """What a program gives: numbers from the slots of one ciphertext or more."""

    count: int
    unpack: Callable[[list[Vector]], Any]


class Program:
    """A computation on encrypted numbers, made by ``nttforge.heir`` or ``nttforge.models``.

    Parameters
    ----------
    name : str
    scheme : {"bgv", "bfv", "ckks"}
    graph : Graph
    arguments, results : sequence of Argument, of Result
        As many ciphertexts as the graph has inputs and outputs, in order.
    t : int
        Plaintext modulus of BGV and BFV.
    """

    def __init__(
        self,
        name: str,
        scheme: str,
        graph: Graph,
        arguments: Sequence[Argument],
        results: Sequence[Result],
        t: int = 0,
    ) -> None:
        self.name, self.scheme, self.t = name, scheme, t
        self.graph, self.arguments, self.results = graph, tuple(arguments), tuple(results)
        taken, given = (sum(part.count for part in parts) for parts in (arguments, results))
        if (taken, given) != (graph.inputs, len(graph.outputs)):
            raise SizeError(
                f"{name} has {taken} ciphertexts as arguments and {given} as results: its graph "
                f"has {graph.inputs} and {len(graph.outputs)}"
            )
        self._prepared: tuple[Any, dict[Any, Any]] = (None, {})

    @property
    def slots(self) -> int:
        """The period with which vectors repeat in the slots."""
        return self.graph.slots

    @property
    def bootstraps(self) -> int:
        """How often it bootstraps."""
        return self.graph.bootstraps

    def rotations(self) -> tuple[int, ...]:
        """The steps whose keys a run needs."""
        steps = set(self.graph.rotations)
        for operation in self.graph.operations:
            if operation.name == "linear_transform":
                every = self.scheme != "ckks"
                found = steps_of_diagonals(operation.value, self.slots, every_pair=every)
                steps |= {step for pair in found.values() for step in pair}
        return tuple(sorted(steps - {0}))

    def required_keys(self) -> dict[str, Any]:
        """What a run needs, as ``context.generate_keys`` takes it.

        Keys of bootstraps are made by :meth:`bootstrapper`.
        """
        names = {operation.name for operation in self.graph.operations}
        return {
            "relinearization": bool(names & {"multiply", "polynomial"}),
            "rotations": self.rotations(),
        }

    def parameters(
        self,
        device: str = "cpu",
        *,
        security: str = "classical128",
        bound: float = 1.0,
        scale_bits: int | None = None,
    ) -> Any:
        """The smallest recommended set that has the depth.

        Parameters
        ----------
        device : str
            A GPU gets primes for words of 32 bits where there is such a set.
        security : {"classical128", "classical192", "classical256"}
        bound : number
            Of CKKS: what numbers that are encrypted stay within.
        scale_bits : int, optional
            Of CKKS: log2 of the scale, 30 ... 55; by default the most that the smallest n has room
            for, up to 50.

        Raises
        ------
        ParameterError
            No set suffices, or the program bootstraps (:meth:`bootstrapper`).
        """
        word_bits = 32 if str(device).startswith("cuda") else 64
        if self.scheme != "ckks":
            return integer_parameters(self.graph, SCHEMES[self.scheme], self.t, security, word_bits)
        if self.bootstraps:
            raise ParameterError(
                f"{self.name} bootstraps {self.bootstraps} times: take the context of "
                "program.bootstrapper(), which has a set for it"
            )
        return real_parameters(self.graph, bound, scale_bits, security, word_bits)

    def context(self, device: str = "cpu", *, threads: int = 0, **options: Any) -> Any:
        """A context of :meth:`parameters`, which takes further options, on a device."""
        made = SCHEMES[self.scheme].Context
        return made(self.parameters(device, **options), device=device, threads=threads)

    def bootstrapper(
        self, name: str = "boot16_40", *, bound: float = 1.0, **options: Any
    ) -> ckks.Bootstrapper:
        """What bootstraps the ciphertexts of this program, with its context.

        ``name`` and ``options`` are those of :meth:`nttforge.ckks.Bootstrapper.of`.

        Raises
        ------
        ParameterError
            Its levels do not reach from one bootstrap to the next.
        """
        machine = ckks.Bootstrapper.of(name, **options)
        if machine.context.slots < self.slots:
            raise SizeError(
                f"{name} has {machine.context.slots} slots: {self.name} needs {self.slots}"
            )
        bootstrap_levels(self.graph, bound, machine)
        return machine

    def encrypt(self, *values: Any, keys: Any, bound: float = 1.0) -> list[Any]:
        """Each argument packed and encrypted: a ciphertext, or a list where it takes several.

        Parameters
        ----------
        *values : array of numbers, or one number
            One for each of :attr:`arguments`.
        keys : Keys
        bound : number
            Of CKKS: what the numbers stay within, which is public.
        """
        packed = self._require_all(values)
        return [self.encrypt_argument(i, v, keys, bound) for i, v in enumerate(packed)]

    def encrypt_argument(self, index: int, value: Any, keys: Any, bound: float = 1.0) -> Any:
        """One of the arguments, as :meth:`encrypt` does it."""
        argument, slots = self.arguments[index], self._ring_slots(keys.context)
        texts = []
        for vector in argument.pack(value):
            if self.scheme == "ckks":
                row = np.resize(vector.astype(np.float64), slots)
                texts.append(keys.encrypt(row, bound, slots=slots))
            else:
                texts.append(keys.encrypt(np.resize(vector.astype(np.int64), keys.context.n)))
        return texts if argument.count != 1 else texts[0]

    def run(
        self,
        *ciphertexts: Any,
        keys: Any = None,
        bootstrap_keys: Any = None,
        bootstrap_bound: float = 1.0,
        told: Callable[[Operation], object] | None = None,
    ) -> Any:
        """The results, encrypted; who runs it needs no secret.

        Parameters
        ----------
        *ciphertexts : Ciphertext or list of Ciphertext
            One for each of :attr:`arguments`, as :meth:`encrypt` makes them.
        keys : EvaluationKeys or Keys, optional
            With what :meth:`required_keys` says, which may be nothing.
        bootstrap_keys : BootstrapKeys, optional
            Where the program bootstraps.
        bootstrap_bound : number
            What numbers that are bootstrapped stay within, as compilers see to it. It is believed:
            where it is wrong, ``error`` of results is.
        told : callable, optional
            Called after each operation, while a GPU may still compute.

        Returns
        -------
        Ciphertext or list
            Of each result a ciphertext, or a list where it has several; a list of those where
            there are several results.

        Raises
        ------
        MissingKeyError
            A key is missing; the message says which.
        SizeError, ContextError
            Ciphertexts are not those of the arguments.
        """
        flat: list[Any] = []
        for argument, given in zip(self.arguments, self._require_all(ciphertexts), strict=True):
            texts = list(given) if isinstance(given, (list, tuple)) else [given]
            if len(texts) != argument.count:
                raise SizeError(
                    f"{argument.name} has {len(texts)} ciphertexts: need {argument.count}"
                )
            flat += texts
        context = self._context_of(flat)
        ring = self._ring_slots(context)
        levels = self._levels(bootstrap_keys)
        places = [i for i, o in enumerate(self.graph.operations) if o.name == "input"]
        for k, place in enumerate(places):
            if place in levels and levels[place] < flat[k].level:
                flat[k] = flat[k].mod_switch(levels[place])
        bootstraps = Boots(bootstrap_keys, bootstrap_bound, levels)
        carried = arithmetic(
            context, self.slots, ring, keys, self._prepared_in(context), bootstraps
        )
        done = execute(self.graph, carried, flat, told)
        return self._grouped(done)

    def decrypt(self, results: Any, keys: Any) -> Any:
        """The numbers of what :meth:`run` gave."""
        found = []
        several = results if len(self.results) > 1 else [results]
        for result, given in zip(self.results, several, strict=True):
            texts = given if isinstance(given, (list, tuple)) else [given]
            vectors = [np.asarray(keys.decrypt(text))[: self.slots] for text in texts]
            found.append(result.unpack(vectors))
        return found if len(found) > 1 else found[0]

    def run_plain(self, *values: Any) -> Any:
        """The same of numbers in the clear, by NumPy."""
        plain = Plain(self.slots, self.t)
        pairs = zip(self.arguments, self._require_all(values), strict=True)
        inputs = [plain.vector(row) for argument, value in pairs for row in argument.pack(value)]
        done = iter(execute(self.graph, plain, inputs))
        found = [
            result.unpack([next(done)[: self.slots] for _ in range(result.count)])
            for result in self.results
        ]
        return found if len(found) > 1 else found[0]

    def _require_all(self, values: Sequence[Any]) -> Sequence[Any]:
        if len(values) != len(self.arguments):
            raise SizeError(
                f"{len(values)} arguments are given: {self.name} has {len(self.arguments)}"
            )
        return values

    def _ring_slots(self, context: Any) -> int:
        """Slots of its ciphertexts: a bootstrap is for all slots of the ring."""
        return context.slots if self.scheme == "ckks" and self.bootstraps else self.slots

    def _levels(self, boots: Any) -> dict[int, int]:
        """Levels of inputs and of bootstraps' results, where it is known what follows."""
        if boots is None:
            return {}
        machine = boots.bootstrapper
        return {
            i: min(machine.level, machine.input_level + operation.value)
            for i, operation in enumerate(self.graph.operations)
            if operation.name in ("input", "bootstrap") and operation.value is not None
        }

    def _context_of(self, texts: list[Any]) -> Any:
        kind = SCHEMES[self.scheme].Context
        for text in texts:
            if not isinstance(text, SCHEMES[self.scheme].Ciphertext):
                raise ArgumentTypeError(
                    f"an argument is a {type(text).__name__}: need a Ciphertext, or a list of them"
                )
        context = texts[0].context
        if not isinstance(context, kind):
            raise ContextError(f"{self.name} is for {self.scheme.upper()}, not {context!r}")
        slots = self._ring_slots(context)
        if self.scheme == "ckks" and any(text.slots != slots for text in texts):
            raise SizeError(f"an argument has not {slots} slots: make it with program.encrypt")
        if self.scheme != "ckks" and (context.t != self.t or context.n // 2 < slots):
            raise ContextError(
                f"{self.name} is for t = {self.t} and {slots} slots in a row: take a context of "
                "program.parameters()"
            )
        return context

    def _prepared_in(self, context: Any) -> dict[Any, Any]:
        """What is encoded for the last context that it ran in."""
        prepared = self._prepared
        if prepared[0] is not context:
            prepared = self._prepared = (context, {})
        return prepared[1]

    def _grouped(self, texts: list[Any]) -> Any:
        found, given = [], iter(texts)
        for result in self.results:
            several = [next(given) for _ in range(result.count)]
            found.append(several if result.count != 1 else several[0])
        return found if len(found) > 1 else found[0]

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.name}: {self.scheme.upper()}, {self.slots} slots, "
            f"{len(self.graph.operations)} operations, {len(self.rotations())} rotation keys>"
        )
