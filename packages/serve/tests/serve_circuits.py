# SPDX-License-Identifier: Apache-2.0
"""Circuits that the tests serve."""

from __future__ import annotations

from typing import Any

import numpy as np

from nttforge import ArraySpec
from nttforge_serve import circuit

WEIGHTS = np.arange(-4, 4)


@circuit(x=ArraySpec((8,), -10, 10))
def score(x: Any) -> Any:
    """A weighted sum."""
    return x @ WEIGHTS + 7


@circuit(x=ArraySpec((8,), -10, 10))
def shift(x: Any) -> Any:
    """Needs no keys."""
    return x + 5


@circuit(x=ArraySpec((8,), -10, 10), y=ArraySpec((8,), -3, 3))
def two(x: Any, y: Any) -> Any:
    """Two inputs, two results."""
    return x * y, x - y
