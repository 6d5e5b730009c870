# SPDX-License-Identifier: Apache-2.0
"""Devices of plans that other distributions bring: what such a device is, and how it is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from .. import _core, _providers
from ._host_plan import HostPlan


class Device(Protocol):
    """What an entry point of the group ``nttforge.devices`` names: ``device=`` is its name."""

    def __call__(
        self, spec: _core.NttSpec, recipe: Mapping[str, Any] | None, limb_axis: bool
    ) -> HostPlan:
        """A plan whose arrays are in host memory.

        Parameters
        ----------
        spec : NttSpec
            Complete, with roots.
        recipe : mapping or None
            As the caller of :class:`nttforge.NttPlan` gave it.
        limb_axis : bool
            Whether arrays have an axis of limbs.
        """
        ...

    def tools(self) -> str:
        """What runs the plans, with its version, for people to read.

        Raises
        ------
        UnsupportedError
            If it is missing; the message says how to get it.
        """
        ...


def registered(name: str) -> Device | None:
    """The device that a distribution has registered under a name; None if none has.

    Raises
    ------
    UnsupportedError
        If it belongs to a distribution of this project that is not installed.
    """
    return cast("Device | None", _providers.provided(_providers.DEVICES, name))
