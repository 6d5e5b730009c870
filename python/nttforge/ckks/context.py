# SPDX-License-Identifier: Apache-2.0
"""A parameter set of CKKS bound to a device, with every table computed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, cast

from .. import _arguments as arguments
from .. import _core
from ..rlwe import Recording
from .key_set import Keys
from .parameters import Parameters

if TYPE_CHECKING:
    from ..typing import DeviceName, Target


class Context(Recording):
    """A parameter set on a device: immutable, shared by all objects made with it, thread-safe.

    Parameters
    ----------
    parameters : Parameters
    device, threads, target
        As for :class:`nttforge.bfv.Context`, with its errors.

    Examples
    --------
    >>> context = Context(Parameters.preset(2**13, 36))
    >>> keys = context.generate_keys()
    >>> c = keys.encrypt([0.5, 0.25, -1])
    >>> keys.decrypt(c + c)[:3].round(3)
    array([ 1. ,  0.5, -2. ])
    """

    __slots__ = ()
    _scheme: ClassVar[str] = "CKKS"
    _core_module: ClassVar[Any] = _core.ckks

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

    @property
    def slots(self) -> int:
        """Numbers of a message at most: n/2."""
        return self.n // 2

    def scale(self, level: int) -> float:
        """What numbers are multiplied with at a level, 1 ... ``parameters.top_level``, rounded."""
        level = arguments.integer("level", level, 1, self.parameters.top_level)
        return float(self._core.scale(level)[0])

    def generate_keys(
        self,
        relinearization: bool | None = None,
        rotations: Iterable[int] = (),
        conjugation: bool = False,
        inner_sum: int = 1,
        seed: bytes | None = None,
        offload: int | None = None,
    ) -> Keys:
        """A new secret key and what goes with it.

        Parameters
        ----------
        rotations : iterable of int
            Steps to make rotation keys for.
        conjugation : bool
            Also the key for complex conjugates.
        inner_sum : int
            Also the keys that sums over this many slots need (a power of two up to n/2).
        relinearization, seed, offload
            As for :meth:`nttforge.bfv.Context.generate_keys`, with its result and errors.
        """
        span = arguments.integer("inner_sum", inner_sum, 1, self.slots, "a power of two up to n/2")
        return Keys.generate(
            self, relinearization, rotations, bool(conjugation), span, seed, offload
        )

    def _plaintexts(self) -> str:
        return f"scale 2^{math.log2(self.parameters.scale):.1f}, "
