# SPDX-License-Identifier: Apache-2.0
"""A parameter set bound to a device, with every table computed."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from .. import _arguments as arguments
from .. import _core
from ..errors import ArgumentTypeError, ContextError, ParameterError, UnsupportedError
from .parameters import Parameters

if TYPE_CHECKING:
    from ..typing import DeviceName, Recipe, Target
    from .evaluator import Evaluator
    from .graph import Graph
    from .key_set import Keys
    from .texts import Ciphertext

__all__ = ["Context", "Scheme"]

Self = TypeVar("Self", bound="Context")

# One device object a name, thread count and target: contexts share its threads and tables.
_devices: weakref.WeakValueDictionary[tuple[Any, ...], Any] = weakref.WeakValueDictionary()
_contexts: weakref.WeakValueDictionary[tuple[Any, ...], Context] = weakref.WeakValueDictionary()


@dataclass(frozen=True)
class Scheme:
    """What the contexts of a scheme have: its part of the compiled module, and what is made."""

    name: str
    core: Any
    evaluator: Callable[[Context], Evaluator]
    make_keys: Callable[..., Keys]
    graph: Callable[..., Graph]


class Context:
    """A parameter set on a device: immutable, shared by all objects made with it, thread-safe.

    Each scheme has its own: :class:`nttforge.bfv.Context`, :class:`nttforge.bgv.Context`.
    """

    __slots__ = ("__weakref__", "_choices", "_core", "_parameters", "_recreate")
    _choices: tuple[str, ...]
    _core: Any
    _parameters: Parameters
    _recreate: tuple[DeviceName, int, Target | None]
    _scheme: ClassVar[Scheme]

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
        scheme = self._scheme
        if parameters._core_class is not scheme.core.Parameters:
            raise ArgumentTypeError(
                f"parameters is a {type(parameters).__module__.rpartition('.')[0]}.Parameters: "
                f"need one of {scheme.name}"
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
        core = scheme.core.Context.create(parameters._core, found, *choices)
        object.__setattr__(self, "_core", core)
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
    def t(self) -> int:
        """Plaintext modulus."""
        return self._parameters.t

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

    def generate_keys(
        self,
        relinearization: bool | None = None,
        rotations: Iterable[int] = (),
        columns: bool = False,
        inner_sum: int = 1,
        seed: bytes | None = None,
        offload: int | None = None,
    ) -> Keys:
        """A new secret key and what goes with it.

        Parameters
        ----------
        relinearization : bool, optional
            Make the relinearization key; by default if the parameters have a special prime.
        rotations : iterable of int
            Row steps to make rotation keys for.
        columns : bool
            Also the key that swaps the two rows.
        inner_sum : int
            Also the keys that sums over this many slots need (a power of two up to n).
        seed : bytes, optional
            32 bytes from which everything follows: for tests only. By default the operating
            system's generator.
        offload : int, optional
            Evaluation keys are moved to host memory as soon as they are made, and so many of the
            rotation keys are kept on the device, as by :meth:`RotationKeys.offload`. By default
            they all stay on the device.

        Returns
        -------
        Keys
            secret, public, relinearization (or None), rotations (or None if none were asked for).

        Raises
        ------
        UnsupportedError
            Evaluation keys are asked for and the parameters have no special prime, or the rotation
            keys take more memory than there is.
        """
        return self._scheme.make_keys(
            self, relinearization, rotations, columns, inner_sum, seed, offload
        )

    def graph(self, function: Callable[..., Any], *examples: Ciphertext) -> Graph:
        """Records what a function does with ciphertexts, to be run again as one piece.

        A GPU starts a recorded product in a fraction of the time of its single operations. The
        function is called twice here, and never again: it must do the same for all arguments, use
        no arrays of the host (encode and prepare plaintexts before) and neither encrypt nor
        decrypt. Devices without graphs call the function each time.

        Parameters
        ----------
        function : callable
            Takes ciphertexts and returns one, or a tuple or list of them.
        *examples : Ciphertext
            What the function is recorded with: later arguments have the same batch, parts, level,
            correction factor and encoding and at most as much noise.

        Returns
        -------
        Graph
            To be called as the function.

        Raises
        ------
        ParameterError
            The function does what a graph cannot have: it waits for a result, uploads or samples.

        Examples
        --------
        >>> from nttforge import bfv
        >>> context = bfv.Context(bfv.Parameters.preset(8192))
        >>> keys = context.generate_keys()
        >>> a, b = keys.encrypt([1, 2, 3]), keys.encrypt([4, 5, 6])
        >>> product = context.graph(lambda x, y: (x * y).relinearize(keys.relinearization), a, b)
        >>> keys.decrypt(product(b, b))[:3]
        array([16, 25, 36])
        """
        return self._scheme.graph(self, function, examples)

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
        from ..cuda._streams import DEFAULT, stream_of
        from .stream_scope import StreamScope

        return StreamScope(_core.cuda.parse_device(self.device), stream_of(stream) or DEFAULT)

    def _evaluator(self) -> Evaluator:
        return self._scheme.evaluator(self)

    def __repr__(self) -> str:
        p = self._parameters
        device, threads, target = self._recreate
        where: str = device
        if device == "cpu":
            workers = {0: "all threads", 1: "1 thread"}.get(threads, f"{threads} threads")
            where += f", {workers}, target {target or 'chosen'}"
        return (
            f"<{self._scheme.name} Context {self.fingerprint:016x}: n = {p.n}, t = {p.t}, "
            f"log2 Q = {p.q_bits}, {where}>"
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
