# SPDX-License-Identifier: Apache-2.0
"""Ranges of what is encrypted, and the keys that an array carries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..rlwe import EvaluationKeys, Keys
from ..rlwe.fixed_point import rounded

__all__ = ["bounds_of", "evaluation_of", "require_range"]


def evaluation_of(keys: Any) -> Any:
    """The evaluation keys of what may hold a secret; None without any."""
    if not isinstance(keys, Keys):
        return keys if isinstance(keys, EvaluationKeys) else None
    if keys.relinearization is None and keys.rotations is None:
        return None
    return keys.evaluation


def bounds_of(
    words: NDArray[np.int64], scale: int | float, bounds: tuple[float, float] | None
) -> tuple[int, int]:
    low, high = min(0, int(words.min())), max(0, int(words.max()))
    if bounds is None:
        most = (1 << max(-low, high).bit_length()) - 1
        return -most if low < 0 else 0, most
    given = rounded(bounds, scale, "bounds")
    if given.shape != (2,) or given[0] > low or given[1] < high:
        raise ParameterError(
            f"bounds = {bounds!r} do not hold all values and 0, which lie in "
            f"[{low / scale:g}, {high / scale:g}]"
        )
    return int(given[0]), int(given[1])


def require_range(low: int, high: int, t: int, what: str) -> None:
    if low < -(t // 2) or high > (t - 1) // 2:
        raise ParameterError(
            f"{what}: integers in [{low}, {high}] may pass the signed range "
            f"[{-(t // 2)}, {(t - 1) // 2}] of t = {t}: take a larger t, a smaller scale, or say "
            "narrower bounds when encrypting"
        )
