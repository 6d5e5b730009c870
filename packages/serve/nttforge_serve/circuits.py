# SPDX-License-Identifier: Apache-2.0
"""Circuits: functions of encrypted arrays, the parameters for them, and how requests are computed.

Requests of one session are computed together, as a batch:

    request 1  ciphertext ┐
    request 2  ciphertext ├ one ciphertext object of batch 3 → the circuit, once → 3 answers
    request 3  ciphertext ┘

This needs arrays of one ciphertext each, from inputs to results, which every run watches; other
circuits compute one request after the other. Sessions are never mixed in a batch: each has keys of
its own, and nothing that one session sends can touch what another one gets.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nttforge.choosing import choose
from nttforge.encrypted import ArraySpec, EncryptedArray
from nttforge.encrypted.kinds import private_kind, with_article
from nttforge.encrypted.schemes import read_stack
from nttforge.errors import ArgumentTypeError, FormatError, NttforgeError, ParameterError
from nttforge.rlwe import EvaluationKeys

from .batches import Widened, answers, columns, tells
from .hands import Hands
from .wire import Contract, joined, parted

__all__ = ["Circuit", "Prepared", "circuit", "load", "prepare"]


@dataclass(frozen=True)
class Circuit:
    """A function that a server computes; made by :func:`circuit`.

    Parameters
    ----------
    function : callable
        Of one :class:`~nttforge.EncryptedArray` for each input; returns one, or a tuple of them.
    inputs : mapping of str to ArraySpec
        Shape, range and scale of each argument, by name.
    options : mapping
        What :func:`nttforge.choose` takes besides: ``scheme``, ``precision``, ``security``, ...
    shrink : bool
        Whether answers are made as small as their noise allows.
    """

    function: Callable[..., Any]
    inputs: Mapping[str, ArraySpec]
    options: Mapping[str, Any] = field(default_factory=dict)
    shrink: bool = True

    @property
    def name(self) -> str:
        """That of the function."""
        return str(self.function.__name__)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """The function itself: of encrypted arrays, or of NumPy's."""
        return self.function(*arguments, **named)


def circuit(
    *, shrink: bool = True, options: Mapping[str, Any] | None = None, **inputs: ArraySpec
) -> Callable[[Callable[..., Any]], Circuit]:
    """Makes a function a :class:`Circuit`.

    Parameters
    ----------
    shrink : bool
        Make answers as small as their noise allows, as :meth:`EncryptedArray.shrink`; their owner
        can then decrypt them and no more.
    options : mapping, optional
        Further arguments of :func:`nttforge.choose`, such as ``{"scheme": "ckks"}``.
    **inputs : ArraySpec
        One for each argument of the function.

    Raises
    ------
    ArgumentTypeError
        The function's arguments are not the named inputs.

    Examples
    --------
    >>> import nttforge
    >>> @circuit(ages=nttforge.ArraySpec((8,), 0, 110))
    ... def dose(ages):
    ...     "Milligrams by age."
    ...     return 3 * ages + 20
    >>> dose.name, int(dose(40))
    ('dose', 140)
    """

    def made(function: Callable[..., Any]) -> Circuit:
        arguments = list(inspect.signature(function).parameters)
        wrong = [name for name, spec in inputs.items() if not isinstance(spec, ArraySpec)]
        if wrong or not inputs or sorted(arguments) != sorted(inputs):
            raise ArgumentTypeError(
                f"circuit {function.__name__}: arguments are {arguments} and inputs "
                f"{list(inputs)}: need an ArraySpec for each argument, by its name"
            )
        ordered = {name: inputs[name] for name in arguments}
        if any(not isinstance(spec.scale, (int, float)) for spec in ordered.values()):
            raise ArgumentTypeError(
                f"circuit {function.__name__}: a scale for each column is not served: make an "
                "input of each column"
            )
        return Circuit(function, ordered, dict(options or {}), shrink)

    return made


def load(place: str) -> list[Circuit]:
    """The circuits of a Python file or module, in the order in which they stand there.

    Raises
    ------
    ParameterError
        There is no such file or module, it has no circuit, or two have one name.
    """
    path = Path(place)
    if path.suffix == ".py":
        name = f"nttforge_serve_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise ParameterError(f"circuits: {place} is no file that can be read")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    else:
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise ParameterError(f"circuits: {error}; need a file FILE.py or a module") from None
    found = [value for value in vars(module).values() if isinstance(value, Circuit)]
    found = [one for i, one in enumerate(found) if one not in found[:i]]
    names = [one.name for one in found]
    if not found or len(set(names)) < len(names):
        raise ParameterError(
            f"circuits: {place} has {names or 'none'}: need at least one function with @circuit, "
            "each with a name of its own"
        )
    return found


