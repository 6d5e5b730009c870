# SPDX-License-Identifier: Apache-2.0
"""Arrays of encrypted numbers that behave like NumPy's as far as encryption allows."""

from __future__ import annotations

from .array import EncryptedArray
from .spec import ArraySpec

__all__ = ["ArraySpec", "EncryptedArray"]


def __dir__() -> list[str]:
    return sorted(__all__)
