# SPDX-License-Identifier: Apache-2.0
"""Polynomials of ciphertexts of any scheme, by Paterson and Stockmeyer [PS73].

    p(x) = low(x) + x^at * high(x),   at = baby, 2 baby, 4 baby, ...

until a part has no more than ``baby`` coefficients, which is a sum of multiples of powers. A degree
d takes about 2 sqrt(d) products of ciphertexts, each relinearized, and a depth of log2 d.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Powers"]


class Powers:
    """Powers of one ciphertext, each computed once.

    Parameters
    ----------
    text : Ciphertext, or what records operations
    keys : RelinearizationKey, EvaluationKeys or Keys
    degree : int
        Of the polynomials that are evaluated.
    reduced : callable
        What multiplies or is added in place of a coefficient; a 0 is left out.
    """

    def __init__(self, text: Any, keys: Any, degree: int, reduced: Callable[[int], int]) -> None:
        self._powers = {1: text}
        self._keys = keys
        self._reduced = reduced
        self._baby = 1 << ((degree + 1).bit_length() // 2)

    def power(self, k: int) -> Any:
        """The k-th power, of depth log2 k."""
        if k not in self._powers:
            half = 1 << ((k - 1).bit_length() - 1)
            product = self.power(half) * self.power(k - half)
            self._powers[k] = product.relinearize(self._keys)
        return self._powers[k]

    def polynomial(self, coefficients: Sequence[int]) -> tuple[Any, int]:
        """The polynomial without a constant, which stands beside it; None where nothing is left."""
        if len(coefficients) <= self._baby:
            text = None
            for k, word in enumerate(coefficients[1:], start=1):
                word = self._reduced(word)
                if word:
                    term = self.power(k) if word == 1 else self.power(k) * word
                    text = term if text is None else text + term
            return text, coefficients[0]
        at = self._baby
        while 2 * at < len(coefficients):
            at *= 2
        low, constant = self.polynomial(coefficients[:at])
        high, leading = self.polynomial(coefficients[at:])
        leading = self._reduced(leading)
        term = None
        if high is not None:
            factor = high + leading if leading else high
            term = (factor * self.power(at)).relinearize(self._keys)
        elif leading:
            term = self.power(at) * leading
        if low is None or term is None:
            return (term if low is None else low), constant
        return low + term, constant
