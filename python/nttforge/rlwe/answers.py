# SPDX-License-Identifier: Apache-2.0
"""Ciphertexts that become smaller: lower levels, fewer bits, several answers in one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arguments as arguments
from ..errors import ParameterError, SizeError
from .context import Context
from .encoders import BatchEncoder
from .texts import Ciphertext

if TYPE_CHECKING:
    from ..typing import NoiseBound

__all__ = ["Answers"]


class Answers:
    """The part of an evaluator that makes answers small."""

    __slots__ = ()
    _context: Context
    _core: Any

    if TYPE_CHECKING:

        def _wrap(self, core: Any) -> Ciphertext: ...
        def _check(self, **operands: Any) -> None: ...
        def _list(self, field: str, values: Iterable[Any], cls: type) -> list[Any]: ...

    def mod_switch(self, a: Ciphertext, level: int | None = None) -> Ciphertext:
        """The same message at a lower level, smaller and faster to compute with.

        Noise is divided with the modulus, but for what rounding adds: where noise is large already,
        the budget stays what it was. BGV's products go down by themselves.

        Parameters
        ----------
        a : Ciphertext
        level : int, optional
            ``context.lowest_level`` ... ``a.level``; by default one below its own.

        Raises
        ------
        ParameterError
            The level is out of range.
        """
        self._check(a=a)
        if level is None:
            return self._wrap(self._core.mod_switch(a._core))
        lowest = self._context.lowest_level
        level = arguments.integer("level", level, lowest, a.level, "levels only go down")
        return self._wrap(self._core.mod_switch_to(a._core, level))

    def shrink(
        self, a: Ciphertext, min_budget: float = 10, *, bound: NoiseBound = "heuristic"
    ) -> Ciphertext:
        """The same message in as few bytes as its noise allows: an answer to be sent.

        First as many primes of the modulus go as leave the budget, then coefficients are rounded
        to so few bits that just ``min_budget`` is left (:attr:`Ciphertext.stored_bits`), those of
        part 0 to fewer. What comes out is a ciphertext like any other, which ``to_bytes`` writes in
        those bits.

        Parameters
        ----------
        a : Ciphertext
            Relinearize three parts first: two are smaller.
        min_budget : float
            Bits of budget that stay, 0 ... 1000.
        bound : {"heuristic", "proved"}
            Which bound's budget. Bytes hold the heuristic one, in steps of 16 bits.

        Raises
        ------
        NoiseError
            Less is left already, or nothing is known of the noise.

        Notes
        -----
        Rounding is no flooding: whoever holds the secret key sees as much of the noise as before.
        :meth:`Decryptor.decrypt_shared` needs room for flooding: 64 + log2 n + 2 bits of budget.

        Examples
        --------
        >>> from nttforge import bfv
        >>> keys = bfv.Context(bfv.Parameters.preset(8192)).generate_keys()
        >>> answer = keys.encrypt([1, 2, 3]) * keys.encrypt([4, 5, 6])
        >>> answer = answer.relinearize(keys.relinearization)
        >>> small = answer.shrink()
        >>> len(answer.to_bytes()), len(small.to_bytes()), small.level, small.stored_bits
        (350272, 66632, 1, (30, 35))
        >>> keys.decrypt(small)[:3]
        array([ 4, 10, 18])
        """
        self._check(a=a)
        arguments.choice("bound", bound, ("proved", "heuristic"))
        least = arguments.number("min_budget", min_budget, 0, 1000, "bits of budget")
        return self._wrap(self._core.shrink(a._core, least, bound == "proved"))

    def gather(
        self, terms: Iterable[Ciphertext], slots: Iterable[int | Sequence[int]] | None = None
    ) -> Ciphertext:
        """Chosen slots of several ciphertexts as one: many small answers in the bytes of one.

        Parameters
        ----------
        terms : iterable of Ciphertext
            Encoded as slots.
        slots : iterable of int or of sequences of int, optional
            For each term the slot or slots that it gives, which keep their places; no slot twice.
            By default slot i of term i, as for results that stand in every slot. All other slots of
            the result are 0.

        Returns
        -------
        Ciphertext
            After a product with a plaintext for each term, which costs log2 n + log2 t bits of
            budget and half a bit for each doubling of the terms, about; so before :meth:`shrink`.

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
        >>> keys.decrypt(bfv.Evaluator(context).gather(sums))[:5]
        array([7, 8, 9, 0, 0])
        """
        items = list(terms)
        places = list(range(len(items))) if slots is None else list(slots)
        if not items or len(items) != len(places):
            raise SizeError(
                f"terms has {len(items)} ciphertexts and slots {len(places)} entries: need the "
                "same number, at least 1"
            )
        self._list("terms", items, Ciphertext)
        n = self._context.n
        masks, taken = [], np.zeros(n, dtype=bool)
        encoder = BatchEncoder(self._context)
        for i, place in enumerate(places):
            chosen = [place] if isinstance(place, (int, np.integer)) else place
            indices = arguments.integers(f"slots[{i}]", chosen, 0, n - 1)
            mask = np.zeros(n, dtype=np.uint64)
            for slot in indices:
                if taken[slot]:
                    raise ParameterError(f"slots[{i}] = {slot} is given twice: every slot once")
                taken[slot] = True
                mask[slot] = 1
            masks.append(encoder.encode(mask).prepare())
        cores = [item._core for item in items]
        return self._wrap(self._core.dot_product_plain(cores, [mask._core for mask in masks]))
