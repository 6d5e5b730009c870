# SPDX-License-Identifier: Apache-2.0
"""Linear maps and polynomials, for ciphertexts of every scheme."""

from __future__ import annotations

from .diagonals import Diagonals
from .matrix_map import MatrixMap
from .polynomial_plans import (
    Element,
    Parity,
    Part,
    PolynomialPlan,
    polynomial_plan,
)
from .polynomials import Basis, Evaluation, interval_map, parity_of, split_coefficients

__all__ = [
    "Basis",
    "Diagonals",
    "Element",
    "Evaluation",
    "MatrixMap",
    "Parity",
    "Part",
    "PolynomialPlan",
    "interval_map",
    "parity_of",
    "polynomial_plan",
    "split_coefficients",
]
