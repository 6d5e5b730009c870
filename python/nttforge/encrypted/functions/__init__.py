# SPDX-License-Identifier: Apache-2.0
"""Functions that users ask for, with the client's and the server's halves."""

from __future__ import annotations

from .codings import IntegerBits, OneHot
from .comparisons import equal, less, maximum, minimum
from .set_intersection import ServerSet, SetIntersection
from .similarity import UnitVectors, similarities
from .tables import histogram, look_up, tally

__all__ = [
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