#: Ciphertexts of any computation beside its steps: inputs, answers, what one operation needs.
_LEAST_TEXTS = 12


@dataclass
class Prepared:
    """A circuit with its parameters, ready to compute."""

    circuit: Circuit
    contract: Contract
    context: Any
    batches: bool  #: whether requests can be computed together; a run may find that they cannot
    steps: int = 0  #: operations of the circuit, as parameters were chosen
    hands: Hands = field(default_factory=Hands)  #: that read requests and write answers

    @property
    def keys_memory(self) -> int:
        """Bytes that the evaluation keys of a session take in memory."""
        wanted = self.contract
        count = len(wanted.rotations) + wanted.swap_columns + wanted.relinearization
        return count * int(wanted.parameters.memory_sizes()["rotation_key"])

    @property
    def working_bytes(self) -> int:
        """What computing one request takes at most.

        Every intermediate result, of three parts, and of a linear map as many rotated inputs as
        there are keys for rotations.
        """
        texts = _LEAST_TEXTS + 2 * self.steps + len(self.contract.rotations)
        return texts * self.contract.ciphertext_bytes

    def read_keys(self, file: Any) -> EvaluationKeys:
        """A session's keys from an open file, checked: exactly those that the circuit needs.

        Raises
        ------
        FormatError, ContextError
            The bytes are damaged, of another kind or of other parameters; keys are missing, or
            there are more than needed.
        """
        keys = EvaluationKeys.read(self.context, file)
        if file.read(1):
            raise FormatError("keys: bytes follow the evaluation keys")
        wanted, rotations = self.contract, keys.rotations
        steps = () if rotations is None else rotations.steps
        for name, found, needed in (
            ("relinearization", keys.relinearization is not None, wanted.relinearization),
            ("rotations", self._folded(steps), self._folded(wanted.rotations)),
            ("swap_columns", bool(rotations and rotations.has_swap_columns), wanted.swap_columns),
        ):
            if found != needed:
                raise FormatError(
                    f"keys: {name} = {found}, and the circuit {wanted.name} needs {needed}: make "
                    "exactly those that its description names"
                )
        return keys

    def _folded(self, steps: Sequence[int]) -> list[int]:
        """Steps of rotations of a row of n/2 slots, each as its least positive one."""
        return sorted({step % (self.context.n // 2) for step in steps} - {0})

    def read_request(self, body: bytes, keys: EvaluationKeys | None) -> list[EncryptedArray]:
        """The arrays of a request; their shape, scale and range are the circuit's.

        Raises
        ------
        FormatError, ContextError
            As the readers of ciphertexts, or a ciphertext is none that a client just encrypted.
        """
        return self._read([body], keys)

    def _read(self, bodies: Sequence[bytes], keys: EvaluationKeys | None) -> list[EncryptedArray]:
        """The arrays of requests, each one with the ciphertexts of all."""
        inputs = self.contract.inputs
        columns = zip(*(parted(body, len(inputs)) for body in bodies), strict=True)
        return [
            self._input(name, spec, parts, keys)
            for (name, spec), parts in zip(inputs.items(), columns, strict=True)
        ]

    def _input(
        self, name: str, spec: ArraySpec, parts: Sequence[memoryview], keys: EvaluationKeys | None
    ) -> EncryptedArray:
        for part in parts:
            if private_kind(bytes(part[:32])):
                raise FormatError(
                    f"{name} is {with_article(private_kind(bytes(part[:32])))}, which nobody but "
                    "its owner may have: it was not kept. If it was a secret key, make new keys"
                )
        text: Any = read_stack(self.context, parts)
        layout = spec.layout(self.context.n, self.contract.halves)
        count = layout.ciphertexts * len(parts)
        if text.batch != count or text.parts != 2 or text.encoding != "slots":
            raise FormatError(
                f"{name}: need {count} ciphertexts of slots with two parts, and there are "
                f"{text.batch} of {text.encoding} with {text.parts}"
            )
        if text.level != len(self.contract.parameters.q) and self.contract.scheme == "bfv":
            raise FormatError(
                f"{name}: level {text.level} is not that of a fresh ciphertext: encrypt anew"
            )
        low, high = spec.real_bounds if layout.real else spec.bounds
        if layout.real and text.bound > max(-low, high) * (1 + 2**-20):
            raise FormatError(f"{name}: bound {text.bound:g} is above the range of the circuit")
        t = None if layout.real else self.context.t
        scale: Any = 1 if layout.real else spec.scale
        return EncryptedArray(text, layout, keys, t, scale, low, high)

    def compute(
        self, bodies: Sequence[bytes], keys: EvaluationKeys | None
    ) -> list[bytes | NttforgeError]:
        """The answer to each request of one session, or what is wrong with it."""
        found = self._together(bodies, keys)
        if found is not None:
            return list(found)
        outcomes: list[Any] = [None] * len(bodies)
        read: dict[int, list[EncryptedArray]] = {}
        for i, body in enumerate(bodies):
            try:
                read[i] = self.read_request(body, keys)
            except NttforgeError as error:
                outcomes[i] = error
        if len(read) < len(bodies):  # what is wrong was in the way of the others
            found = self._together([bodies[i] for i in read], keys)
            for i, answer in zip(read, found or (), strict=False):
                outcomes[i] = answer
        for i, arrays in read.items():
            if outcomes[i] is None:
                try:
                    outcomes[i] = self._alone(arrays)
                except NttforgeError as error:
                    outcomes[i] = error
        return outcomes

    def _results(self, arrays: Sequence[EncryptedArray]) -> list[EncryptedArray]:
        found = self.circuit.function(*arrays)
        return list(found) if isinstance(found, (tuple, list)) else [found]

    def _ready(self, x: EncryptedArray) -> EncryptedArray:
        return x.shrink() if self.circuit.shrink else x._two()

    def _alone(self, arrays: Sequence[EncryptedArray]) -> bytes:
        results = [self._ready(x) for x in self._results(arrays)]
        return joined(x.to_bytes(noise=tells(x)) for x in results)

    def _together(self, bodies: Sequence[bytes], keys: EvaluationKeys | None) -> list[bytes] | None:
        """The answers to several requests, computed as one batch; None if that cannot be."""
        if not self.batches or len(bodies) < 2:
            return None
        try:
            slices = self.hands.slices(
                lambda first, count: self._read(bodies[first : first + count], keys), len(bodies)
            )
            results = [self._ready(x) for x in self._results(columns(slices))]
            return answers(results, len(bodies), self.hands)
        except Widened:
            self.batches = False
        except NttforgeError:  # one request spoils the batch: each gets its own answer
            pass
        return None


def prepare(
    one: Circuit, threads: int = 1, device: str = "cpu", hands: Hands | None = None
) -> Prepared:
    """Chooses parameters for a circuit and makes its context.

    Parameters
    ----------
    one : Circuit
    threads : int
        Of each computation on CPUs.
    device : str
    hands : Hands, optional
        Read requests and write answers; by default those that find cores beside one computation.

    Raises
    ------
    NttforgeError
        As :func:`nttforge.choose`; the message names the circuit.
    """
    shape: dict[str, Any] = {}

    def watched(**arrays: Any) -> Any:
        found = one.function(**arrays)
        shape["single"] = not isinstance(found, (tuple, list))
        results = [found] if shape["single"] else list(found)
        shape["results"] = len(results)
        return [x.shrink() if one.shrink else x for x in results]

    options: dict[str, Any] = {"device": device, **one.options}
    if options.get("scheme") == "ckks":
        options.pop("device")
    try:
        choice: Any = choose(watched, dict(one.inputs), **options)
    except NttforgeError as error:
        raise type(error)(f"circuit {one.name}: {error}") from error
    about = inspect.cleandoc(one.function.__doc__ or "")
    contract = Contract(
        one.name,
        about,
        one.inputs,
        shape["results"],
        shape["single"],
        choice.parameters,
        choice.relinearization,
        tuple(choice.rotations),
        getattr(choice, "swap_columns", False),
    )
    layouts = [spec.layout(choice.parameters.n, contract.halves) for spec in one.inputs.values()]
    batches = all(layout.ciphertexts == 1 for layout in layouts)
    steps = getattr(choice, "steps", None)
    count = sum(choice.operations.values()) if steps is None else len(steps)
    context = contract.make_context(threads, device)
    if hands is None:
        hands = Hands.beside(threads) if threads > 0 else Hands()
    return Prepared(one, contract, context, batches, count, hands)
