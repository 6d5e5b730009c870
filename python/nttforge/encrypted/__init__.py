# SPDX-License-Identifier: Apache-2.0
"""Arrays of encrypted numbers that behave like NumPy's, and functions of client and server."""

from __future__ import annotations

from .array import EncryptedArray
from .functions import (
    IntegerBits,
    OneHot,
    ServerSet,
    SetIntersection,
    UnitVectors,
    equal,
    histogram,
    less,
    look_up,
    maximum,
    minimum,
    similarities,
    tally,
)
from .spec import ArraySpec

__all__ = [
    "ArraySpec",
    "EncryptedArray",
    "IntegerBits",
    "OneHot",
    "ServerSet",
    "SetIntersection",
    "UnitVectors",
    "equal",
    "histogram",
    "less",
    "look_up",
    "maximum",
    "minimum",
    "similarities",
    "tally",
]


def __dir__() -> list[str]:
    return sorted(__all__)
