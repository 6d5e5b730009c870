# SPDX-License-Identifier: Apache-2.0
"""Functions of real numbers, of :mod:`nttforge.ckks.functions`, of encrypted arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..errors import ArgumentTypeError, ParameterError, UnsupportedError
from .moves import cleaned, operand
from .state import Encrypted

if TYPE_CHECKING:
    from ..ckks.functions import Function, Polynomial

Array = TypeVar("Array", bound=Encrypted)

_NEAR = 1e-9  # what roundings of bounds may lead out of an interval, as part of it


def apply(x: Array, function: Function | Polynomial, *others: Array) -> Array:
    """A function of :mod:`nttforge.ckks.functions` of every entry, of CKKS alone.

    Parameters
    ----------
    function : Function or Polynomial
        With one result. The ranges of its arguments (:attr:`bounds`) lie in its domain; gaps in the
        domain, as around 0 for ``sign``, are not seen.
    *others : EncryptedArray
        Its other arguments, of the same shape and block.

    Raises
    ------
    ParameterError
        A range is not in the domain, or levels are lacking.
    UnsupportedError
        The array holds integers.

    Examples
    --------
    >>> import nttforge
    >>> from nttforge import ckks
    >>> from nttforge.ckks import functions
    >>> keys = ckks.Context(ckks.Parameters.preset(2**14)).generate_keys()
    >>> x = nttforge.EncryptedArray.encrypt([-1, 0, 2.5], keys, bounds=(-4, 4))
    >>> x.apply(functions.sigmoid((-4, 4))).decrypt(keys).round(2)
    array([0.27, 0.5 , 0.92])
    """
    name = function.name
    arrays = [x, *others]
    if any(not isinstance(a, Encrypted) or not a.layout.real for a in arrays):
        raise UnsupportedError(
            f"{name} is a function of real numbers, and an argument is no array of CKKS: encrypt "
            "with keys of CKKS (nttforge.choose(..., scheme='ckks') finds parameters)"
        )
    domains: Any = getattr(function, "domain", ())
    if hasattr(function, "coefficients"):
        domains = (domains,)
    if len(domains) != len(arrays) or any(a.layout != x.layout for a in arrays):
        raise ArgumentTypeError(
            f"{name} has {len(domains)} arguments: need as many arrays, of one shape and block"
        )
    ready = []
    for a, pieces in zip(arrays, domains, strict=True):
        (low, high), (first, last) = a.bounds, (pieces[0][0], pieces[-1][1])
        slack = _NEAR * (last - first)
        if low < min(0, first) - slack or high > max(0, last) + slack:
            raise ParameterError(
                f"{name}: values are in [{low:g}, {high:g}] and its domain in [{first:g}, "
                f"{last:g}]: make it for a larger interval, state narrower bounds when encrypting, "
                "or say within(low, high) what you know of the array"
            )
        ready.append(_filled(cleaned(a.unscaled()._two()), sum(pieces[-1]) / 2))
    texts = [a.text for a in ready]
    call: Any = function
    text = call(*texts, keys=x.keys)
    if isinstance(text, tuple):
        raise UnsupportedError(f"{name} has several results: apply it to ciphertexts")
    size = text.bound
    full = x.layout.is_full
    return x._changed(
        text=text, low=-size, high=size, scale=1, clean=full, told=max(a.told for a in ready)
    )


def _filled(x: Array, value: float) -> Array:
    """The array with a number of the domain where there are no entries; 0 may be none."""
    if x.layout.is_full:
        return x
    empty = (1 - x.layout.entries()) * value
    return x._changed(text=x.text + operand(x, np.asarray(empty)), clean=False)
