# SPDX-License-Identifier: Apache-2.0
"""How close decrypted numbers are to what was meant, measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError, SizeError
from .numbers import to_numbers


@dataclass(frozen=True)
class Precision:
    """Bits behind the point, -log2 of the absolute error; infinite where nothing is off."""

    worst: float  #: of the number that is off most
    mean: float  #: of the mean error
    median: float  #: of the median error
    best: float  #: of the number that is off least
    l2: float  #: of the root of the mean square


@dataclass(frozen=True)
class PrecisionStatistics:
    """What :func:`precision_statistics` measures, of parts and of distances in the plane."""

    real: Precision
    imaginary: Precision
    complex: Precision


def precision_statistics(values: ArrayLike, expected: ArrayLike) -> PrecisionStatistics:
    """Compares decrypted numbers with exact ones.

    For tests, and for the choice of parameters: it measures one run, where
    :attr:`Ciphertext.error` bounds all. It needs the exact results, and what it says of them is as
    secret as they are.

    Parameters
    ----------
    values, expected : arrays of numbers, shape (m,) or (batch, m), or one number
        Real or complex, finite, of one shape.

    Raises
    ------
    SizeError
        The shapes differ.
    ParameterError
        A number is NaN or infinite, or a difference is beyond the doubles.

    Examples
    --------
    >>> from nttforge import ckks
    >>> found = ckks.precision_statistics([1, 2, 0.5 + 0.25j], [1, 2.125, 0.5])
    >>> found.real.worst, found.imaginary.worst, found.complex.best
    (3.0, 2.0, inf)
    """
    got, wanted = (
        to_numbers(field, numbers, 2**40, "numbers")
        for field, numbers in (("values", values), ("expected", expected))
    )
    if got.shape != wanted.shape:
        raise SizeError(
            f"values has shape {got.shape} and expected {wanted.shape}: pass arrays of one shape"
        )
    with np.errstate(over="ignore"):
        errors = got.astype(np.complex128) - wanted
        distances = np.abs(errors)
    if not np.isfinite(distances).all():
        raise ParameterError("values - expected is beyond 2^1024: scale both down")
    return PrecisionStatistics(_of(np.abs(errors.real)), _of(np.abs(errors.imag)), _of(distances))


def _of(errors: NDArray[np.float64]) -> Precision:
    largest = float(errors.max())
    scaled = errors / largest if largest else errors  # squares of tiny errors stay above 0
    root = largest * float(np.sqrt(np.mean(scaled**2)))
    of = (
        largest,
        largest * float(scaled.mean()),
        float(np.median(errors)),
        float(errors.min()),
        root,
    )
    return Precision(*(-float(np.log2(x)) if x else np.inf for x in of))
