# SPDX-License-Identifier: Apache-2.0
"""The scheme of a dataset, which the bytes of its parameters say: integers of BFV, or CKKS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nttforge import bfv, ckks, rlwe
from nttforge.encrypted.schemes import halves_of
from nttforge.errors import ArgumentTypeError, ParameterError, SizeError
from nttforge.integer_encoding.linear_map import matrix_of

if TYPE_CHECKING:
    from nttforge.typing import DeviceName

_CKKS = 3  # of bytes 10 and 11 (docs/format.md)


def parameters_of(data: bytes) -> bfv.Parameters | ckks.Parameters:
    """Parameters from their bytes, checked; a FormatError where they are of another scheme."""
    if int.from_bytes(data[10:12], "little") == _CKKS:
        return ckks.Parameters.from_bytes(data)
    return bfv.Parameters.from_bytes(data)


def context_of(
    parameters: bfv.Parameters | ckks.Parameters, device: DeviceName = "cpu", threads: int = 0
) -> rlwe.Context:
    """A context of either scheme."""
    if isinstance(parameters, ckks.Parameters):
        return ckks.Context(parameters, device, threads)
    return bfv.Context(parameters, device, threads)


def require_dataset(context: Any) -> bfv.Context | ckks.Context:
    """The context of a key with which datasets are encrypted and decrypted."""
    if not isinstance(context, bfv.Context | ckks.Context):
        raise ArgumentTypeError(f"key belongs to {context!r}: a dataset is of BFV or of CKKS")
    return context


def lanes(context: rlwe.Context, positions: int) -> int:
    """Records of so many positions in a ciphertext."""
    return max(1, halves_of(context) * (context.n // 2) // positions)


def map_matrix(parameters: bfv.Parameters | ckks.Parameters, matrix: ArrayLike) -> NDArray[Any]:
    """A matrix of integers, or of numbers for CKKS, checked."""
    if not isinstance(parameters, ckks.Parameters):
        return matrix_of(matrix)
    found = np.asarray(matrix)
    if found.dtype.kind not in "iuf" or found.ndim != 2 or 0 in found.shape:
        raise SizeError(f"matrix has shape {found.shape}: need rows and columns of real numbers")
    if not np.isfinite(found).all():
        raise ParameterError("matrix has NaN or infinity: need finite numbers")
    return found.astype(np.float64)
