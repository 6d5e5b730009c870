# SPDX-License-Identifier: Apache-2.0
"""Functions of vectors with a single one: table look-up, histograms, votes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentTypeError, SizeError
from ..array import EncryptedArray
from .comparisons import known_range, without_range


def look_up(index: EncryptedArray, table: EncryptedArray | ArrayLike) -> EncryptedArray:
    """The entries of a table at encrypted places: by a server, which does not learn the places.

    Every entry is multiplied by 0 or 1, and the products are added::

        index 2 of 4    0 0 1 0
        table           7 3 9 1    ->    0 + 0 + 9 + 0

    Parameters
    ----------
    index : EncryptedArray
        Of :meth:`OneHot.encrypt`, one or several.
    table : array of integers, or EncryptedArray
        Shape (size,): an integer for each index. A public table may have shape (size, columns): a
        row for each; its columns are at most the positions of a block, ``index.layout.block``.

    Returns
    -------
    EncryptedArray
        Shape (count,) or () of one column, else (count, columns) or (columns,). Its range is that
        of the table, of a public one rounded up to powers of two, and is public.

    Raises
    ------
    SizeError, ArgumentTypeError
        The table has another length, or no integers.
    MissingKeyError, NoiseError, ParameterError
        As ``index @ table``.

    Notes
    -----
    With s the least power of two from ``size``: no products of ciphertexts with a public table, a
    product with an array and log2 s rotations of each ciphertext, of which one holds n / s indices;
    with c columns about 2 sqrt(c) + log2(s / c) rotations and c products with arrays, for n / s
    indices at once. An encrypted table costs one product more and the relinearization key. A table
    of more than n / 2 entries is a matrix: ``look_up(column, look_up(row, matrix))`` takes two
    indices.

    Parameters depend on the shape of the table and its range alone: a client chooses them with
    ``np.full(size, largest)`` in place of a table that it does not have.

    Examples
    --------
    >>> import nttforge
    >>> from nttforge import bfv
    >>> from nttforge.encrypted import OneHot, look_up
    >>> table = [70, 30, 90, 10]
    >>> choice = nttforge.choose(lambda index: look_up(index, table), [OneHot(4).spec(2)])
    >>> keys = choice.generate_keys(bfv.Context(choice.parameters))
    >>> look_up(OneHot(4).encrypt([2, 0], keys), table).decrypt(keys)
    array([90, 70])
    """
    if not isinstance(index, EncryptedArray) or not index.ndim:
        raise ArgumentTypeError(
            "index is no encrypted array of vectors: encrypt with nttforge.encrypted.OneHot(size)"
        )
    if isinstance(table, EncryptedArray):
        if table.shape != (index.shape[-1],):
            raise SizeError(
                f"table has shape {table.shape} and an index {index.shape[-1]} places: need an "
                "encrypted table of one axis and equal length"
            )
        return _chosen(index, without_range(table), table.low, table.high)
    array = np.asarray(table)
    if array.dtype.kind not in ("iuf" if index.layout.real else "iu"):
        raise ArgumentTypeError(
            f"table has dtype {array.dtype}: need integers; multiply by a scale, round, and divide "
            "what is decrypted"
        )
    if array.ndim not in (1, 2) or array.shape[0] != index.shape[-1]:
        raise SizeError(
            f"table has shape {array.shape} and an index {index.shape[-1]} places: need equal "
            "lengths of the first axis, and at most two axes"
        )
    low, high = array.min().item(), array.max().item()
    most = (1 << math.ceil(max(-low, high)).bit_length()) - 1
    low, high = (-most if low < 0 else 0), (most if high > 0 else 0)
    return _chosen(index, array, low, high)


def _chosen(index: EncryptedArray, table: Any, low: Any, high: Any) -> EncryptedArray:
    """One entry of the table, which is in the table's range; the sum of all need not be in t's."""
    found = replace(without_range(index) @ table, t=index.t)
    return known_range(found, low, high, "look_up")


def histogram(records: EncryptedArray) -> EncryptedArray:
    """How often each index occurs, or the sum of its weights: by a server.

    ::

        records    0 0 1 0
                   1 0 0 0
                   0 0 1 0    ->    1 0 2 0

    Parameters
    ----------
    records : EncryptedArray
        Of :meth:`OneHot.encrypt`, shape (count, size). With weights the result has the sum of each
        index's weights; public weights are multiplied first, ``histogram(records * w[:, None])``.

    Returns
    -------
    EncryptedArray
        Shape (size,).

    Raises
    ------
    SizeError
        There are no rows.
    MissingKeyError, NoiseError, ParameterError
        As ``records.sum(axis=0)``.

    Notes
    -----
    With s the least power of two from ``size``: no products of ciphertexts; the ciphertexts, of
    which one holds n / s records, are added, and the sum costs 2 log2(n / s) rotations, the column
    swap among them, and a product with an array. Keys: log2(n / s) rotations and the swap.

    Examples
    --------
    >>> import nttforge
    >>> from nttforge import bfv
    >>> from nttforge.encrypted import OneHot, histogram
    >>> choice = nttforge.choose(histogram, [OneHot(4).spec(3)])
    >>> keys = choice.generate_keys(bfv.Context(choice.parameters))
    >>> histogram(OneHot(4).encrypt([2, 0, 2], keys)).decrypt(keys)
    array([1, 0, 2, 0])
    """
    if not isinstance(records, EncryptedArray) or records.ndim != 2:
        encrypted = isinstance(records, EncryptedArray)
        shape = f"has shape {records.shape}" if encrypted else "is not encrypted"
        raise SizeError(
            f"records {shape}: need rows of nttforge.encrypted.OneHot(size).encrypt; single ones "
            "are added by tally"
        )
    return records.sum(axis=0)


def tally(ballots: Iterable[EncryptedArray]) -> EncryptedArray:
    """The sum of encrypted vectors, one from each voter: by a server, which sees no vote.

    Parameters
    ----------
    ballots : iterable of EncryptedArray
        Each of :meth:`OneHot.encrypt` with the public key of whoever counts; read one by one.

    Returns
    -------
    EncryptedArray
        Shape (size,): the votes for each.

    Raises
    ------
    SizeError
        There are no ballots, or their shapes differ.
    ParameterError, NoiseError
        More ballots than t or the noise allow.

    Notes
    -----
    No keys, no products: one sum each, of one ciphertext. For N ballots at most, parameters are
    ``nttforge.choose(lambda ballot: ballot * N, [OneHot(size).spec()])``.

    Nobody but the holder of the secret key can see whether a ballot is one: a voter may encrypt a 1
    in two places, or a 1000. Where voters gain by that, ballots need proofs, which are not here.

    Examples
    --------
    >>> import nttforge
    >>> from nttforge import bfv
    >>> from nttforge.encrypted import OneHot, tally
    >>> choice = nttforge.choose(lambda ballot: ballot * 1000, [OneHot(3).spec()])
    >>> keys = choice.generate_keys(bfv.Context(choice.parameters))
    >>> tally(OneHot(3).encrypt(vote, keys.public) for vote in (2, 0, 2)).decrypt(keys)
    array([1, 0, 2])
    """
    total: EncryptedArray | None = None
    for i, ballot in enumerate(ballots):
        if not isinstance(ballot, EncryptedArray) or ballot.ndim != 1:
            raise ArgumentTypeError(
                f"ballots[{i}] is no encrypted vector: need single ones of "
                "nttforge.encrypted.OneHot(size).encrypt; histogram adds the rows of an array"
            )
        if total is not None and ballot.shape != total.shape:
            raise SizeError(
                f"ballots[{i}] has shape {ballot.shape} and those before {total.shape}: need one "
                "OneHot(size) for all"
            )
        total = ballot if total is None else total + ballot
    if total is None:
        raise SizeError("ballots is empty: need at least one")
    return total
