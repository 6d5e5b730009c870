# SPDX-License-Identifier: Apache-2.0
"""A parameter set bound to a device, with every table computed, and the operations there."""

from __future__ import annotations

import json
import weakref
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from .. import _arguments as arguments
from .. import _core
from ..errors import ArgumentTypeError, ContextError, ParameterError, UnsupportedError
from .parameters import Parameters

if TYPE_CHECKING:
    from ..typing import DeviceName, Recipe, Target

Self = TypeVar("Self", bound="Context")

# One device object a name, thread count and target: contexts share its threads and tables.
_devices: weakref.WeakValueDictionary[tuple[Any, ...], Any] = weakref.WeakValueDictionary()
_contexts: weakref.WeakValueDictionary[tuple[Any, ...], Context] = weakref.WeakValueDictionary()


class Context:
    """A parameter set on a device: immutable, shared by all objects made with it, thread-safe.

    Each scheme has its own: :class:`nttforge.bfv.Context`, :class:`nttforge.bgv.Context`.
    """

    __slots__ = ("__weakref__", "_choices", "_core", "_evaluator", "_parameters", "_recreate")
    _choices: tuple[str, ...]
    _core: Any
    _evaluator: Any  # of the compiled module: what operations on ciphertexts call
    _parameters: Parameters
    _recreate: tuple[DeviceName, int, Target | None]
    _scheme: ClassVar[str]
    _core_module: ClassVar[Any]  # the scheme's part of the compiled module

    def __init__(
        self,
        parameters: Parameters,
        device: DeviceName = "cpu",
        threads: int = 0,
        target: Target | None = None,
        *choices: str,
    ) -> None:
        if not isinstance(parameters, Parameters):
            raise ArgumentTypeError(
                f"parameters is a {type(parameters).__name__}: need a Parameters"
            )
        module = self._core_module
        if parameters._core_class is not module.Parameters:
            raise ArgumentTypeError(
                f"parameters is a {type(parameters).__module__.rpartition('.')[0]}.Parameters: "
                f"need one of {self._scheme}"
            )
        threads = arguments.integer("threads", threads, 0, 1024, "0 means all hardware threads")
        if target is not None and not isinstance(target, str):
            raise ArgumentTypeError(f"target = {target!r}: need a name, or None to choose")
        key = (device, threads, target)
        found = _devices.get(key)
        if found is not None and not _is_alive(found):
            _devices.pop(key, None)
            found = None
        if found is None:
            found = _devices.setdefault(key, _make_device(*key))
        core = module.Context.create(parameters._core, found, *choices)
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_evaluator", module.Evaluator(core))
        object.__setattr__(self, "_parameters", parameters)
        object.__setattr__(self, "_recreate", key)
        object.__setattr__(self, "_choices", choices)
        known = _contexts.get((parameters, *key, *choices))
        if known is not None and not _is_alive(known._core):
            _contexts.pop((parameters, *key, *choices), None)
        _contexts.setdefault((parameters, *key, *choices), self)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Context is immutable: cannot set {name}; make a new one")

    @property
    def parameters(self) -> Parameters:
        """The parameter set."""
        return self._parameters

    @property
    def n(self) -> int:
        """Ring dimension."""
        return self._parameters.n

    @property
    def lowest_level(self) -> int:
        """The fewest primes of a ciphertext's modulus: t has to fit."""
        return int(self._core.lowest_level)

    @property
    def fingerprint(self) -> int:
        """Checksum of the parameters; equal sets have equal fingerprints on any machine."""
        return int(self._core.fingerprint)

    @property
    def device(self) -> str:
        """Where this context computes."""
        return self._recreate[0]

    def on(self: Self, device: DeviceName) -> Self:
        """The context of the same parameters and choices on another device.

        On its own device that is the context itself. Objects move elsewhere with ``to``. On a CPU
        it uses all threads; the one that is alive is returned, if there is one.

        Raises
        ------
        ParameterError, UnsupportedError
            There is no such device, or it cannot be used.
        """
        if device == self.device:
            return self
        return _shared_context(type(self), self._parameters, device, 0, None, *self._choices)

    @property
    def recipe(self) -> Recipe:
        """The transform recipe modulo Q."""
        return dict(json.loads(self._core.recipe_json()))

    def on_stream(self, stream: Any) -> AbstractContextManager[None]:
        """A ``with`` block in which this thread's operations on the card go to a caller's stream.

        It begins after what the default stream holds, and the default stream goes on after it.
        Objects that are made inside are used inside only until the block has ended.

        Parameters
        ----------
        stream : stream object or int
            Of PyTorch, CuPy, or any object with ``__cuda_stream__``, or an address, of this
            context's card; alive as long as the block.

        Raises
        ------
        UnsupportedError
            The context computes on the CPU.
        """
        if self.device == "cpu":
            raise UnsupportedError(
                "a context on the CPU has no streams: its operations are done when they return"
            )
        from ..cuda._streams import DEFAULT, Scope, stream_of

        device, given = _core.cuda.parse_device(self.device), stream_of(stream) or DEFAULT
        return Scope(lambda: _core.cuda.StreamScope(device, given.address))

    def _plaintexts(self) -> str:
        """What there is to say of plaintexts in the context's text."""
        return ""

    def __repr__(self) -> str:
        device, threads, target = self._recreate
        where: str = device
        if device == "cpu":
            workers = {0: "all threads", 1: "1 thread"}.get(threads, f"{threads} threads")
            where += f", {workers}, target {target or 'chosen'}"
        return (
            f"<{self._scheme} Context {self.fingerprint:016x}: n = {self.n}, {self._plaintexts()}"
            f"log2 Q = {self._parameters.q_bits}, {where}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _shared_context, (type(self), self._parameters, *self._recreate, *self._choices)


def _make_device(device: str, threads: int, target: Target | None) -> Any:
    if device == "cpu":
        return _core.rlwe.cpu_device(threads, target or "")
    if device.partition(":")[0] != "cuda":
        raise ParameterError(f"device = {device!r} is not one of 'cpu', 'cuda', 'cuda:1', ...")
    if threads != 0 or target is not None:
        raise ParameterError(
            f"threads = {threads}, target = {target!r} say how a CPU computes: leave them out for "
            f"device = {device!r}"
        )
    return _core.rlwe.cuda_device(_core.cuda.parse_device(device))


def _is_alive(core: Any) -> bool:
    """Whether a device, or that of a context, was not reset since it was made."""
    try:
        core.require_alive()
    except ContextError:
        return False
    return True


def _shared_context(
    cls: type[Self],
    parameters: Parameters,
    device: DeviceName,
    threads: int,
    target: Target | None,
    *choices: str,
) -> Self:
    """The living context like this, so that separate pickles work together; else a new one."""
    found = _contexts.get((parameters, device, threads, target, *choices))
    if found is None or not _is_alive(found._core):
        return cls(parameters, device, threads, target, *choices)
    return cast("Self", found)
