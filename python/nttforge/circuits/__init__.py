# SPDX-License-Identifier: Apache-2.0
"""Linear maps and polynomials, for ciphertexts of every scheme."""

from __future__ import annotations

from .diagonals import Diagonals
from .polynomials import Powers

__all__ = ["Diagonals", "Powers"]
