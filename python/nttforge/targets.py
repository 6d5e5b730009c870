# SPDX-License-Identifier: Apache-2.0
"""What this machine can run: instruction sets compiled into the one binary, chosen at run time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from . import _core
from .typing import Target

__all__ = ["CpuDescription", "active_target", "all_targets", "available_targets", "describe_cpu"]


@dataclass(frozen=True)
class CpuDescription:
    """The processor, for reports."""

    brand: str
    features: tuple[str, ...]
    hardware_threads: int


def all_targets() -> list[Target]:
    """Names of every target nttforge knows, slowest first.

    >>> all_targets()[0]
    'scalar'
    """
    return cast("list[Target]", _core.all_targets())


def available_targets() -> list[Target]:
    """Names of the targets in this build that this CPU can run, slowest first.

    >>> "scalar" in available_targets()
    True
    """
    return cast("list[Target]", _core.available_targets())


def active_target() -> Target:
    """The target plans use unless told otherwise: the best one, or ``NTTFORGE_TARGET``.

    Raises
    ------
    ParameterError
        ``NTTFORGE_TARGET`` is not the name of a target.
    UnsupportedError
        ``NTTFORGE_TARGET`` names a target that cannot run here.
    """
    return cast("Target", _core.active_target())


def describe_cpu() -> CpuDescription:
    """Brand string, the features that matter to nttforge, and the number of hardware threads."""
    brand, features, threads = _core.describe_cpu()
    return CpuDescription(brand, tuple(features), int(threads))
