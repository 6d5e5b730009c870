# SPDX-License-Identifier: Apache-2.0
"""How clients write numbers as zeros and ones, so that a server can compare, choose and count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import _arguments as arguments
from ...errors import ArgumentTypeError, ParameterError, SizeError
from ..array import EncryptedArray
from ..spec import ArraySpec

if TYPE_CHECKING:
    from ...integer_encoding import Keys
    from ...rlwe import PublicKey, SecretKey

_MOST_BITS = 62


def integers_of(field: str, values: ArrayLike, low: int, high: int) -> NDArray[np.int64]:
    """Integers in a range, of at most one axis.

    Raises
    ------
    ArgumentTypeError, SizeError, ParameterError
        They are no integers, have more axes or none of them, or one is outside.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise ArgumentTypeError(f"{field} has dtype {array.dtype}: need integers")
    if array.ndim > 1 or not array.size:
        raise SizeError(f"{field} has shape {array.shape}: need one integer, or a list of them")
    outside = np.flatnonzero((array < low) | (array > high))
    if outside.size:
        place = f"[{outside[0]}]" if array.ndim else ""
        raise ParameterError(
            f"{field}{place} = {array.flat[outside[0]]} is not in [{low}, {high}]: clip the values "
            "first, or take a coding that holds them"
        )
    return array.astype(np.int64)


@dataclass(frozen=True)
class IntegerBits:
    """Integers as their bits, the highest first: what :func:`less` and :func:`equal` compare.

    A number is a vector of :attr:`width` zeros and ones, and several are the rows of an array, of
    which a ciphertext of n slots holds n / width::

        [6, 1] in 4 bits    0 1 1 0
                            0 0 0 1

    Parameters
    ----------
    bits : int
        1 ... 62, of each number.
    signed : bool
        True: numbers in [-2^(bits-1), 2^(bits-1)), encoded plus 2^(bits-1), which keeps their
        order; False: in [0, 2^bits).

    Examples
    --------
    >>> from nttforge.encrypted import IntegerBits
    >>> IntegerBits(4).encode([6, 1])
    array([[0, 1, 1, 0],
           [0, 0, 0, 1]])
    """

    bits: int
    signed: bool = False

    def __post_init__(self) -> None:
        arguments.integer("bits", self.bits, 1, _MOST_BITS)

    @property
    def width(self) -> int:
        """Zeros and ones of a number: the least power of two from ``bits``; 0 stands in front."""
        return 1 << (self.bits - 1).bit_length()

    @property
    def low(self) -> int:
        """The least number."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The largest number."""
        return self.low + (1 << self.bits) - 1

    def spec(self, count: int | None = None) -> ArraySpec:
        """For :func:`nttforge.choose`: of ``count`` numbers, or of a single one."""
        return ArraySpec((self.width,) if count is None else (count, self.width), 0, 1)

    def encode(self, values: ArrayLike) -> NDArray[np.int64]:
        """Zeros and ones, (width,) of a single integer, (count, width) of several: public operands.

        Raises
        ------
        ParameterError, SizeError, ArgumentTypeError
            A value is out of range, there is more than one axis, no integers.
        """
        words = integers_of("values", values, self.low, self.high) - self.low
        return (words[..., None] >> np.arange(self.width - 1, -1, -1)) & 1

    def decode(self, digits: NDArray[Any]) -> NDArray[np.int64]:
        """The integers of :meth:`encode`."""
        places = np.int64(1) << np.arange(self.width - 1, -1, -1, dtype=np.int64)
        return np.asarray(digits.astype(np.int64) @ places + self.low)

    def encrypt(self, values: ArrayLike, keys: Keys | PublicKey | SecretKey) -> EncryptedArray:
        """Encrypts :meth:`encode`: by a client.

        Raises
        ------
        ParameterError, SizeError, ArgumentTypeError
            As :meth:`encode`.
        """
        return EncryptedArray.encrypt(self.encode(values), keys, bounds=(0, 1))

    def decrypt(self, array: EncryptedArray, keys: Keys | SecretKey) -> NDArray[np.int64]:
        """The integers of an array of bits, as of :func:`maximum`: by a client.

        Raises
        ------
        SizeError
            The array's last axis has not :attr:`width` entries.
        NoiseError
            As :meth:`EncryptedArray.decrypt`.
        """
        if not array.ndim or array.shape[-1] != self.width:
            raise SizeError(
                f"array has shape {array.shape}: numbers of {self.bits} bits have {self.width} "
                "entries in the last axis; results of less and equal are read by their own decrypt"
            )
        return self.decode(array.decrypt(keys))


@dataclass(frozen=True)
class OneHot:
    """One of ``size`` as a vector with a one at its place: a query, a vote, a record to count.

    A single index is a vector, several are the rows of an array, of which a ciphertext of n slots
    holds n over the least power of two from ``size``::

        [2, 0] of 4    0 0 1 0
                       1 0 0 0

    Parameters
    ----------
    size : int
        Indices are 0 ... size - 1.

    Examples
    --------
    >>> from nttforge.encrypted import OneHot
    >>> OneHot(4).encode([2, 0], weights=[7, 5])
    array([[0, 0, 7, 0],
           [5, 0, 0, 0]])
    """

    size: int

    def __post_init__(self) -> None:
        arguments.integer("size", self.size, 1, 2**14, "split larger tables into rows and columns")

    def spec(
        self,
        count: int | None = None,
        weights: tuple[int, int] = (0, 1),
        block: int | None = None,
    ) -> ArraySpec:
        """For :func:`nttforge.choose`: of ``count`` indices, or of a single one.

        ``weights`` are the least and the largest; ``block`` as for :meth:`EncryptedArray.encrypt`.
        """
        shape = (self.size,) if count is None else (count, self.size)
        return ArraySpec(shape, *weights, block=block)

    def encode(self, indices: ArrayLike, weights: ArrayLike | None = None) -> NDArray[np.int64]:
        """The vectors, (size,) of a single index, (count, size) of several.

        Parameters
        ----------
        indices : integer, or array of them
        weights : integers, optional
            What stands at each place instead of 1: one, or one for each index.

        Raises
        ------
        ParameterError, SizeError, ArgumentTypeError
            An index is out of range, the lengths differ, no integers.
        """
        places = integers_of("indices", indices, 0, self.size - 1)
        heights = integers_of("weights", 1 if weights is None else weights, -(2**62), 2**62)
        if heights.ndim and heights.shape != places.shape:
            raise SizeError(
                f"weights has shape {heights.shape} and indices {places.shape}: need one weight "
                "for each index"
            )
        return np.where(places[..., None] == np.arange(self.size), heights[..., None], 0)

    def encrypt(
        self,
        indices: ArrayLike,
        keys: Keys | PublicKey | SecretKey,
        *,
        weights: ArrayLike | None = None,
        bounds: tuple[int, int] | None = None,
        block: int | None = None,
    ) -> EncryptedArray:
        """Encrypts :meth:`encode`: by a client.

        ``bounds`` of the weights are public and by default (0, 1), which must hold them.
        ``block`` as for :meth:`EncryptedArray.encrypt`.

        Raises
        ------
        ParameterError, SizeError, ArgumentTypeError
            As :meth:`encode`; or a weight is outside the bounds.
        """
        vectors = self.encode(indices, weights)
        return EncryptedArray.encrypt(vectors, keys, bounds=bounds or (0, 1), block=block)
