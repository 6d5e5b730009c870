# SPDX-License-Identifier: Apache-2.0
"""Functions of real numbers as circuits of sums and products, for CKKS ciphertexts.

:func:`approximate` makes a :class:`Polynomial` of any function on an interval; the others return a
:class:`Function`, which knows its domain, error and depth, and is applied to ciphertexts.

>>> import numpy as np
>>> from nttforge.ckks import functions
>>> arctan = functions.approximate(np.arctan, (-1, 1), error=1e-4)
>>> print(arctan.describe())
arctan: degree 7, depth 3, 5 products, absolute error 8.1e-05 on [-1, 1]
>>> larger = functions.maximum(bits=6)
>>> larger.depth, np.round(larger(np.array([0.2, 0.9]), np.array([0.3, 0.1])), 1).tolist()
(4, [0.3, 0.9])
"""

from __future__ import annotations

from .approximation import approximate
from .elementary import cos, exp, gelu, log, sigmoid, sin, softmax, tanh
from .function import Function
from .polynomial import Polynomial
from .reciprocals import divide, inverse, inverse_sqrt, sqrt
from .signs import absolute, compare, maximum, minimum, relu, sign, step

__all__ = [
    "Function",
    "Polynomial",
    "absolute",
    "approximate",
    "compare",
    "cos",
    "divide",
    "exp",
    "gelu",
    "inverse",
    "inverse_sqrt",
    "log",
    "maximum",
    "minimum",
    "relu",
    "sigmoid",
    "sign",
    "sin",
    "softmax",
    "sqrt",
    "step",
    "tanh",
]
