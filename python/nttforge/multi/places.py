# SPDX-License-Identifier: Apache-2.0
"""Devices that work together, each with its context and its copy of the keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .. import cuda
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..rlwe import Context, EvaluationKeys, Keys, RelinearizationKey, RotationKeys

if TYPE_CHECKING:
    from ..typing import DeviceName

T = TypeVar("T")
_KEYS = (EvaluationKeys, RelinearizationKey, RotationKeys)


@dataclass(frozen=True, eq=False)
class Place:
    """One of several devices, as the function of :func:`nttforge.multi.map` sees it.

    Attributes
    ----------
    device : str
        Its name: "cuda:1".
    context : Context or None
        The context there; None if the places were made without keys and context.
    keys : EvaluationKeys, RelinearizationKey, RotationKeys or None
        The copy there of the keys that the places were made with.
    """

    device: DeviceName
    context: Context | None
    keys: Any
    _made: dict[Any, Any] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def once(self, make: Callable[[Place], T]) -> T:
        """``make(place)``, made at the first call with this function and kept with the place.

        For what a function needs on every device and should not make for every part: plans,
        encoded weights. ``make`` is a function that outlives the call, not a lambda within it.

        Examples
        --------
        >>> import numpy as np, nttforge
        >>> def plan(place):
        ...     return nttforge.NttPlan(n=8, moduli=17, device=place.device)
        >>> def transform(rows, place):
        ...     return place.once(plan).forward(rows)
        >>> x = np.arange(16, dtype=np.uint64).reshape(2, 8)
        >>> y = nttforge.multi.map(transform, x, nttforge.multi.Places(["cpu", "cpu"]))
        >>> bool((y == nttforge.NttPlan(n=8, moduli=17).forward(x)).all())
        True
        """
        with self._lock:
            if make not in self._made:
                self._made[make] = make(self)
            return self._made[make]  # type: ignore[no-any-return]


class Places:
    """Devices that work together. What they need is made here, once, and serves every map.

    Parameters
    ----------
    devices : iterable of str, optional
        As contexts take them: "cuda:0", "cuda:1", "cpu", "cuda:host". One name twice stands for two
        threads that feed one device. Without it all GPUs, or the CPU if there is none.
    keys : EvaluationKeys, RelinearizationKey or RotationKeys, optional
        Copied to each device that is not theirs; between GPUs without the host. Keys that hold the
        secret are refused: it stays where it is.
    context : Context, optional
        Without keys: the context whose parameters are used on each device.

    Raises
    ------
    ParameterError
        There is no such device, or none at all; keys and context differ in parameters.
    ArgumentTypeError
        The keys hold a secret, or are none.
    UnsupportedError
        A device cannot be used, or has no room for the keys.
    """

    __slots__ = ("_places",)

    def __init__(
        self,
        devices: Iterable[DeviceName] | None = None,
        keys: EvaluationKeys | RelinearizationKey | RotationKeys | None = None,
        context: Context | None = None,
    ) -> None:
        if isinstance(devices, str):
            raise ArgumentTypeError(f"devices = {devices!r}: need a list of names, [{devices!r}]")
        names = _all_devices() if devices is None else list(devices)
        if not names:
            raise SizeError("devices is empty: name at least one, for example ['cuda:0']")
        if isinstance(keys, Keys):
            raise ArgumentTypeError(
                "keys holds the secret key, which is not copied to other devices: give "
                "keys.evaluation"
            )
        if keys is not None and not isinstance(keys, _KEYS):
            raise ArgumentTypeError(f"keys is a {type(keys).__name__}: need evaluation keys")
        if context is not None and not isinstance(context, Context):
            raise ArgumentTypeError(f"context is a {type(context).__name__}: need a Context")
        if keys is not None:
            if context is not None and context.parameters != keys.context.parameters:
                raise ParameterError(
                    f"context is {context!r} and keys belong to {keys.context!r}: leave context "
                    "out, or give keys of its parameters"
                )
            context = keys.context
        made: dict[DeviceName, Place] = {}
        for name in names:
            if name not in made:
                made[name] = _make(name, keys, context)
        self._places = tuple(made[name] for name in names)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Place]:
        return iter(self._places)

    def __getitem__(self, index: int) -> Place:
        return self._places[index]

    def __repr__(self) -> str:
        return f"<Places on {', '.join(place.device for place in self._places)}>"


def _all_devices() -> list[DeviceName]:
    return [cast("DeviceName", device.name) for device in cuda.devices()] or ["cpu"]


def _make(device: DeviceName, keys: Any, context: Context | None) -> Place:
    """A place, with the caller's own context and keys if they are on that device."""
    if context is None:
        # A name that cannot be a device is refused here, as a context would.
        if device != "cpu":
            cuda.memory_info(device)
        return Place(device, None, None)
    here = context.on(device)
    if keys is not None and here is not context:
        keys = keys.to(here)
    return Place(device, here, keys)
