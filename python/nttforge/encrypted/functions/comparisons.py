# SPDX-License-Identifier: Apache-2.0
"""Comparisons of encrypted integers, bit by bit, for all rows of an array at once.

x < y where the first bit that differs is 0 in x and 1 in y. Neighbouring pieces of both numbers
merge until one piece is left, in log2 of the bits steps::

    bits of x       0    1    1    0
    bits of y       0    1    0    1
    less, equal    0,1  0,1  0,0  1,0        less = y - x y,  equal = 1 - x - y + 2 x y
                    \\  /      \\  /
                    0,1       0,0            less = less' + equal' less'',  equal = equal' equal''
                       \\     /
                        0,0                  6 < 5 is false

The pieces of a row lie in one ciphertext, so that a step is a rotation and a product of each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...errors import ArgumentTypeError, ParameterError, SizeError
from ..array import EncryptedArray

#: Bits of numbers, encrypted or public.
Bits: TypeAlias = "EncryptedArray | NDArray[Any]"


def known_range(x: EncryptedArray, low: int, high: int, what: str) -> EncryptedArray:
    """The array with a range that is narrower than what its operations alone would say."""
    return x._new(lambda: x.text, low, high, what)


def without_range(x: EncryptedArray) -> EncryptedArray:
    """The array for operations whose steps may say more than t holds: the end is known better."""
    return replace(x, t=None)


def _is_bits(field: str, x: Bits) -> None:
    remedy = "encrypt with nttforge.encrypted.IntegerBits(bits).encrypt, or encode with its encode"
    if isinstance(x, EncryptedArray):
        x._require_integers(
            "comparing bits", "x.apply(nttforge.ckks.functions.compare(), y) compares numbers"
        )
        if x.scale != 1 or x.low < 0 or x.high > 1:
            raise ParameterError(
                f"{field} holds values in [{x.bounds[0]:g}, {x.bounds[1]:g}]: need bits, 0 and 1; "
                f"{remedy}"
            )
        if not x.ndim or x.layout.length != x.layout.block:
            raise SizeError(
                f"{field} has shape {x.shape} in blocks of {x.layout.block}: need numbers of as "
                f"many bits as a block has positions; {remedy}"
            )
    elif not isinstance(x, np.ndarray) or x.dtype.kind not in "iu":
        raise ArgumentTypeError(f"{field} is no array of bits: {remedy}")
    elif x.ndim not in (1, 2) or not x.size or x.min() < 0 or x.max() > 1:
        raise ParameterError(f"{field} of shape {x.shape} has other values than 0 and 1: {remedy}")


def _operands(x: Bits, y: Bits) -> tuple[Any, Any]:
    """Both, checked; one of them at least is encrypted."""
    _is_bits("x", x)
    _is_bits("y", y)
    if not isinstance(x, EncryptedArray) and not isinstance(y, EncryptedArray):
        raise ArgumentTypeError("x and y are both public: compare them with NumPy")
    if x.shape[-1] != y.shape[-1]:
        raise SizeError(
            f"x has numbers of {x.shape[-1]} bits and y of {y.shape[-1]}: encode both with the "
            "same IntegerBits"
        )
    return x, y


def _rolled(x: EncryptedArray, step: int) -> EncryptedArray:
    """Entry i + 2^step of each row at its entry i."""
    return x.roll(-(1 << step))


def _steps(x: EncryptedArray) -> range:
    return range(x.layout.block.bit_length() - 1)


def equal(x: Bits, y: Bits) -> EncryptedArray:
    """1 where two integers are equal, else 0: by a server.

    Parameters
    ----------
    x, y : EncryptedArray or array of integers
        Of :meth:`IntegerBits.encrypt`; one of them may be public, of :meth:`IntegerBits.encode`. A
        single number is compared with each of several.

    Returns
    -------
    EncryptedArray
        Shape (rows,), or () of two single numbers.

    Raises
    ------
    ArgumentTypeError, ParameterError, SizeError
        An operand is no array of bits, or the shapes do not go together.
    MissingKeyError, NoiseError
        As for products and rolls of encrypted arrays.

    Notes
    -----
    With w = :attr:`IntegerBits.width`: depth 1 + log2 w, 1 + log2 w products and log2 w rotations
    of the array's ciphertexts, of which one holds n / w numbers; with a public operand one product
    and one level less. Keys: relinearization and log2 w rotations.

    Examples
    --------
    >>> import nttforge
    >>> from nttforge import bfv
    >>> from nttforge.encrypted import IntegerBits, equal
    >>> code = IntegerBits(4)
    >>> choice = nttforge.choose(equal, [code.spec(3), code.spec()])
    >>> keys = choice.generate_keys(bfv.Context(choice.parameters))
    >>> equal(code.encrypt([9, 4, 7], keys), code.encrypt(4, keys)).decrypt(keys)
    array([0, 1, 0])
    """
    a, b = _operands(x, y)
    neither = 1 - a - b
    both = isinstance(a, EncryptedArray) and isinstance(b, EncryptedArray)
    same = known_range(neither * neither if both else a * (2 * b) + neither, 0, 1, "equal bits")
    for step in _steps(same):
        same = known_range(same * _rolled(same, step), 0, 1, "equal pieces")
    # Pieces of a whole row are the same from every position on, cyclically.
    return replace(same, layout=replace(same.layout, length=None))


def less(x: Bits, y: Bits) -> EncryptedArray:
    """1 where x < y, else 0: by a server. ``less(y, x)`` is x > y, ``1 - less(y, x)`` x <= y.

    Parameters, result and errors are those of :func:`equal`.

    Notes
    -----
    With w = :attr:`IntegerBits.width`: depth 1 + log2 w and a product with a public array, 2 log2 w
    products and 3 log2 w - 1 rotations of the array's ciphertexts, of which one holds n / w
    numbers; with a public operand one product and one level less. Keys: relinearization and log2 w
    rotations.

    Examples
    --------
    >>> import nttforge
    >>> from nttforge import bfv
    >>> from nttforge.encrypted import IntegerBits, less
    >>> code = IntegerBits(4)
    >>> limit = code.encode(8)  # public
    >>> choice = nttforge.choose(lambda x: less(x, limit), [code.spec(3)])
    >>> keys = choice.generate_keys(bfv.Context(choice.parameters))
    >>> less(code.encrypt([9, 4, 7], keys), limit).decrypt(keys)
    array([0, 1, 1])
    """
    smaller = _less(*_operands(x, y))
    return smaller[0] if smaller.ndim == 1 else smaller[:, 0]


def _less(x: Any, y: Any) -> EncryptedArray:
    """At entry 0 of each row whether x < y; the other entries compare rolled rows."""
    both = (x * y)._two()  # once, for what is less and for what is equal
    smaller = known_range(y - both, 0, 1, "smaller bits")
    same = known_range(both * 2 + (1 - x - y), 0, 1, "equal bits")
    for step in _steps(smaller):
        if step:
            same = known_range(same * _rolled(same, step - 1), 0, 1, "equal pieces")
        smaller = known_range(smaller + same * _rolled(smaller, step), 0, 1, "smaller pieces")
    return smaller


def maximum(x: Bits, y: Bits) -> EncryptedArray:
    """The larger of two integers, again as bits: by a server; :meth:`IntegerBits.decrypt` reads it.

    Parameters and errors are those of :func:`equal`.

    Notes
    -----
    What :func:`less` costs, and one product and one level more. A maximum of many numbers is a
    tournament of such, each level of which costs all that: see docs/can-i.md.

    Examples
    --------
    >>> import nttforge
    >>> from nttforge import bfv
    >>> from nttforge.encrypted import IntegerBits, maximum
    >>> code = IntegerBits(4)
    >>> choice = nttforge.choose(maximum, [code.spec(2), code.spec(2)])
    >>> keys = choice.generate_keys(bfv.Context(choice.parameters))
    >>> code.decrypt(maximum(code.encrypt([9, 4], keys), code.encrypt([7, 5], keys)), keys)
    array([9, 5])
    """
    return _chosen(less(x, y), x, y, "maximum")


def minimum(x: Bits, y: Bits) -> EncryptedArray:
    """The smaller of two integers, as :func:`maximum`."""
    return _chosen(less(y, x), x, y, "minimum")


def _chosen(second: EncryptedArray, x: Any, y: Any, what: str) -> EncryptedArray:
    """The first of each pair where 0 stands, the second where 1 does."""
    column = replace(second, kept=second.ndim == 1)
    return known_range(x + column * (y - x), 0, 1, what)
