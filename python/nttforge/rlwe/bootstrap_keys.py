# SPDX-License-Identifier: Apache-2.0
"""Keys of bootstraps, of every scheme: bytes, files and host memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ._require import fetched_from, require, sent_to, steady
from .context import Context
from .keys import cached_argument, offload_argument

if TYPE_CHECKING:
    from ..typing import BytesLike

K = TypeVar("K", bound="BootstrapKeys[Any]")


class Bootstraps:
    """What a scheme's bootstrapper has: how to make it again, and the keys that it makes."""

    __slots__ = ("_context", "_core", "_options")
    _context: Any
    _core: Any
    _options: dict[str, Any]  # of the constructor

    @property
    def rotations(self) -> tuple[int, ...]:
        """The steps that it rotates by; :meth:`make_keys` makes their keys."""
        return tuple(self._core.rotations)

    @property
    def keys_bytes(self) -> int:
        """Bytes of the keys in the device's memory, each at the highest level that uses it."""
        return int(self._core.keys_bytes)

    @property
    def serialized_bytes(self) -> int:
        """Bytes of the keys in a file: half of each key follows from a seed."""
        return int(self._core.serialized_bytes)

    @property
    def failure_bits(self) -> float:
        """-log2 of the probability that a bootstrap loses a message, or leaves less than it says.

        That is where the sine meets a multiple of q_0 which it is not for; with integers errors
        beyond the bound count as well.
        """
        return -float(self._core.failure_log2)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), self._context, self._options)


def _made(kind: Any, context: Context, options: dict[str, Any]) -> Any:
    return kind(context, **options)


M = TypeVar("M", bound=Bootstraps)


class BootstrapKeys(Generic[M]):
    """What whoever bootstraps needs, of any scheme; its bootstrapper makes it. None is secret."""

    __slots__ = ("_bootstrapper", "_core")
    _machine: ClassVar[Any] = Bootstraps  # the scheme's

    def __init__(self, bootstrapper: M, core: Any) -> None:
        self._bootstrapper, self._core = bootstrapper, core

    @property
    def bootstrapper(self) -> M:
        """What they are for."""
        return self._bootstrapper

    def to(self: K, context: Context) -> K:
        """A copy in another context of equal parameters."""
        require(context, Context, "context")
        machine = self._bootstrapper
        made = type(machine)(context, **machine._options)
        return type(self)(made, self._core.to(made._core))

    def offload(self, cached: int = 2) -> None:
        """Moves the keys to host memory, as :meth:`RotationKeys.offload`.

        Half of :attr:`Bootstrapper.keys_bytes` is enough there. With ``offload=`` of
        :meth:`Bootstrapper.make_keys` and :meth:`read` they are never all on the device.
        """
        self._core.offload(cached_argument(cached))

    def load(self) -> None:
        """Brings what :meth:`offload` moved back to the device, to stay."""
        self._core.load()

    @property
    def offloaded(self) -> bool:
        """Whether the keys are in host memory; never on a CPU, whose memory is that."""
        return bool(self._core.offloaded)

    def to_bytes(self) -> bytes:
        """In the library's format, with the options that the keys were made for."""
        return bytes(self._bootstrapper._core.keys_to_bytes(self._core))

    def __bytes__(self) -> bytes:
        return self.to_bytes()

    def write(self, file: IO[bytes], progress: Callable[[int, int], object] | None = None) -> None:
        """Writes :meth:`to_bytes` part by part, as :meth:`EvaluationKeys.write`."""
        self._bootstrapper._core.write_keys(self._core, sent_to(file), progress)

    @classmethod
    def from_bytes(
        cls: type[K], bootstrapper: Any, data: BytesLike, *, offload: int | None = None
    ) -> K:
        """Reads what :meth:`to_bytes` wrote, as :meth:`read`."""
        require(bootstrapper, cls._machine, "bootstrapper")
        kept = offload_argument(offload)
        with steady(data) as given:
            return cls(bootstrapper, bootstrapper._core.keys_from_bytes(given, kept))

    @classmethod
    def read(
        cls: type[K],
        bootstrapper: Any,
        file: IO[bytes],
        progress: Callable[[int, int], object] | None = None,
        *,
        offload: int | None = None,
    ) -> K:
        """Reads what :meth:`write` wrote, one key at a time, as :meth:`EvaluationKeys.read`.

        Parameters
        ----------
        bootstrapper : Bootstrapper
            Of the same parameters and options as that of the keys.
        file : binary file
        progress : callable, optional
        offload : int, optional
            Moves each key to host memory as soon as it is read, with so many cached.

        Raises
        ------
        FormatError, UnsupportedError
            As there.
        ContextError
            The keys belong to other parameters or were made for other options.
        """
        require(bootstrapper, cls._machine, "bootstrapper")
        kept = offload_argument(offload)
        core = bootstrapper._core.read_keys(fetched_from(file), progress, kept)
        return cls(bootstrapper, core)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self._bootstrapper, self.to_bytes())

    def __repr__(self) -> str:
        return f"<BootstrapKeys for {self._bootstrapper!r}>"
