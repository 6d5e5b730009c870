# SPDX-License-Identifier: Apache-2.0
"""The integers that stand for residues modulo t."""

from __future__ import annotations

__all__ = ["signed_range"]


def signed_range(t: int) -> tuple[int, int]:
    """The integers that stand for residues where signed ones are meant; for t = 2 bits."""
    return (0, 1) if t == 2 else (-(t // 2), (t - 1) // 2)
