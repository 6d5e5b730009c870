# SPDX-License-Identifier: Apache-2.0
"""Cosine similarities of an encrypted vector with many public ones, and the largest of them.

The encrypted vector stands in every lane of its ciphertext (``encrypted/layout.py``), and every
lane multiplies it by a matrix of its own: a lane of B positions gives B scores, a ciphertext n::

    lane 0   scores of vectors 0 ... B - 1
    lane 1   scores of vectors B ... 2 B - 1         B products with arrays for n scores,
    ...                                              rotations shared by all lanes
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import _arguments as arguments
from ...circuits import Diagonals
from ...errors import ArgumentTypeError, ParameterError, SizeError
from ...integer_encoding.fixed_point import rounded, scale_argument
from ..array import EncryptedArray
from ..matrices import apply_diagonals
from ..spec import ArraySpec

if TYPE_CHECKING:
    from ...integer_encoding import Keys
    from ...rlwe import PublicKey, SecretKey


def _directions(field: str, values: ArrayLike, axes: int) -> NDArray[np.float64]:
    """Vectors at length 1 in the last axis."""
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise ArgumentTypeError(f"{field} has dtype {array.dtype}: need real numbers")
    if array.ndim != axes or not array.size:
        need = "(length,)" if axes == 1 else "(count, length)"
        raise SizeError(f"{field} has shape {array.shape}: need {need}, not empty")
    lengths = np.linalg.norm(array.astype(np.float64), axis=-1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise ParameterError(f"{field} has a vector without direction: all 0, or not finite")
    return np.asarray(array / lengths)


def _most(length: int, scale: int | float) -> int:
    """No score is larger, as an integer: by Cauchy and Schwarz, of rounded vectors of length 1."""
    return math.floor((scale + math.sqrt(length) / 2) ** 2)


@dataclass(frozen=True)
class UnitVectors:
    """Vectors of real numbers at length 1, in fixed point: queries for :func:`similarities`.

    Parameters
    ----------
    length : int
        Entries of a vector.
    scale : number
        Entries times this are rounded to integers. A score is off by sqrt(length) / scale at most,
        by a small part of that as a rule.

    Examples
    --------
    >>> import nttforge
    >>> from nttforge import bfv
    >>> from nttforge.encrypted import UnitVectors, similarities
    >>> vectors = [[1, 0, 0], [0, 2, 0], [3, 3, 0], [1, 1, 1]]
    >>> code = UnitVectors(3, scale=1000)
    >>> choice = nttforge.choose(lambda query: similarities(query, vectors), [code.spec()])
    >>> keys = choice.generate_keys(bfv.Context(choice.parameters))
    >>> scores = similarities(code.encrypt([1, 0.5, 0], keys), vectors)
    >>> places, cosines = code.top(scores, 2, len(vectors), keys)
    >>> places, cosines.round(2)
    (array([2, 0]), array([0.95, 0.89]))
    """

    length: int
    scale: int | float = 100

    def __post_init__(self) -> None:
        arguments.integer("length", self.length, 1, 2**14)
        object.__setattr__(self, "scale", scale_argument(self.scale))

    def spec(self) -> ArraySpec:
        """For :func:`nttforge.choose`."""
        return ArraySpec((self.length,), -1, 1, self.scale)

    def encrypt(self, vector: ArrayLike, keys: Keys | PublicKey | SecretKey) -> EncryptedArray:
        """Encrypts a vector divided by its length: by a client.

        Raises
        ------
        ParameterError, SizeError, ArgumentTypeError
            It is all 0, has another length, or no real numbers.
        """
        unit = _directions("vector", vector, 1)
        if unit.shape != (self.length,):
            raise SizeError(f"vector has shape {unit.shape}: need ({self.length},)")
        return self.spec().encrypt(unit, keys)

    def top(
        self, scores: EncryptedArray, k: int, count: int, keys: Keys | SecretKey
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The places of the ``k`` largest of ``count`` scores and these: by a client.

        The largest comes first. Of equal scores the first place comes first.

        Raises
        ------
        ParameterError
            ``k`` or ``count`` is out of range.
        NoiseError
            As :meth:`EncryptedArray.decrypt`.
        """
        count = arguments.integer("count", count, 1, scores.size, "what the server has")
        k = arguments.integer("k", k, 1, count)
        found = np.asarray(scores.decrypt(keys), dtype=np.float64).ravel()[:count]
        places = np.argsort(-found, kind="stable")[:k]
        return places, found[places]


def similarities(query: EncryptedArray, vectors: ArrayLike) -> EncryptedArray:
    """Cosines of the angles between an encrypted vector and public ones: by a server.

    Nothing is compared: the client decrypts all scores and takes the largest, and so learns all of
    them. The server learns neither the query nor which vectors are near.

    Parameters
    ----------
    query : EncryptedArray
        Of :meth:`UnitVectors.encrypt`, shape (length,).
    vectors : array of numbers, shape (count, length)
        Each is divided by its length, and rounded at the scale of the query.

    Returns
    -------
    EncryptedArray
        Shape (rows, block): the score of vector i is entry i of the flat array; zeros follow.
        :meth:`UnitVectors.top` reads it.

    Raises
    ------
    SizeError, ParameterError, ArgumentTypeError
        Shapes do not go together, a vector is all 0, no numbers.
    MissingKeyError, NoiseError
        As ``query @ matrix``.

    Notes
    -----
    With B the least power of two from ``length``: no products of ciphertexts; for every n vectors B
    products with arrays and about 2 sqrt(B) rotations, and one ciphertext as answer. Keys: these
    rotations. The arrays are encoded once per context and set of vectors, if they fit 64 MiB.

    Parameters depend on the number of vectors and their length alone: a client chooses them with
    ``np.ones((count, length))`` in place of vectors that it does not have.
    """
    if not isinstance(query, EncryptedArray) or query.ndim != 1 or query.layout.length is None:
        shape = (
            f"has shape {query.shape}" if isinstance(query, EncryptedArray) else "is not encrypted"
        )
        raise SizeError(f"query {shape}: need one vector of UnitVectors.encrypt")
    unit = _directions("vectors", vectors, 2)
    length = query.layout.length
    if unit.shape[1] != length:
        raise SizeError(
            f"vectors has shape {unit.shape} and query {query.shape}: need equal lengths"
        )
    scale, layout = query._one_scale("query"), query.layout
    words = unit if layout.real else rounded(unit, scale)
    rows = -(-len(words) // layout.block)
    answer = replace(layout, rows=rows, length=layout.block)
    plan = Diagonals.of((layout.block, length), layout.block, layout.block, True)
    most: float = 1 if layout.real else _most(length, scale)

    def factors(which: int) -> NDArray[Any]:
        """Slots of the diagonals for one ciphertext of scores, (diagonals, n)."""
        part = words[which * layout.slots : (which + 1) * layout.slots]
        lanes: NDArray[Any] = np.zeros((layout.slots, layout.block), dtype=words.dtype)
        lanes[: len(part), :length] = part
        square = lanes.reshape(layout.lanes, layout.block, layout.block)
        return plan.lane_factors(square, layout.halves)

    return apply_diagonals(
        query,
        f"{len(words)} similarities",
        plan,
        words,
        factors,
        answer,
        bounds=(-most, most),
        scale=scale * scale,
        maps=answer.ciphertexts,
    )
