# SPDX-License-Identifier: Apache-2.0
"""A parameter set of BGV bound to a device, with every table computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from .. import _core
from ..integer_encoding import Bootstrapper as _Bootstrapper
from ..integer_encoding import SchemeContext
from .parameters import Parameters

if TYPE_CHECKING:
    from ..typing import DeviceName, Target


class Context(SchemeContext):
    """A parameter set on a device: immutable, shared by all objects made with it, thread-safe.

    Parameters
    ----------
    parameters : Parameters
    device, threads, target
        As for :class:`nttforge.bfv.Context`, with its errors.

    Examples
    --------
    >>> context = Context(Parameters.preset(4096))
    >>> keys = context.generate_keys()
    >>> c = keys.encrypt([1, 2, -3])
    >>> keys.decrypt(c + c)[:4]
    array([ 2,  4, -6,  0])
    """

    __slots__ = ()
    _scheme: ClassVar[str] = "BGV"
    _core_module: ClassVar[Any] = _core.bgv

    def __init__(
        self,
        parameters: Parameters,
        device: DeviceName = "cpu",
        threads: int = 0,
        target: Target | None = None,
    ) -> None:
        super().__init__(parameters, device, threads, target)

    @property
    def parameters(self) -> Parameters:
        """The parameter set."""
        return cast("Parameters", self._parameters)


class Bootstrapper(_Bootstrapper):
    __doc__ = _Bootstrapper.__doc__
    __slots__ = ()
    _classes: ClassVar[tuple[Any, Any]] = (Parameters, Context)

    @property
    def context(self) -> Context:
        """The context of the ciphertexts."""
        found: Context = self._context
        return found
