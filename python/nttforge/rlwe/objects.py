# SPDX-License-Identifier: Apache-2.0
"""What all objects that can be written to bytes share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from ..errors import ContextError
from ._require import require, steady
from .context import Context

if TYPE_CHECKING:
    from ..typing import BytesLike

Self = TypeVar("Self", bound="ContextObject")


class HasContext(Protocol):
    """What belongs to a context."""

    @property
    def context(self) -> Context:
        """The context it belongs to."""
        ...


class ContextObject:
    """An immutable object that belongs to a context."""

    __slots__ = ("_context", "_core")
    _core: Any
    _context: Context
    _core_class: ClassVar[Any]

    @classmethod
    def _wrap(cls: type[Self], context: Context, core: Any) -> Self:
        self = object.__new__(cls)
        _set_core(self, core)
        _set_context(self, context)
        return self

    @property
    def context(self) -> Context:
        """The context this object belongs to."""
        return self._context

    def to(self: Self, context: Context) -> Self:
        """A copy in another context, perhaps on another device, without bytes.

        Parameters
        ----------
        context : Context
            Of equal parameters.

        Raises
        ------
        ContextError
            The context has other parameters.
        """
        require(context, Context, "context")
        if type(context) is not type(self._context):
            raise ContextError(f"context is {context!r}: need one of {self._context!r}'s scheme")
        return self._wrap(context, self._core.to(context._core))

    def to_bytes(self) -> bytes:
        """In the versioned, little-endian format of the library, with the context's fingerprint."""
        return bytes(self._core.to_bytes())

    def __bytes__(self) -> bytes:
        return self.to_bytes()

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
        require(context, Context, "context")
        with steady(data) as given:
            return cls._wrap(context, cls._core_class.from_bytes(context._core, given))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (type(self), self._context, self.to_bytes())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._context!r}>"


#: Every result is made by these, which take a third of the time of object.__setattr__ by names.
_set_core = vars(ContextObject)["_core"].__set__
_set_context = vars(ContextObject)["_context"].__set__


def _from_bytes(cls: type[Self], context: Context, data: bytes) -> Self:
    return cls.from_bytes(context, data)


def require_context(context: Context, *named: tuple[str, HasContext]) -> None:
    """All objects belong to ``context``, or an error that names both sides."""
    for name, value in named:
        other = value.context
        if other is not context and not context._core.compatible(other._core):
            remedy = "load it with from_bytes(context, data), or make it again"
            if other.parameters == context.parameters:
                remedy = "move it with to(context)"
            raise ContextError(f"{name} belongs to {other!r}, not to {context!r}: {remedy}")
