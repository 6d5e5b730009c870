# SPDX-License-Identifier: Apache-2.0
"""Computations on encrypted data as they are recorded, and parameters chosen for them."""

from __future__ import annotations

from .choice import choose
from .chosen import BgvChoice, BootstrapPlan, Choice, ChosenStep, IntegerChoice
from .real import RealChoice
from .traced import Traced

__all__ = [
    "BgvChoice",
    "BootstrapPlan",
    "Choice",
    "ChosenStep",
    "IntegerChoice",
    "RealChoice",
    "Traced",
    "choose",
]


def __dir__() -> list[str]:
    return sorted(__all__)
