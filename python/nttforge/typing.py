# SPDX-License-Identifier: Apache-2.0
"""Names for annotations: the words that arguments take, and what may stand where an array is.

A misspelt word, ``ring="cylic"``, is an error of a type checker before it is one of the program.

>>> from nttforge.typing import Ring
>>> ring: Ring = "cyclic"
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .spec.transform import Order, Ring

__all__ = [
    "AlgorithmName",
    "BytesLike",
    "DeviceName",
    "Direction",
    "Encoding",
    "ErrorDistribution",
    "ExplorationState",
    "FilePath",
    "GpuArray",
    "HostArray",
    "HostWords",
    "IntegerRows",
    "Integers",
    "Order",
    "Recipe",
    "Ring",
    "SecretDistribution",
    "SecurityLevel",
    "SecurityTable",
    "Target",
    "Transform",
    "WordArray",
    "WordBits",
    "WordDType",
    "WordDTypeLike",
]

Transform: TypeAlias = Literal["ntt", "dgt", "any"]
WordBits: TypeAlias = Literal[64, 32]
NoiseBound: TypeAlias = Literal["proved", "heuristic"]
ProductForm: TypeAlias = Literal["behz", "hps", "hps_over_q", "hps_levelled", "auto"]
Direction: TypeAlias = Literal["forward", "inverse"]
#: Where schemes compute; GPUs are numbered as CUDA does.
DeviceName: TypeAlias = Literal[
    "cpu",
    "cuda",
    "cuda:0",
    "cuda:1",
    "cuda:2",
    "cuda:3",
    "cuda:4",
    "cuda:5",
    "cuda:6",
    "cuda:7",
    "cuda:host",
]
Target: TypeAlias = Literal["scalar", "avx2", "avx512", "avx512_ifma", "neon", "wasm"]
AlgorithmName: TypeAlias = Literal[
    "merged",
    "dit",
    "dif",
    "flat",
    "pease",
    "pease_nc",
    "six_step",
    "stockham",
    "recursive",
    "radix_r",
]
ExplorationState: TypeAlias = Literal["measured", "not_tried", "wrong"]

Encoding: TypeAlias = Literal["slots", "coefficients"]
SecurityLevel: TypeAlias = Literal[
    "classical128", "classical192", "classical256", "insecure_by_request"
]
SecurityTable: TypeAlias = Literal["guidelines2024", "hes2018"]
ErrorDistribution: TypeAlias = Literal["sigma_3_2", "sigma_8_bound_48"]
SecretDistribution: TypeAlias = Literal["ternary", "binary", "sparse"]

#: How a transform is computed, as JSON has it: its members depend on device and algorithm.
Recipe: TypeAlias = dict[str, Any]

#: What a plan makes in host memory of lists of integers and signed arrays.
HostWords: TypeAlias = NDArray[np.uint64 | np.uint32]

#: The type of a residue, and what may be given for it.
WordDType: TypeAlias = np.dtype[np.uint64 | np.uint32]
WordDTypeLike: TypeAlias = (
    WordDType | type[np.uint64] | type[np.uint32] | Literal["uint64", "uint32"]
)

#: Signed residues in (-q, q): arrays, or lists as deep as a plan's arrays have axes.
IntegerRows: TypeAlias = (
    Sequence[int]
    | Sequence[Sequence[int]]
    | Sequence[Sequence[Sequence[int]]]
    | Sequence[Sequence[Sequence[Sequence[int]]]]
    | NDArray[np.signedinteger[Any]]
)

#: A row of integers to encode, or rows of a batch.
Integers: TypeAlias = Sequence[int] | Sequence[Sequence[int]] | NDArray[np.integer[Any]]

BytesLike: TypeAlias = bytes | bytearray | memoryview | mmap.mmap | NDArray[Any]

#: The name of a file, in any encoding.
FilePath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class HostArray(Protocol):
    """An array of another library, by DLPack: in host memory where a call says so."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, Any]: ...


class GpuArray(Protocol):
    """An array of CuPy, PyTorch, Numba or JAX, or a :class:`nttforge.cuda.DeviceArray`."""

    @property
    def __cuda_array_interface__(self) -> Any: ...


#: Residues: NumPy arrays of exactly these words, or arrays on a GPU. Results have the same type.
WordArray = TypeVar("WordArray", bound=HostWords | GpuArray)


def __dir__() -> list[str]:
    return sorted(__all__)
