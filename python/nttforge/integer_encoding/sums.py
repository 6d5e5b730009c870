# SPDX-License-Identifier: Apache-2.0
"""Operations on several ciphertexts of integers at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np

from .. import _arguments as arguments
from .. import rlwe
from ..errors import ArgumentTypeError, ParameterError, SizeError
from ..rlwe._require import require
from ..rlwe.sums import factors_of, terms_of
from .ciphertext import Ciphertext
from .encoders import BatchEncoder
from .plaintexts import Plaintext, PreparedPlaintext


def sum_of_products(
    a: Sequence[Ciphertext] | Ciphertext,
    b: Sequence[Ciphertext] | Sequence[PreparedPlaintext] | Ciphertext,
) -> Ciphertext:
    """``sum(x * y for x, y in zip(a, b))`` with one scaling for the whole sum.

    Parameters
    ----------
    a : sequence of Ciphertext
        At least one; a batch is taken as the sequence of its ciphertexts.
    b : sequence of Ciphertext or of PreparedPlaintext
        As many. Products of ciphertexts have three parts.

    Raises
    ------
    SizeError, ArgumentTypeError, ContextError, ParameterError
        They are none, of other numbers or kinds, or do not go together.
    """
    left: list[Ciphertext] = terms_of(a)
    right: list[Ciphertext] | list[PreparedPlaintext] = terms_of(b)
    if right and isinstance(right[0], Plaintext):
        raise ArgumentTypeError("b[0] is a Plaintext: pass b[0].prepare(), and so for each")
    if not right or not isinstance(right[0], PreparedPlaintext):
        return rlwe.sum_of_products(left, cast("list[Ciphertext]", right))
    first, x, y = factors_of(left, right, PreparedPlaintext)
    return first._wrap(first._context, first._context._evaluator.dot_product_plain(x, y))


def gather(
    terms: Iterable[Ciphertext], slots: Iterable[int | Sequence[int]] | None = None
) -> Ciphertext:
    """Chosen slots of several ciphertexts as one: many small answers in the bytes of one.

    Parameters
    ----------
    terms : iterable of Ciphertext
        Encoded as slots.
    slots : iterable of int or of sequences of int, optional
        For each term the slot or slots that it gives, which keep their places; no slot twice. By
        default slot i of term i, as for results that stand in every slot. All other slots of the
        result are 0.

    Returns
    -------
    Ciphertext
        After a product with a plaintext for each term, which costs log2 n + log2 t bits of budget
        and half a bit for each doubling of the terms, about; so before :meth:`Ciphertext.shrink`.

    Raises
    ------
    SizeError
        No terms, or another number of slots.
    ParameterError
        A slot is out of range or given twice.

    Examples
    --------
    >>> from nttforge import bfv
    >>> context = bfv.Context(bfv.Parameters.preset(8192))
    >>> keys = context.generate_keys()
    >>> sums = [keys.encrypt([k] * 8192) for k in (7, 8, 9)]
    >>> keys.decrypt(bfv.gather(sums))[:5]
    array([7, 8, 9, 0, 0])
    """
    items = list(terms)
    places = list(range(len(items))) if slots is None else list(slots)
    if not items or len(items) != len(places):
        raise SizeError(
            f"terms has {len(items)} ciphertexts and slots {len(places)} entries: need the "
            "same number, at least 1"
        )
    context = require(items[0], Ciphertext, "terms[0]").context
    masks, taken = [], np.zeros(context.n, dtype=bool)
    encoder = BatchEncoder(context)
    for i, place in enumerate(places):
        chosen = [place] if isinstance(place, (int, np.integer)) else place
        mask = np.zeros(context.n, dtype=np.int64)
        for slot in arguments.integers(f"slots[{i}]", chosen, 0, context.n - 1):
            if taken[slot]:
                raise ParameterError(f"slots[{i}] = {slot} is given twice: every slot once")
            taken[slot] = True
            mask[slot] = 1
        masks.append(encoder.encode(mask).prepare())
    return sum_of_products(items, masks)
