# SPDX-License-Identifier: Apache-2.0
"""What all objects that can be written to bytes share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentTypeError, ContextError, SizeError

if TYPE_CHECKING:
    from ..typing import BytesLike, Encoding
    from .context import Context

ENCODINGS: tuple[Encoding, ...] = ("slots", "coefficients")

Self = TypeVar("Self", bound="ContextObject")


def view(data: BytesLike) -> NDArray[np.uint8]:
    """Bytes-like data as an array over the same memory."""
    try:
        return np.frombuffer(data, dtype=np.uint8)
    except ValueError:  # NumPy refuses empty buffers in old versions.
        return np.empty(0, dtype=np.uint8)
    except BufferError:
        raise SizeError("data is not contiguous: pass bytes(data)") from None
    except TypeError:
        raise ArgumentTypeError(
            f"data is a {type(data).__name__}: need bytes, bytearray, memoryview or an mmap"
        ) from None


@contextlib.contextmanager
def steady(data: Any) -> Iterator[NDArray[np.uint8]]:
    """Bytes that nobody else can change while they are read: ``bytes`` as they are, else a copy.

    The copy is overwritten afterwards, as it may be a secret.
    """
    given = view(data)
    if isinstance(data, bytes):
        yield given
        return
    copy = given.copy()
    try:
        yield copy
    finally:
        copy.fill(0)


class ContextObject:
    """An immutable object that belongs to a context."""

    __slots__ = ("_context", "_core")
    _core: Any
    _context: Context
    _core_class: ClassVar[Any]

    @classmethod
    def _wrap(cls: type[Self], context: Context, core: Any) -> Self:
        self = object.__new__(cls)
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_context", context)
        return self

    @property
    def context(self) -> Context:
        """The context this object belongs to."""
        return self._context

    def to_bytes(self) -> bytes:
        """In the versioned, little-endian format of the library, with the context's fingerprint."""
        return bytes(self._core.to_bytes())

    @classmethod
    def from_bytes(cls: type[Self], context: Context, data: BytesLike) -> Self:
        """Reads what :meth:`to_bytes` wrote.

        Parameters
        ----------
        context : Context
            Of the same parameters as the object.
        data : bytes-like

        Raises
        ------
        FormatError
            The bytes are truncated, altered, of another kind or version.
        ContextError
            The object belongs to other parameters.
        """
        require_is_context(context)
        with steady(data) as given:
            return cls._wrap(context, cls._core_class.from_bytes(context._core, given))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (type(self), self._context, self.to_bytes())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._context!r}>"


def _from_bytes(cls: type[Self], context: Context, data: bytes) -> Self:
    return cls.from_bytes(context, data)


def require(value: object, cls: type, field: str) -> Any:
    """``value`` if it is a ``cls``."""
    if not isinstance(value, cls):
        raise ArgumentTypeError(f"{field} is a {type(value).__name__}: need a {cls.__name__}")
    return value


def require_is_context(context: object) -> None:
    """``context`` is a context."""
    from .context import Context

    require(context, Context, "context")


def require_context(context: Context, *named: tuple[str, ContextObject]) -> None:
    """All objects belong to ``context``, or an error that names both sides."""
    for name, value in named:
        other = value.context
        if other is not context and not context._core.compatible(other._core):
            raise ContextError(
                f"{name} belongs to {other!r}, not to {context!r}: load it with "
                "from_bytes(context, data), or make it again"
            )
